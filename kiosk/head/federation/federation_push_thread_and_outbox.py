"""The venue's end of the connection: the thread that sends the federation the rows it does not have yet.

``FederationOutbox`` selects the rows from the store, so after days without a network sending continues where the
federation stopped. The venue never waits for it, and an error becomes a message.
"""

from __future__ import annotations

import json
import logging
import secrets
import ssl
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from http.client import OK
from http.client import REQUEST_ENTITY_TOO_LARGE as TOO_LARGE

import httpx
import msgspec
from sqlalchemy import Connection, func, select

from engine.i18n import Text, say
from kiosk.head.errors import HeadError
from kiosk.head.federation.omitted_and_anonymised_fields import reduced_entry, reduced_record
from kiosk.head.federation.player_list_transfer import VenueListCopy
from kiosk.head.federation.push_protocol import (
    LIST_PATH,
    PATH,
    SEAL_HEADER,
    TRAIL,
    EventRow,
    Push,
    PushResponse,
    RecordRow,
    Source,
    TrailHead,
    TrailInfo,
    ahead_s,
    check_peer,
    clocks_differ,
    read_refusal,
    read_sealed,
    sealed_by,
)
from kiosk.head.federation.venue_keys import load_venue
from kiosk.head.head_config import FederationConfig, check_url
from kiosk.head.store import Store
from kiosk.head.store.store_schema import operator_events, records
from kiosk.stoppable_thread import StoppableThread

log = logging.getLogger(__name__)

#: the answer of a federation that has no row yet
_NOTHING_YET = PushResponse(0, [], "")
#: seconds between checks for new rows, between reports, and before another attempt after an error (growing)
LOOK_S = 2.0
SIGN_S = 30.0
RETRY_S, LONGEST_S = 5.0, 60.0
_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class PushStatus:
    """How far the federation has this venue's rows. ``waiting``: rows that it lacks, as far as known; ``last_at``: time
    of its last answer; ``trouble``: the error of the connection; ``refused``: why it refuses rows; ``ahead_s``: its
    clock's difference; ``other``: the trail that it has in place of ours; ``machines``: whether another machine sends
    with our key.
    """

    url: str
    venue: str
    waiting: int = 0
    sent: int = 0
    last_at: str = ""
    trouble: Text | None = None
    refused: tuple[Text, ...] = ()
    ahead_s: int = 0
    other: TrailInfo | None = None
    machines: bool = False

    @property
    def clocks_differ(self) -> bool:
        return clocks_differ(self.ahead_s)


def client_of(config: FederationConfig) -> httpx.Client:
    trust = ssl.create_default_context(cafile=config.certificate)
    return httpx.Client(base_url=config.url, timeout=_TIMEOUT_S, trust_env=False, verify=trust)


