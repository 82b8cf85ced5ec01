"""Updates of the tables' software, and the logs and diagnoses that tables send on request (docs/setup/updates.md).

The head offers only archives with the maker's signature. Tables fetch them while idle, rate-limited, and never while an
event runs. Offers and their outcome per table are in the audit trail; a log or a diagnosis is shown to the staff and
not stored.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from engine.i18n import Text, say
from kiosk.errors import InputError
from kiosk.head.current_user import HEAD, acting, as_user
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event.pairings_standings_and_correction_impact import is_finished
from kiosk.head.event.tournament_state import TournamentState
from kiosk.head.store import Store
from kiosk.link.errors import RemoteProtocolError
from kiosk.update import table_update_and_diagnostics_messages as messages
from kiosk.update.archive_and_install_requests import check, hash_of, maker_key

log = logging.getLogger(__name__)

OFFERED, ENDED = "device-updates-offered", "device-update-ended"
FOLDER, SUFFIX = "updates", ".update"
#: bytes a second for all tables together, which leaves two thirds of a 100-Mbit network for everything else
PACE = 4_000_000
#: longest wait of a table for its turn
TURN_S = 30.0
#: seconds between two requests of a table, and requests a second in all, which lengthens the interval with many tables
ASK_S, A_SECOND = 20.0, 20
#: a table that has not asked for this long counts as absent
SILENT_S = 90.0


@dataclass(frozen=True, slots=True)
class AvailableUpdate:
    """One update archive of this head. ``problem``: why it is not offered."""

    path: Path
    version: str = ""
    sha256: str = ""
    size: int = 0
    problem: Text | None = None


@dataclass(frozen=True, slots=True)
class TableUpdateState:
    """State of a table's update. ``latest``: its last report, None if there was none since this head started;
    ``here``: whether it sends requests now; ``offered``: the version that waits for it."""

    table: int
    latest: messages.TableReport | None
    here: bool
    offered: str = ""
    size: int = 0

    @property
    def percent(self) -> int:
        return 0 if self.latest is None or not self.size else min(100, 100 * self.latest.done // self.size)


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report as received; ``at``: by the head's clock."""

    at: str
    text: str


def event_runs(state: TournamentState) -> bool:
    """Check whether a round was published that is not the end of its division."""
    return any(division.rounds and not is_finished(division) for division in state.divisions.values())


