"""ChouChou at the table: pieces captured instead of discs (RULES.md 3.7, 9.5).

The law: the first player to reach the target has won, at once and whoever moved first (CC-WIN-1). Nobody here knows the
board; the score board is what the players enter, for Black as the first player.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.match import messages
from engine.match.change import Step, conclude, recorded, tell
from engine.match.events import Discs
from engine.match.model import End, IllegalEvent, Phase, Result
from engine.match.rulesets import Score
from engine.match.state import MatchState
from engine.text import say
from engine.values import replace


def enter(state: MatchState, event: Discs) -> Step:
    """The score board shows so many captured pieces. In play, reaching the target ends the game (CC-WIN-1); after a
    loss on time the count completes the score sheet (AMB-27)."""
    if state.rules.score is not Score.CAPTURES:
        raise IllegalEvent(say("the discs are counted after the end of the game"))
    count = (event.black, event.white)
    if min(count) < 0 or max(count) > 999:
        raise IllegalEvent(say("{black}-{white} is no count of captured pieces", black=event.black, white=event.white))
    target = state.options.target
    if state.phase is Phase.RESULT:
        return _completed(state, count, event.at_ns)
    if min(count) >= target:
        raise IllegalEvent(say("only one player can be the first to capture {target} (CC-WIN-1)", target=target))
    state = replace(state, count=count, confirmed=() if count != state.count else state.confirmed)
    if max(count) >= target and state.phase is Phase.TURN:
        return conclude(state, card_result(state), event.at_ns), ()
    return state, ()


def _completed(state: MatchState, count: tuple[int, int], at_ns: int) -> Step:
    if state.result is None or state.result.end is not End.TIME:
        raise IllegalEvent(say("the result is known already"))
    if max(count) >= state.options.target:
        raise IllegalEvent(say("nobody had captured {target} when the time ran out", target=state.options.target))
    result, state = state.result, replace(state, count=count, confirmed=())
    result = recorded(state, result)
    return tell(replace(state, result=result), messages.result(result, at_ns)), ()


def card_result(state: MatchState) -> Result:
    """Who has reached the target.

    :raises IllegalEvent: nobody has, or nothing was entered.
    """
    target = state.options.target
    if state.count is None or max(state.count) < target:
        raise IllegalEvent(
            say("nobody has captured {target} pieces yet; enter the captured pieces (CC-WIN-1)", target=target)
        )
    winner = Color.BLACK if state.count[0] >= target else Color.WHITE
    return recorded(state, Result(winner, *state.count, End.NORMAL, rated=True))


def plus_minus(state: MatchState) -> tuple[int, int] | None:
    """The score sheet's line, Black and White: captured less the target, a surplus for the winner, a shortage for the
    loser (CC-SCO-1); after a loss on time for both (AMB-27). None as long as nothing was entered."""
    if state.count is None:
        return None
    return state.count[0] - state.options.target, state.count[1] - state.options.target