class Pusher(StoppableThread):
    """A background sender. Call ``start`` and ``close``; ``status`` may be read from any thread."""

    def __init__(
        self,
        store: Store,
        config: FederationConfig,
        on_change: Callable[[], None] = lambda: None,
        players: VenueListCopy | None = None,
        client: Callable[[FederationConfig], httpx.Client] = client_of,
    ) -> None:
        """Read the venue's key.

        :raises InputError: the key file or the federation's address cannot be used.
        """
        check_url("federation.url", config.url)
        super().__init__("head-federation", _TIMEOUT_S)
        self._store = store
        self._config = config
        self._key = load_venue(config.key, config.venue)
        self._on_change = on_change
        self.players = players
        self._requested_list = ""
        self._client = client(config)
        self._known: PushResponse | None = None
        self._answered = _NOTHING_YET  # the last answer, also while the connection is in trouble
        self._trail = store.trail
        self._sender, self._ticket = secrets.token_hex(8), ""
        self._outbox = FederationOutbox(config.leave_out)
        self._more, self._seen, self._quiet_s, self._retry_s = True, -1, 0.0, RETRY_S
        self.status = PushStatus(config.url, config.venue)

    def close(self) -> None:
        super().close()
        self._client.close()

    def sentence(self) -> Text | None:
        """Return the message for the desk, if any."""
        status = self.status
        if status.other is not None:
            return say(
                "The federation has a different history of this head: {n} entries of the audit "
                "trail, the last of {at}. Was an old copy of the disk restored, or is a second "
                "machine running with it? See {page}.",
                n=status.other.last,
                at=status.other.at[:16].replace("T", " "),
                page="/venue",
            )
        if status.machines:
            return say(
                "Another machine sends to the federation with this venue's key; switch one of the two off, or ask the "
                "federation for a key of its own."
            )
        if status.refused:
            return say(
                "The federation does not take some rows: {why}. The others are sent; call the federation.",
                why=status.refused,
            )
        if status.trouble:
            return say(
                "Nothing gets through to the federation ({why}). The venue goes on; it is sent later.",
                why=status.trouble,
            )
        return None

    def has(self, table: int, epoch: str) -> int | None:
        """Return how far the federation has a journal; None: unknown now."""
        known = self._known
        if known is None:
            return None
        return next((seq for *source, seq in known.records if source == [table, epoch]), 0)

    def begin_life(self, reason: str) -> None:
        """Start a new trail from now on; the federation keeps the other one beside it."""
        self._store.begin_life(reason)
        self._note(replace(self.status, other=None))

    def push(self) -> bool:
        """Send one batch; return whether there is more to send.

        :raises HeadError, httpx.HTTPError: the attempt failed.
        """
        if self._trail != self._store.trail:  # another trail: the federation has nothing of it
            self._trail, self._known, self._answered = self._store.trail, None, _NOTHING_YET
            self._outbox.blocked.pop(TRAIL, None)
        with self._store.reading() as connection:
            made, before = self._next(connection)
        body = msgspec.msgpack.encode(made)
        answer = self._client.post(PATH, content=body, headers=sealed_by(self._config.venue, self._key, body))
        if answer.status_code == TOO_LARGE and self._outbox.halve_next_push(made, len(body), self._config.url):
            return True
        if answer.status_code != OK:
            raise HeadError(_sentence(answer))
        check_peer(answer.headers)
        known = read_sealed(self._key, made.nonce, answer.content, answer.headers.get(SEAL_HEADER, ""), PushResponse)
        if self._known is not None and known.counted:  # the answer contains only the journals that this push changed
            ends = {(table, epoch): seq for table, epoch, seq in (*self._known.records, *known.records)}
            known = msgspec.structs.replace(known, records=[(*source, seq) for source, seq in ends.items()])
        self._known, self._answered, self._ticket = known, known, known.ticket
        if known.refused:
            self._outbox.blocked[known.source] = BlockedRow(known.number, known.refused)
        with self._store.reading() as connection:
            left, sendable = waiting_rows(connection, known), bool(self._outbox.behind(connection, known))
        now = self._store.wall_clock()
        self._note(
            replace(
                self.status,
                waiting=left,
                sent=self.status.sent + max(0, before - left),
                last_at=now,
                trouble=None,
                refused=tuple(blocked.why for blocked in self._outbox.blocked.values()),
                ahead_s=ahead_s(known.at, now),
                other=known.other,
                machines=known.machines,
            )
        )
        self._get_players(known.players)
        return sendable or not known.counted

    def take_players(self, file: bytes) -> None:
        """Accept the federation's list of players, also from a memory stick.

        :raises HeadError: it is not this venue's, not newer, or cannot be read.
        """
        if self.players is None:
            raise HeadError.saying("this head keeps no list of the federation")
        self.players.accept(self._key, self._config.venue, file)
        self._on_change()

    def _get_players(self, name: str) -> None:
        """Request a list that is not here, once; the rows do not wait for it."""
        have = self.players.header.name if self.players and self.players.header else ""
        if self.players is None or name in ("", have, self._requested_list):
            return
        self._requested_list = name
        question = secrets.token_bytes(16)
        headers = sealed_by(self._config.venue, self._key, question)
        try:
            answer = self._client.post(LIST_PATH, content=question, headers=headers)
            if answer.status_code != OK:
                raise HeadError(_sentence(answer))
            self.take_players(answer.content)
        except HeadError as error:
            log.warning("the federation's list of players: %s", error)
        except httpx.HTTPError:
            self._requested_list = ""
            raise

    def _next(self, connection: Connection) -> tuple[Push, int]:
        """Return the next push; the very first only asks how far the federation is."""
        known = self._known
        left = 0 if known is None else waiting_rows(connection, known)
        rows = [] if known is None else self._outbox.next(connection, known)
        push = Push(
            self._config.venue,
            self._trail,
            secrets.token_hex(16),
            self._store.wall_clock(),
            left - len(rows),
            [row for row in rows if isinstance(row, EventRow)],
            [row for row in rows if isinstance(row, RecordRow)],
            self._sender,
            self._ticket,
            trail_head(connection, known),
            all_journals=known is None,
        )
        return push, left

    def turn(self) -> float:
        """Send new rows, if any; return the seconds until the next call."""
        jobs = self._store.writer.jobs
        if not self._more and jobs == self._seen and self._quiet_s < SIGN_S:
            self._quiet_s += LOOK_S
            return LOOK_S
        if self._quiet_s >= SIGN_S:
            self._outbox.blocked.clear()  # refused rows may be accepted by now
        self._quiet_s = 0.0
        try:
            self._more = self.push()
        except (HeadError, httpx.HTTPError) as error:
            silent = say("{url} does not answer ({error})", url=self._config.url, error=error)
            with self._store.reading() as connection:
                waiting = waiting_rows(connection, self._answered)
            trouble = error.text if isinstance(error, HeadError) else silent
            self._note(replace(self.status, trouble=trouble, waiting=waiting))
            self._known, self._outbox.room, self._more = None, ROOM, True
            wait_s, self._retry_s = self._retry_s, min(LONGEST_S, 2 * self._retry_s)
            return wait_s
        self._retry_s, self._seen = RETRY_S, jobs
        return 0.0

    def _run(self) -> None:
        wait_s = 0.0
        while not self._stopping.wait(wait_s):
            wait_s = self.turn()

    def _note(self, status: PushStatus) -> None:
        before, self.status = self.status, status
        if (before.trouble, before.refused, before.other) != (status.trouble, status.refused, status.other):
            if status.trouble or status.refused or status.other:
                log.warning("federation: %s", status.trouble or "; ".join(map(str, status.refused)) or self.sentence())
            else:
                log.info("federation: rows get through to %s", status.url)
        self._on_change()


