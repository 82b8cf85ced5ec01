"""What a spare tells the arbiter: from where its game was restored, until he has let it go on.

The law: the file goes when the game has gone on and that is on the disk; a thread of its own waits for it, so neither
the loop nor the journal does.
"""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec

from engine.match.model import Phase
from kiosk.link.messages import TroubleInfo
from kiosk.shapes import learned
from kiosk.table.loop.inbox import Inbox
from kiosk.table.loop.program import TableProgram
from kiosk.table.machine.identity import NOTICE_FILE

LOOK_S = 1.0


def notice(data: Path) -> TroubleInfo | None:
    """What a spare has to tell, until ``forget_notice``."""
    try:
        return msgspec.json.decode((data / NOTICE_FILE).read_bytes(), type=learned(TroubleInfo))
    except (OSError, ValueError):
        return None


def forget_notice(data: Path) -> None:
    (data / NOTICE_FILE).unlink(missing_ok=True)


class SpareNotice:
    """Tells ``told`` from ``start`` on."""

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
