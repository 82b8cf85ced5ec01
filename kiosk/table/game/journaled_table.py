"""State of the table with its journal: it is replaced, journaled and published here.

- Every event is in the journal before it is in the state, and "saved" on the screen means that the journal has it on
  disk (promise 2). The table's own state (a menu, a countdown) is not journaled.
- Only the main loop changes the state; other threads read it, or wait for the next one.
"""

from __future__ import annotations

import threading
from typing import Any

from engine.board.variants import STANDARD
from engine.copy_with_changes import replace
from engine.i18n import say
from hardware.reading_stability_filter import SquareFault
from hardware.timebase import TimeBase
from kiosk.link.link_messages import TroubleInfo, to_dict
from kiosk.table.journal import Journal
from kiosk.table.state import TableState, TableTrouble


class JournaledTable:
    """The state holder. ``state`` is the latest value; ``wait_for_change`` lets another thread follow it without
    polling.
    """

    def __init__(self, state: TableState, journal: Journal, time_base: TimeBase) -> None:
        self.state = state
        self.journal = journal
        self.time = time_base
        self.version = 0
        self._last_seq = 0
        self._changed = threading.Condition()

    def change(self, **fields: Any) -> None:
        self.state = replace(self.state, **fields)

    def write(self, kind: str, body: dict[str, object], at_ns: int | None = None) -> int:
        """Queue a record for the disk and the head; never waits for either."""
        seq = self.journal.append(kind, body, self.time.now_ns() if at_ns is None else at_ns)
        self._last_seq = seq
        self.change(saved=False, unsynced=self.state.unsynced + 1)
        return seq

    # --- marks -----------------------------------------------------------------------------------------------------

    def note_saved(self, seq: int) -> None:
        if seq >= self._last_seq and not self.state.saved:
            self.change(saved=True)

    def note_acknowledged(self, seq: int) -> None:
        unsynced = max(0, self.journal.appended - seq)
        if unsynced != self.state.unsynced:  # each ping of a table without new records is answered with the same number
            self.change(unsynced=unsynced)

    def note_troubles(self, source: str, troubles: tuple[TroubleInfo, ...]) -> None:
        """Set all present alarms of one source. A new one is recorded, so that the head receives it."""
        others = tuple(trouble for trouble in self.state.troubles if trouble.source != source)
        mine = tuple(TableTrouble(trouble.kind, trouble.text, source) for trouble in troubles)
        if others + mine == self.state.troubles:
            return
        for trouble in mine:
            if trouble not in self.state.troubles:
                self.write("trouble", to_dict(TroubleInfo(trouble.kind, trouble.text)))
        self.change(troubles=others + mine)

    def note_squares(self, trouble: SquareFault) -> None:
        bad = sorted({*trouble.flickering, *trouble.dead})
        names = " ".join(STANDARD.geometry.square_names[square] for square in bad)
        alarm = TroubleInfo("board-squares", say("Squares {names} of the board cannot be read.", names=names))
        self.note_troubles("board-squares", (alarm,) if bad else ())

    # --- watching --------------------------------------------------------------------------------------------------

    def publish(self) -> None:
        with self._changed:
            self.version += 1
            self._changed.notify_all()

    def wait_for_change(self, seen: int, timeout_s: float | None) -> int:
        """Wait until the state has changed since version ``seen``, or the timeout; return the present version."""
        with self._changed:
            self._changed.wait_for(lambda: self.version != seen, timeout_s)
            return self.version