class Updates:
    """Update offers and reports of the tables. May be called from any thread. ``state``: the event now; ``maker``: the
    file with the maker's public key.
    """

    def __init__(
        self,
        store: Store,
        keys: Mapping[int, bytes],
        folder: Path,
        maker: Path,
        state: Callable[[], TournamentState],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._store, self._keys, self._folder, self._maker = store, keys, folder, maker
        self._state, self._changed = state, changed
        self._lock = threading.Lock()
        self._looked: dict[Path, tuple[tuple[int, int], AvailableUpdate]] = {}
        self._offers: dict[int, messages.UpdateOffer] = {}
        self._table_reports: dict[int, tuple[float, messages.TableReport]] = {}
        self._tickets: dict[int, bytes] = {}
        self._inquiries: dict[int, messages.Inquiry] = {}
        self._reports: dict[tuple[int, str], StoredReport] = {}
        self._due_s = 0.0
        self._runs: tuple[TournamentState | None, bool] = (None, False)
        for event in store.operator_events():
            if event.kind in (OFFERED, ENDED):
                self._remember(event.kind, event.body)

    def _remember(self, kind: str, body: Mapping[str, object]) -> None:
        """Restore the offers of an earlier run from an audit entry; invalid entries are skipped."""
        match body:
            case {"id": str(id), "version": str(version), "sha256": str(hash), "size": int(size), "tables": [*tables]}:
                offer = messages.UpdateOffer(id, version, hash, size)
                self._offers |= {table: offer for table in tables if isinstance(table, int)}
            case {"table": int(table), "id": str(id)} if kind == ENDED:
                self._is_over(table, id)
            case _:
                log.warning("an entry %s of the trail cannot be read", kind)

    def _is_over(self, table: int, id: str) -> bool:
        offer = self._offers.get(table)
        if offer is None or offer.id != id:
            return False
        del self._offers[table]
        return True

    # --- archives --------------------------------------------------------------------------------------------------

    def archives(self) -> list[AvailableUpdate]:
        """Return the archives in the head's folder, the newest name first. Each file is read once, and again when it
        changes.
        """
        found = []
        for path in sorted(self._folder.glob(f"*{SUFFIX}"), reverse=True):
            try:
                status = path.stat()
            except OSError:
                continue
            mark = status.st_mtime_ns, status.st_size
            known = self._looked.get(path)
            if known is None or known[0] != mark:
                known = mark, self._read(path, status.st_size)
                self._looked[path] = known
            found.append(known[1])
        return found

    def _read(self, path: Path, size: int) -> AvailableUpdate:
        try:
            with path.open("rb") as file:
                version = check(file, maker_key(self._maker)).version
                file.seek(0)
                return AvailableUpdate(path, version, hash_of(file), size)
        except InputError as error:
            return AvailableUpdate(path, problem=error.text)
        except OSError as error:
            return AvailableUpdate(path, problem=say("{why}", why=error.strerror or str(error)))

    # --- the staff -------------------------------------------------------------------------------------------------

    def runs(self) -> bool:
        """Check whether an event runs, so that no table is updated."""
        state = self._state()
        if self._runs[0] is not state:
            self._runs = state, event_runs(state)
        return self._runs[1]

    def offer(self, sha256: str, tables: Iterable[int]) -> None:
        """Offer an archive to tables.

        :raises Conflict: an event runs. :raises HeadError: there is no such archive, or no such table.
        """
        if self.runs():
            raise Conflict.saying("an event runs; tables are updated before its first round or after its last")
        archive = next((one for one in self.archives() if one.sha256 == sha256 and one.problem is None), None)
        if archive is None:
            raise NotFound.saying("that update is no longer available")
        numbers = sorted({*tables})
        if not numbers or any(table not in self._keys for table in numbers):
            raise HeadError.saying("choose tables that this head knows")
        offer = messages.UpdateOffer(secrets.token_hex(8), archive.version, sha256, archive.size)
        body = {"id": offer.id, "version": offer.version, "sha256": sha256, "size": offer.size, "tables": numbers}
        self._store.append(OFFERED, body).result()
        with self._lock:
            self._offers |= dict.fromkeys(numbers, offer)
        self._changed()

    def take_back(self) -> None:
        """Withdraw all offers; an installation in progress is finished."""
        with self._lock:
            offers = dict(self._offers)
        for table, offer in offers.items():
            self._end(table, offer.id, offer.version, "taken-back", None)
        self._changed()

    def request_report(self, table: int, what: messages.What) -> None:
        """Request a table's log or diagnosis; it arrives with the table's next request.

        :raises HeadError: there is no such table.
        """
        if table not in self._keys:
            raise NotFound.saying("there is no table {table}", table=table)
        with self._lock:
            self._inquiries[table] = messages.Inquiry(secrets.token_hex(8), what)
        self._changed()

    def waits_for(self, table: int) -> messages.What | None:
        """Return what a table was asked for and has not sent yet."""
        with self._lock:
            inquiry = self._inquiries.get(table)
            return None if inquiry is None else inquiry.what

    def report(self, table: int, what: messages.What) -> StoredReport | None:
        with self._lock:
            return self._reports.get((table, what))

    def tables(self) -> list[TableUpdateState]:
        now_s = time.monotonic()
        with self._lock:
            found = []
            for table in sorted(self._keys):
                at_s, report = self._table_reports.get(table, (0.0, None))
                offer = self._offers.get(table)
                here = report is not None and now_s - at_s < SILENT_S
                offered = ("", 0) if offer is None else (offer.version, offer.size)
                found.append(TableUpdateState(table, report, here, *offered))
            return found

    # --- the tables ------------------------------------------------------------------------------------------------

    def routes(self) -> list[Route]:
        return [Route(messages.PATH, self._serve, methods=["POST"])]

    async def _serve(self, request: Request) -> Response:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > messages.MAX_MESSAGE:
                return PlainTextResponse(
                    "this address is the tables' and takes no more bytes than their questions have\n", 413
                )
        try:
            question = messages.read_request(bytes(body))
            # An unknown table is refused like one without the right key, and takes equally long.
            key = self._keys.get(question.table) or secrets.token_bytes(32)
            report = question.verify_report(key)
        except RemoteProtocolError:
            return PlainTextResponse(
                "this address is the tables'; the question is not sealed with a table's key\n", 403
            )
        answer = await run_in_threadpool(self.answer, question, report)
        if answer.counted and answer.goes and report.want is not None and self._due_s <= time.monotonic() + TURN_S:
            await asyncio.sleep(self._my_turn_s(messages.PIECE))
            piece = await run_in_threadpool(self._piece, report.want.sha256, report.want.offset)
            answer = msgspec.structs.replace(answer, piece=piece)
        return Response(question.sign_reply(key, answer), media_type="application/octet-stream")

    def _my_turn_s(self, size: int) -> float:
        """Reserve the next slot for an answer; return the seconds until it begins. On the event loop only."""
        now_s = time.monotonic()
        mine_s = max(now_s, self._due_s)
        self._due_s = mine_s + size / PACE
        return mine_s - now_s

    def answer(self, question: messages.ReceivedRequest, report: messages.TableReport) -> messages.HeadReply:
        """Return the answer to a verified request, without the chunk."""
        table, ticket, goes = question.table, secrets.token_bytes(messages.TICKET_BYTES), not self.runs()
        with self._lock:
            counted = secrets.compare_digest(self._tickets.get(table, b""), question.ticket)
            self._tickets[table] = ticket
            if not counted:
                return messages.HeadReply(ticket, counted=False)
            before = self._table_reports.get(table)
            self._table_reports[table] = time.monotonic(), _without_report(report)
            if report.report is not None:
                self._file(table, report)
            offer, inquiry = self._offers.get(table), self._inquiries.get(table)
        ended = report.stage in (messages.UpdateStage.DONE, messages.UpdateStage.FAILED)
        if ended and offer is not None and report.offer == offer.id:
            self._end(table, offer.id, offer.version, report.stage, report.why)
            offer = None
        if before is None or before[1] != _without_report(report) or report.report is not None:
            self._changed()
        again_s = 2.0 if offer is not None else max(ASK_S, len(self._keys) / A_SECOND)
        offer = offer if goes or report.stage is not messages.UpdateStage.NONE else None
        return messages.HeadReply(ticket, True, offer, goes, b"", inquiry, again_s)

    def _file(self, table: int, sent: messages.TableReport) -> None:
        inquiry, report = self._inquiries.get(table), sent.report
        if report is not None and inquiry is not None and report.id == inquiry.id and report.what == inquiry.what:
            del self._inquiries[table]
            self._reports[table, report.what] = StoredReport(time.strftime("%H:%M:%S"), report.text)

    def _end(self, table: int, id: str, version: str, how: str, why: Text | None) -> None:
        with self._lock:
            if not self._is_over(table, id):
                return
        body = {"id": id, "table": table, "version": version, "how": how, "why": "" if why is None else str(why)[:300]}
        with as_user(acting() if how == "taken-back" else HEAD):
            self._store.append(ENDED, body).result()

    def _piece(self, sha256: str, offset: int) -> bytes:
        """Return at most ``PIECE`` bytes of an archive; empty if it is not here or ends before."""
        archive = next((one for one in self.archives() if one.sha256 == sha256), None)
        if archive is None or not 0 <= offset < archive.size:
            return b""
        try:
            with archive.path.open("rb") as file:
                file.seek(offset)
                return file.read(messages.PIECE)
        except OSError as error:
            log.warning("%s cannot be read: %s", archive.path, error)
            return b""


def _without_report(full: messages.TableReport) -> messages.TableReport:
    """Return the shown part of a table's report, so that two reports differ only if something changed."""
    return messages.TableReport(full.version, full.stage, full.offer, full.done, full.why, full.rests, full.takes)
