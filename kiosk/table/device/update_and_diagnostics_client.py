"""Maintenance client of a table: installs updates from the head, and sends it logs and diagnostics.

- It is a separate thread that nothing waits for. It polls; the head only answers.
- An update is downloaded, checked and installed while no game is on this table, and never while the head reports a
  running event.
- This program has no root rights: the download is passed to root's helper, which checks it again
  (``kiosk.update.update_installer``).
"""

from __future__ import annotations

import contextlib
import http.client
import logging
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from engine.i18n import Text, say
from engine.match.match_value_types import Phase
from kiosk.errors import InputError
from kiosk.link.errors import RemoteProtocolError
from kiosk.stoppable_thread import StoppableThread
from kiosk.table.state import TableState
from kiosk.update import INSTALLED_KEY
from kiosk.update import archive_and_install_requests as install_requests
from kiosk.update import table_update_and_diagnostics_messages as messages

log = logging.getLogger(__name__)

KEPT = "kept.json"
#: polling interval where the head sets no other, and while root's helper works
ASK_S, WORK_S = 20.0, 1.0
#: the head may delay its answer until it is this table's turn
HTTP_S = 45.0
#: if root's helper does not answer within this time, the update fails; a build on the slowest Pi takes minutes
HELPER_TIMEOUT_S = 2400.0
#: free space to keep on the table's card for games
SPARE_BYTES = 300_000_000
DOCTOR_S, LOG_LINES = 60.0, 400

Ask = Callable[[bytes], bytes]


class UpdateState(msgspec.Struct, frozen=True):
    """State kept over a restart: the offered update and its progress."""

    offer: messages.UpdateOffer | None = None
    stage: messages.UpdateStage = messages.UpdateStage.NONE
    why: Text | None = None


def http_connection(url: str, timeout_s: float) -> http.client.HTTPConnection:
    """Return a connection to the head at the link's address, not opened yet.

    :raises ValueError: the address has no valid port.
    """
    parts = urlsplit(url)
    secure = parts.scheme == "wss"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port or (443 if secure else 80), timeout=timeout_s)


