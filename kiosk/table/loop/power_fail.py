"""Power-fail handling: the clock is stopped, and everything is on disk before the hold-up supply is empty.

- A signal shorter than ``GLITCH_NS`` is noise. The clock is stopped at the time of the signal's edge.
- The journal writes whatever is appended at once, so the stop needs no extra flush.
- Play resumes only on a person's command, even if the power came back at once.
"""

from __future__ import annotations

import logging

from engine.i18n import say
from engine.match.match_events import Action, ArbiterOrder
from hardware.power_monitoring import PowerEdge
from kiosk.link.link_messages import TroubleInfo
from kiosk.table.game.journaled_table import JournaledTable
from kiosk.table.game.table_game import TableGame
from kiosk.table.loop.input_queue import ON_ITS_WAY_NS

log = logging.getLogger(__name__)

#: hold-up supplies last for seconds; a discharge on the line is over after microseconds
GLITCH_NS = 5_000_000
SOURCE = "power"
FAILING = TroubleInfo(
    "power-failing",
    say("The power is off. The clock was stopped and the game saved. Check the power supply."),
)


class PowerFailHandler:
    """Handler of the power-fail signal. ``offset_ns`` converts the time of an edge to the table's time."""

    def __init__(self, table: JournaledTable, game: TableGame, offset_ns: int) -> None:
        self._table, self._game, self._offset_ns = table, game, offset_ns
        self._failed_ns: int | None = None  # time of a failure not acted on yet

    def edge(self, edge: PowerEdge) -> None:
        at_ns = edge.at_ns + self._offset_ns
        if edge.failing:
            self._failed_ns = at_ns if self._failed_ns is None else self._failed_ns
            return
        if self._failed_ns is not None and at_ns >= self._failed_ns + GLITCH_NS:
            self._stop(self._failed_ns)
        self._failed_ns = None
        self._table.note_troubles(SOURCE, ())

    def next_deadline_ns(self) -> int | None:
        return None if self._failed_ns is None else self._failed_ns + GLITCH_NS + ON_ITS_WAY_NS

    def advance_time(self, now_ns: int) -> None:
        failed_ns = self._failed_ns
        if failed_ns is not None and now_ns >= failed_ns + GLITCH_NS + ON_ITS_WAY_NS:
            self._failed_ns = None
            self._stop(failed_ns)
            self._table.note_troubles(SOURCE, (FAILING,))
            self._table.journal.tick(now_ns)

    def _stop(self, failed_ns: int) -> None:
        log.warning("the power fails: the clock stands")
        match = self._game.match
        if match is not None and match.clock.running is not None:
            self._game.notify(ArbiterOrder(max(failed_ns, match.clock.since_ns), Action.HOLD, "the power failed"))
