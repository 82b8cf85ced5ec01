"""Score board of ChouChou: captured pieces instead of discs (RULES.md 3.7, 9.5, 9.7), counted by ``engine.chouchou``.

- The first player to reach the target wins at once, whoever moved first (CC-WIN-1). In pairs this is one player's
  count, not the pair's sum (CC-WIN-4).
- The board is not read; the score is what the players enter, with Black as the first player.
- A player who moves pieces in consecutive turns gives pieces to every opponent (CC-SUP-1). The movement is void and the
  player still has to place a piece (AMB-35).
"""

from __future__ import annotations

from engine.chouchou import turn_penalty_and_target
from engine.copy_with_changes import replace
from engine.end_reason import EndReason
from engine.i18n import say
from engine.match import chouchou_multiplayer, screen_messages
from engine.match.basic_state_changes import Step, enter_phase, notify_players, result_on_card
from engine.match.match_events import CapturePenalty, DiscCount
from engine.match.match_state import MatchState
from engine.match.model import GameResult, IllegalEvent, Phase
from engine.match.rulesets import ScoreRule


def enter_pieces(state: MatchState, event: DiscCount) -> Step:
    """Enter the number of captured pieces. In play, reaching the target ends the game (CC-WIN-1); after a loss on time
    the count completes the score sheet (AMB-27).
    """
    if state.rules.score is not ScoreRule.CAPTURES:
        raise IllegalEvent(say("the discs are counted after the end of the game"))
    pieces = event.each or (event.black, event.white)
    if len(pieces) != state.options.players:
        raise IllegalEvent(say("this game has {n} players: say what each has captured", n=state.options.players))
    if min(pieces) < 0 or max(pieces) > 999:
        raise IllegalEvent(say("{pieces} is no count of captured pieces", pieces="-".join(map(str, pieces))))
    target = state.options.target
    if state.phase is Phase.RESULT:
        return _completed(state, pieces, event.at_ns)
    if sum(one >= target for one in pieces) > 1:
        raise IllegalEvent(say("only one player can be the first to capture {target} (CC-WIN-1)", target=target))
    state = chouchou_multiplayer.counted(state, pieces)
    if max(pieces) >= target and state.phase is Phase.TURN:
        return chouchou_multiplayer.end_by_target(state, pieces.index(max(pieces)), event.at_ns)
    return state, ()


def _completed(state: MatchState, pieces: tuple[int, ...], at_ns: int) -> Step:
    if state.result is None or state.result.end is not EndReason.TIME:
        raise IllegalEvent(say("the result is known already"))
    if max(pieces) >= state.options.target:
        raise IllegalEvent(say("nobody had captured {target} when the time ran out", target=state.options.target))
    result, state = state.result, replace(chouchou_multiplayer.counted(state, pieces), confirmed=())
    result = result_on_card(state, result)
    return notify_players(replace(state, result=result), screen_messages.result(result, at_ns)), ()


def penalty(state: MatchState, event: CapturePenalty) -> Step:
    """CC-SUP-1: give pieces to every opponent of the player in turn. They can win by them; of several, the first in
    turn order wins (AMB-35). A clock that was stopped for it runs again.
    """
    if state.rules.score is not ScoreRule.CAPTURES or state.active_phase is not Phase.TURN:
        raise IllegalEvent(say("a penalty for moving pieces in consecutive turns is ChouChou's, in play (CC-SUP-1)"))
    if event.by is not state.side:
        raise IllegalEvent(say("it is not {side}'s turn: no movement to take back", side=event.by.label))
    offender, options, scores = (
        chouchou_multiplayer.player_at(state, event.by),
        state.options,
        chouchou_multiplayer.captured_by(state),
    )
    order = turn_penalty_and_target.turn_order(
        offender, options.players, () if state.company is None else state.company.out
    )
    pieces = turn_penalty_and_target.with_penalty(scores, order, pairs=options.pairs, divided=not options.penalty_each)
    each = max(new - old for new, old in zip(pieces, scores, strict=True))
    state = notify_players(
        chouchou_multiplayer.counted(state, pieces), screen_messages.penalty(offender + 1, each, event.at_ns)
    )
    opponents = [player for player in order if pieces[player] > scores[player]]
    if (winner := turn_penalty_and_target.first_to_reach(pieces, options.target, opponents)) is not None:
        return chouchou_multiplayer.end_by_target(state, winner, event.at_ns)
    return (state if state.phase is Phase.TURN else enter_phase(state, Phase.TURN, state.side, event.at_ns)), ()


def card_result(state: MatchState) -> GameResult:
    """Return the result for the player who reached the target.

    :raises IllegalEvent: nobody has reached it, or nothing was entered.
    """
    pieces, target = chouchou_multiplayer.captured_by(state), state.options.target
    if max(pieces) < target:
        raise IllegalEvent(
            say("nobody has captured {target} pieces yet; enter the captured pieces (CC-WIN-1)", target=target)
        )
    winner = chouchou_multiplayer.color_of(pieces.index(max(pieces)))
    return result_on_card(state, GameResult(winner, None, None, EndReason.NORMAL, rated=True))
