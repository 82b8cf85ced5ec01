"""Notice of a spare to the arbiter: from where its game was restored, until the game resumes.

The file is removed when the game has resumed and that is on disk. A separate thread waits for it, so that neither the
loop nor the journal does.
"""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec

from engine.match.model import Phase
from kiosk.link.link_messages import TroubleInfo
from kiosk.msgspec_thread_preparation import warm_up
from kiosk.table.device.table_identity import NOTICE_FILE
from kiosk.table.loop.input_queue import Inbox
from kiosk.table.loop.main_loop import TableProgram

LOOK_S = 1.0


def read_notice(data: Path) -> TroubleInfo | None:
    """Return a spare's notice, until ``forget_notice``; None if there is none."""
    try:
        return msgspec.json.decode((data / NOTICE_FILE).read_bytes(), type=warm_up(TroubleInfo))
    except (OSError, ValueError):
        return None


def forget_notice(data: Path) -> None:
    (data / NOTICE_FILE).unlink(missing_ok=True)


class SpareNotice:
    """The notice, reported to ``told`` after ``start``."""

    def __init__(self, data: Path, told: TroubleInfo, program: TableProgram, inbox: Inbox) -> None:
        self._data, self._told, self._program = data, told, program
        self._tell = inbox.troubles_of("spare")
        self._closed = False
        self._thread = threading.Thread(target=self._wait, name="spare", daemon=True)

    def start(self) -> None:
        self._tell((self._told,))
        self._thread.start()

    def close(self) -> None:
        self._closed = True

    def _wait(self) -> None:
        seen = self._program.version
        while not self._closed:
            now = self._program.wait_for_change(seen, LOOK_S)
            state = self._program.state
            held = state.match is not None and state.match.phase is Phase.HOLD
            if now != seen and state.saved and not held:
                forget_notice(self._data)
                self._tell(())
                return
            seen = now