class HttpRequester:
    """HTTP requests to the head at the link's address."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __call__(self, frame: bytes) -> bytes:
        """Send a frame and return the answer.

        :raises OSError: no answer.
        """
        connection = http_connection(self._url, HTTP_S)
        try:
            connection.request("POST", messages.PATH, frame, {"Content-Type": "application/octet-stream"})
            answer = connection.getresponse()
            if answer.status != 200:
                raise OSError(f"the head answers {answer.status}")
            return answer.read(messages.PIECE * 2)
        except http.client.HTTPException as error:
            raise OSError(f"the head answers nothing that can be read ({error})") from error
        finally:
            connection.close()


def is_idle(state: TableState) -> bool:
    """Return whether no game is on this table or about to start."""
    empty = state.assignment is None and state.match is None
    over = state.match is not None and state.match.phase is Phase.SUBMITTED
    return (empty or over) and state.arbiter is None


@dataclass(frozen=True, slots=True)
class MaintenanceSettings:
    """What a maintenance client uses of its machine. ``maker``: the file with the public key for checking updates;
    ``roots``: root's folder; ``look``: creates the text of a report.
    """

    maker: Path = INSTALLED_KEY
    roots: Path = install_requests.ROOTS
    look: Callable[[messages.What], str] = lambda what: ""
    version: Callable[[], str] = install_requests.running_version
    free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free
    monotonic_s: Callable[[], float] = time.monotonic


class MaintenanceClient(StoppableThread):
    """Maintenance client. ``step`` is one request and the handling of its answer; the thread does nothing else.

    ``linked``: whether the link to the head is up.
    """

    def __init__(
        self,
        table: int,
        key: bytes,
        data: Path,
        ask: Ask,
        state: Callable[[], TableState],
        linked: Callable[[], bool],
        machine: MaintenanceSettings,
    ) -> None:
        super().__init__("maintenance", 2)
        self._table, self._key, self._ask = table, key, ask
        self._state, self._linked = state, linked
        self._folder, self._machine, self._version = data / install_requests.FOLDER, machine, machine.version()
        self._kept = install_requests.read(self._folder, KEPT, UpdateState) or UpdateState()
        self._ticket = b""
        self._report: messages.InquiryReport | None = None
        self._reported = ""
        self._may_proceed = False
        self._helper_since_s: float | None = None

    @property
    def kept(self) -> UpdateState:
        return self._kept

    def _run(self) -> None:
        wait_s = random.uniform(1, 3)  # random, so that tables switched on together do not ask together
        while not self._stopping.wait(wait_s):
            try:
                wait_s = self.step()
            except (OSError, RemoteProtocolError) as error:
                log.info("the head's service is out of reach: %s", error)
                wait_s = ASK_S * random.uniform(0.7, 1.3)

    # --- one question ----------------------------------------------------------------------------------------------

    def step(self) -> float:
        """Send one request and handle the answer. Return the seconds until the next.

        :raises OSError: the head cannot be reached.
        :raises RemoteProtocolError: it is not this table's head.
        """
        self._read_install_result()
        question = messages.SignedRequest(self._table, self._key, self._ticket, self._table_report())
        answer = question.verify_reply(self._ask(question.frame))
        self._ticket, self._may_proceed = answer.ticket, answer.goes
        if not answer.counted:
            return 0.0
        if self._report is not None:
            self._reported, self._report = self._report.id, None
        self._accept_offer(answer.offer)
        self._store_piece(answer)
        if answer.inquiry is not None and answer.inquiry.id != self._reported:
            self._report = self._make_report(answer.inquiry)
            return 0.0
        if self._kept.stage in (messages.UpdateStage.STAGING, messages.UpdateStage.SWITCHING):
            return WORK_S
        return 0.0 if answer.piece else answer.again_s

    def _table_report(self) -> messages.TableReport:
        kept, resting = self._kept, is_idle(self._state())
        done, want = 0, None
        if kept.offer is not None and kept.stage is messages.UpdateStage.FETCHING:
            done = self._bytes_stored()
            if resting and self._may_proceed and done < kept.offer.size:
                want = messages.ChunkRequest(kept.offer.sha256, done)
        offer = "" if kept.offer is None else kept.offer.id
        return messages.TableReport(
            self._version, kept.stage, offer, done, kept.why, resting, self._machine.maker.exists(), want, self._report
        )

    # --- the offer -------------------------------------------------------------------------------------------------

    def _accept_offer(self, offer: messages.UpdateOffer | None) -> None:
        state = self._kept
        if offer is None or (state.offer is not None and offer.id == state.offer.id):
            if offer is None and state.stage in (messages.UpdateStage.FETCHING, messages.UpdateStage.STAGED):
                self._remove_archive()
                self._save_state(UpdateState())  # the head withdrew it
            return
        if state.stage in (messages.UpdateStage.STAGING, messages.UpdateStage.SWITCHING):
            return  # root's helper is working on it
        if state.offer is None or state.offer.sha256 != offer.sha256:
            self._remove_archive()
        self._save_state(UpdateState(offer, messages.UpdateStage.FETCHING))
        try:
            if not self._machine.maker.exists():
                raise InputError(say("this table has no update key; update it by hand (docs/setup/install.md)"))
            install_requests.check_newer(offer.version, self._version)
            needed = offer.size - self._bytes_stored() + SPARE_BYTES
            if offer.size > install_requests.MAX_BYTES or self._machine.free(self._folder) < needed:
                raise InputError(say("there is not enough room on the card: {n} MB are needed", n=needed // 10**6))
        except InputError as error:
            self._fail(error.text)

    def _store_piece(self, answer: messages.HeadReply) -> None:
        """Store the next piece of the archive; after the last, start its installation."""
        state = self._kept
        if state.offer is None:
            return
        if state.stage is messages.UpdateStage.FETCHING:
            here = self._bytes_stored()
            try:
                if answer.piece and here < state.offer.size:
                    self._write(answer.piece[: state.offer.size - here], here)
                if self._bytes_stored() >= state.offer.size and answer.goes and is_idle(self._state()):
                    self._check_archive(state.offer)
            except (OSError, InputError) as error:
                self._remove_archive()
                self._fail(install_requests.error_reason(error))
        if self._kept.stage is messages.UpdateStage.STAGED and answer.goes and is_idle(self._state()):
            self._request_helper(state.offer, "switch")

    def _check_archive(self, offer: messages.UpdateOffer) -> None:
        with install_requests.open_regular_file(self._folder, install_requests.ARCHIVE) as file:
            os.fsync(file.fileno())
            if install_requests.hash_of(file) != offer.sha256:
                raise InputError(say("the archive is not the one that was offered"))
            file.seek(0)
            if install_requests.check(file, install_requests.maker_key(self._machine.maker)).version != offer.version:
                raise InputError(say("the archive is not the one that was offered"))
        self._request_helper(offer, "stage")

    def _request_helper(self, offer: messages.UpdateOffer, do: Literal["stage", "switch"]) -> None:
        request = install_requests.Request(offer.id, do, offer.sha256)
        install_requests.write(self._folder, install_requests.REQUEST, request)
        self._helper_since_s = self._machine.monotonic_s()
        stage = messages.UpdateStage.STAGING if do == "stage" else messages.UpdateStage.SWITCHING
        self._save_state(UpdateState(offer, stage))

    # --- root's helper ---------------------------------------------------------------------------------------------

    def _read_install_result(self) -> None:
        state = self._kept
        if state.offer is None or state.stage not in (messages.UpdateStage.STAGING, messages.UpdateStage.SWITCHING):
            return
        switching = state.stage is messages.UpdateStage.SWITCHING
        result = install_requests.read(self._machine.roots, install_requests.RESULT, install_requests.InstallResult)
        if result is None or result.id != state.offer.id or (switching and result.stage == "staged"):
            if self._helper_since_s is None:  # the machine was restarted: root's helper is asked again
                self._request_helper(state.offer, "switch" if switching else "stage")
            elif self._machine.monotonic_s() - self._helper_since_s > HELPER_TIMEOUT_S:
                self._fail(say("nobody installs updates on this table; look at the service othello-update there"))
            return
        match result.stage:
            case "staged" if state.stage is messages.UpdateStage.STAGING:
                self._remove_archive()
                self._save_state(UpdateState(state.offer, messages.UpdateStage.STAGED))
            case "trial" if result.version == self._version and self._linked():
                # A working link proves that journal and loop work, and that the head knows this version's protocol.
                install_requests.write(
                    self._folder, install_requests.WELL, install_requests.TrialConfirmed(result.nonce)
                )
            case "in-use":
                self._save_state(UpdateState(state.offer, messages.UpdateStage.DONE))
            case "returned" | "failed":
                self._remove_archive()
                self._fail(result.why or say("it cannot be installed"))
            case _:
                pass

    # --- small things ----------------------------------------------------------------------------------------------

    def _save_state(self, state: UpdateState) -> None:
        self._kept = state
        with contextlib.suppress(OSError):  # a full disk: what is not remembered is downloaded again
            install_requests.write(self._folder, KEPT, state)

    def _fail(self, why: Text) -> None:
        log.warning("the update failed: %s", why)
        self._save_state(UpdateState(self._kept.offer, messages.UpdateStage.FAILED, why))

    def _bytes_stored(self) -> int:
        try:
            return (self._folder / install_requests.ARCHIVE).stat().st_size
        except OSError:
            return 0

    def _write(self, piece: bytes, at: int) -> None:
        with (self._folder / install_requests.ARCHIVE).open("r+b" if at else "wb") as file:
            file.seek(at)
            file.write(piece)

    def _remove_archive(self) -> None:
        with contextlib.suppress(OSError):
            (self._folder / install_requests.ARCHIVE).unlink(missing_ok=True)

    def _make_report(self, inquiry: messages.Inquiry) -> messages.InquiryReport:
        try:
            text = self._machine.look(inquiry.what)
        except (OSError, subprocess.SubprocessError) as error:
            text = str(error)
        text = text.encode("utf-8", "replace")[-messages.REPORT :].decode("utf-8", "ignore")
        return messages.InquiryReport(inquiry.id, inquiry.what, text)


class DiagnosticsReader:
    """Log and diagnostics of this machine, as far as this program's user may read them."""

    def __init__(self, config: Path) -> None:
        self._config = config

    def __call__(self, what: messages.What) -> str:
        """Return the text of a report.

        :raises OSError: there is no such program here.
        :raises subprocess.SubprocessError: it did not end.
        """
        if what == "log":
            command = ["journalctl", "-u", "othello-*", "-n", str(LOG_LINES), "--no-pager", "-o", "short-iso"]
        else:
            command = [sys.executable, "-m", "kiosk", "doctor", "--json", "--config", str(self._config)]
        ended = subprocess.run(
            ["nice", *command],  # there is a clock to run
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if what == "log" else subprocess.DEVNULL,
            timeout=DOCTOR_S,
            check=False,
        )
        return ended.stdout.decode("utf-8", "replace")
