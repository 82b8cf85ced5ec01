"""What the table does when the power's signal says that it is going: it stops the clock, and everything is on the disk
before the hold-up supply is empty.

The law: the clock is stopped at the time of the signal's edge. The journal writes at once whatever is appended, so the
stop itself is what flushes it; play goes on only when somebody says so, even if the power came back at once.
"""

from __future__ import annotations

import logging

from engine.match.events import Action, Arbiter
from hardware.power import PowerEdge
from kiosk.link.messages import TroubleInfo
from kiosk.table.game import Game
from kiosk.table.kept import Kept

log = logging.getLogger(__name__)

SOURCE = "power"
FAILING = TroubleInfo(
    "power-failing",
    "電源が切れました。時計を止め、対局を保存しました。電源を確かめてください。",
    "The power is off. The clock was stopped and the game saved. Check the power supply.",
)


def power_edge(kept: Kept, game: Game, edge: PowerEdge, offset_ns: int) -> None:
    """``offset_ns`` brings the edge's time to the table's."""
    if not edge.failing:
        kept.note_troubles(SOURCE, ())
        log.info("the power is back")
        return
    match = game.match
    if match is not None and match.clock.running is not None:
        at_ns = max(edge.at_ns + offset_ns, match.clock.since_ns)
        game.tell(Arbiter(at_ns, Action.HOLD, "the power failed"))
    kept.note_troubles(SOURCE, (FAILING,))
    kept.journal.tick(kept.time.now_ns())
    log.warning("the power fails: the clock stands")