def _sentence(answer: httpx.Response) -> Text:
    """Return the federation's own message, else that of the server in between."""
    if refusal := read_refusal(answer.content):
        return refusal
    match answer.status_code:
        case 404 | 405:
            text = say("{url} answers {status}; see that url is the address of the federation's head")
        case 502 | 503 | 504:
            text = say(
                "{url} answers {status}: the federation's head does not run behind it; it is sent when it runs again"
            )
        case _:
            text = say(
                "{url} answers {status}, which the federation's head does not say; see what stands between it and this "
                "head"
            )
    return text(url=str(answer.url), status=answer.status_code)


# Selects the rows of a venue's store that its federation does not have yet.
#
# What to send follows from the store and the federation's last answer, so there is no queue that could be lost. A
# refused row blocks only the rows after it from the same table and epoch, or in the audit trail.

#: rows of one push, and bytes of their bodies together
BATCH, ROOM = 400, 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class BlockedRow:
    """Why row ``number`` and those after it from the same source are not sent."""

    number: int
    why: Text


class FederationOutbox:
    """Selector of the next rows. ``leave_out``: fields that are not sent; ``blocked``: rows that are not sent, and why;
    ``room``: bytes for the bodies of the next push.
    """

    def __init__(self, leave_out: Sequence[str]) -> None:
        self._leave_out = leave_out
        self.blocked: dict[Source, BlockedRow] = {}
        self.room = ROOM

    def next(self, connection: Connection, known: PushResponse) -> list[EventRow | RecordRow]:
        """Return the rows of one push."""
        rows: list[EventRow | RecordRow] = []
        room = self.room
        for source, there, last in self.behind(connection, known):
            if room <= 0 or (more := BATCH - len(rows)) <= 0:
                break
            some = self._rows(connection, source, there, min(last, there + more))
            fitting, room = self._rows_that_fit(some, room, first=not rows)
            rows += fitting
        return rows

    def halve_next_push(self, push: Push, size: int, url: str) -> bool:
        """Halve the next push, because a server on the way refused this size; block a single row. Return False if the
        push had no rows.
        """
        rows = push.rows
        if len(rows) > 1:
            self.room = min(self.room, size) // 2
        elif rows:
            why = say("with {size} bytes it is larger than what is taken on the way to {url}", size=size, url=url)
            self.block(rows[0], why)
        return bool(rows)

    def block(self, row: EventRow | RecordRow, why: Text) -> None:
        text = say("entry {number} of the audit trail is not sent: {why}", number=row.number, why=why)
        if isinstance(row, RecordRow):
            text = say("record {seq} of table {table} is not sent: {why}", seq=row.seq, table=row.table, why=why)
        self.blocked[row.source] = BlockedRow(row.number, text)

    def _rows(self, connection: Connection, source: Source, after: int, last: int) -> Iterator[EventRow | RecordRow]:
        event, record = operator_events.c, records.c
        if source == TRAIL:
            query = select(operator_events).where(event.number > after, event.number <= last).order_by(event.number)
            for row in connection.execute(query):
                entry = EventRow(row.number, row.at, row.person, row.kind, json.loads(row.body), row.previous, row.hash)
                yield reduced_entry(entry, self._leave_out)
        else:
            here = record.table_no == source[0], record.epoch == source[1], record.seq > after, record.seq <= last
            for row in connection.execute(select(records).where(*here).order_by(record.seq)):
                body = json.loads(row.body)
                yield reduced_record(
                    RecordRow(row.table_no, row.epoch, row.seq, row.type, body, row.arrival), self._leave_out
                )

    def _rows_that_fit(
        self, rows: Iterable[EventRow | RecordRow], room: int, *, first: bool
    ) -> tuple[list[EventRow | RecordRow], int]:
        """Return as many rows as fit, at least one if it is the ``first`` of its push; and the bytes that are left."""
        found: list[EventRow | RecordRow] = []
        for row in rows:
            try:
                size = len(msgspec.msgpack.encode(row))
            except (ValueError, OverflowError, RecursionError) as error:
                self.block(row, say("it cannot be written ({error})", error=error))
                break
            if size > room and (found or not first):
                return found, 0
            found.append(row)
            room -= size
        return found, room

    def behind(self, connection: Connection, known: PushResponse) -> list[tuple[Source, int, int]]:
        """Return where the federation lacks rows: the last number it has, and the last that can be sent now."""
        found = []
        for source, there, last in _lasts(connection, known):
            if source == TRAIL and known.other is not None:
                continue
            if (blocked := self.blocked.get(source)) is not None:
                last = min(last, blocked.number - 1)
            if last > there:
                found.append((source, there, last))
        return found


