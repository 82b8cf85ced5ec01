"""Call of the arbiter to the table."""

from __future__ import annotations

from engine.match.match_events import Action, ArbiterOrder, Event, Hold
from engine.match.model import Phase
from kiosk.link.link_messages import CALLED_AT_TABLE
from kiosk.table.state import TableState

#: phases whose clock a player may stop to call the arbiter; in the others it is stopped by an arbiter's order
PLAYERS_MAY_HOLD = frozenset({Phase.TURN, Phase.CORR, Phase.CHECK, Phase.FINISH, Phase.FREE})


def call_arbiter(state: TableState, at_ns: int) -> tuple[Event, ...]:
    """Return the events of the arbiter button, or of both players' buttons: stop the clock for the side whose turn it
    is (M43-11). A late player's time runs on.
    """
    match = state.match
    if match is None or match.clock.running is None or match.phase is Phase.LATE:
        return ()
    if match.phase in PLAYERS_MAY_HOLD:
        return (Hold(at_ns, match.clock.running),)
    return (ArbiterOrder(at_ns, Action.HOLD, CALLED_AT_TABLE),)
