"""From an ``assigned`` record to the game it begins; the table plays it, the head follows it by the same rules."""

from __future__ import annotations

from engine.match import MatchState, new_match
from engine.match.model import NS_PER_S, Setup, Stage
from kiosk.link.messages import Assigned


def begin(assigned: Assigned, at_ns: int = 0) -> MatchState:
    """The game before its start, with its seats still open.

    :raises engine.match.MatchError: the rule set, an option or the time is not usable.
    """
    game = assigned.assignment
    setup = Setup(
        rules=game.rules,
        stage=Stage(game.stage),
        main_ns=game.main_s * NS_PER_S,
        has_board_source=assigned.has_board_source,
        options=game.options,
    )
    return new_match(setup, at_ns)