def _lasts(connection: Connection, known: PushResponse) -> list[tuple[Source, int, int]]:
    """Return for the audit trail, and for each table and epoch, the last number that the federation has and the last in
    the store.
    """
    there = {(table, epoch): seq for table, epoch, seq in known.records}
    column = records.c
    seqs = select(column.table_no, column.epoch, func.max(column.seq)).group_by(column.table_no, column.epoch)
    last: int = connection.execute(select(func.max(operator_events.c.number))).scalar() or 0
    ours = [((table, epoch), seq) for table, epoch, seq in connection.execute(seqs)]
    return [(TRAIL, known.events, last), *((source, there.get(source, 0), seq) for source, seq in ours)]


def waiting_rows(connection: Connection, known: PushResponse) -> int:
    """Return how many rows the federation lacks."""
    return sum(max(0, last - there) for _, there, last in _lasts(connection, known))


def trail_head(connection: Connection, known: PushResponse | None) -> TrailHead | None:
    """Return the position of the store's own trail; None: the store is empty."""
    column = operator_events.c
    last: int = connection.execute(select(func.max(column.number))).scalar() or 0
    if not last:
        return None
    number = min(last, known.events or last) if known else last
    hash: str = connection.execute(select(column.hash).where(column.number == number)).scalar_one()
    return TrailHead(last, number, hash)
