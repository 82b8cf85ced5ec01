"""ChouChou with two pairs, three players or four players (RULES.md 9.1, 9.5 to 9.7), and its score board.

- Players are numbered from 0 in turn order, clockwise round the board (CC-SEAT-2, CC-SEAT-3). Even numbers press
  Black's button, odd numbers White's.
- A pair is a side and has one clock (CC-SUP-2b).
- Three or four individuals have a clock each `[U]`. A side's clock is that of its player in turn, or of its next
  player. A player who exceeds the time is out, and the others play on.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.chouchou.game_options_state_and_events import first_to_reach, turn_order, with_penalty
from engine.copy_with_changes import replace
from engine.end_reason import EndReason
from engine.i18n import say
from engine.match import screen_messages
from engine.match.match_events_and_effects import CapturePenalty, DiscCount
from engine.match.match_state import MatchState, MultiplayerState, Step
from engine.match.match_value_types import GameResult, IllegalEvent, Phase, Seat
from engine.match.rule_sets_and_options import ScoreRule


def with_players(state: MatchState) -> MatchState:
    """Return a game before its start, with as many players as its options say."""
    options = state.options
    if options.players == 2:
        return state
    clocks = () if options.pairs else (state.clock.left,) * options.players
    return replace(state, company=MultiplayerState((0,) * options.players, clocks))


def color_of(player: int) -> Color:
    return Color.WHITE if player % 2 else Color.BLACK


def player_at(state: MatchState, color: Color) -> int:
    """Return the player whose clock and score a side shows: the one in turn, or the next one."""
    company = state.company
    if company is None:
        return 0 if color is Color.BLACK else 1
    if color_of(company.turn) is color:
        return company.turn
    following = (player for player in company.order if color_of(player) is color)
    return next(following, 0 if color is Color.BLACK else 1)


def next_turn(state: MatchState, company: MultiplayerState, at_ns: int) -> MatchState:
    """Complete the turn and give it to the next player still in the game."""
    following = company.order[0]
    state = _set_player_in_turn(replace(state, company=company, clock=state.clock.run(None, at_ns)), following)
    return state.enter_phase(Phase.TURN, color_of(following), at_ns)


def give_turn_to_side(state: MatchState, color: Color) -> MatchState:
    """Give the turn to the next player of a side, on the arbiter's order. Whether the clock runs does not change."""
    company = state.company
    if company is None or color_of(company.turn) is color:
        return state
    following = next((player for player in company.order if color_of(player) is color), None)
    if following is None:
        raise IllegalEvent(say("{side} has nobody left in the game", side=color.label))
    return _set_player_in_turn(state, following)


def _set_player_in_turn(state: MatchState, player: int) -> MatchState:
    """Give that player the turn. With individuals, each side then shows its own player's clock."""
    company, clock = state.company, replace(state.clock, turn=None)
    assert company is not None
    if company.clocks:
        clocks = list(company.clocks)
        for color in Color:
            clocks[player_at(state, color)] = clock.side(_seat(state, color))
        company = replace(company, clocks=tuple(clocks))
    state = replace(state, company=replace(company, turn=player))
    if company.clocks:
        for color in Color:
            clock = clock.with_side(_seat(state, color), company.clocks[player_at(state, color)])
    return replace(state, clock=clock)


def remaining(state: MatchState, player: int, at_ns: int) -> int:
    """Return the time of a player, or of the player's pair, in nanoseconds."""
    company, color = state.company, color_of(player)
    if company is None or not company.clocks or player_at(state, color) == player:
        return state.remaining_ns(color, at_ns)
    return company.clocks[player].left_ns


def time_over(state: MatchState, company: MultiplayerState, at_ns: int) -> MatchState:
    """CC-WIN-5: remove the individual in turn, who has exceeded the time; the last one left wins."""
    company = replace(company, out=(*company.out, company.turn))
    left = company.order
    if len(left) > 1:
        out = screen_messages.out(at_ns, n=company.turn + 1)
        return next_turn(state, company, at_ns).notify_players(out)
    won = replace(state, company=replace(company, winner=left[0]))
    return won.finish_game(GameResult(color_of(left[0]), None, None, EndReason.TIME, rated=True), at_ns)


def captured_by_sides(captured: tuple[int, ...]) -> tuple[int, int]:
    """Return the sums captured by the players of each button. For pairs this is what an event compares (CC-RANK-6)."""
    return sum(captured[::2]), sum(captured[1::2])


def counted(state: MatchState, captured: tuple[int, ...]) -> MatchState:
    company, count = state.company, captured_by_sides(captured)
    changed = count != state.count or (company is not None and captured != company.captured)
    company = None if company is None else replace(company, captured=captured)
    return replace(state, company=company, count=count, confirmed=() if changed else state.confirmed)


def captured_by(state: MatchState) -> tuple[int, ...]:
    """Return what every player has captured, in turn order."""
    return (state.count or (0, 0)) if state.company is None else state.company.captured


def end_by_target(state: MatchState, player: int, at_ns: int) -> Step:
    """CC-WIN-1, CC-WIN-4: end the game for a player who reached the target; the player's side wins, with individuals
    the player alone.
    """
    company = state.company
    if company is not None:
        state = replace(state, company=replace(company, winner=player))
    return state.finish_game(GameResult(color_of(player), None, None, EndReason.NORMAL, rated=True), at_ns), ()


def _seat(state: MatchState, color: Color) -> Seat:
    seat = state.seat_of(color)
    assert seat is not None, "a turn begins after the seats are settled"
    return seat


# Score board of ChouChou: captured pieces instead of discs (RULES.md 3.7, 9.5, 9.7), counted by
# ``engine.chouchou``.
#
# - The first player to reach the target wins at once, whoever moved first (CC-WIN-1). In pairs this is one player's
#   count, not the pair's sum (CC-WIN-4).
# - The board is not read; the score is what the players enter, with Black as the first player.
# - A player who moves pieces in consecutive turns gives pieces to every opponent (CC-SUP-1). The movement is void and
#   the player still has to place a piece (AMB-35).


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
        return _complete_count(state, pieces, event.at_ns)
    if sum(one >= target for one in pieces) > 1:
        raise IllegalEvent(say("only one player can be the first to capture {target} (CC-WIN-1)", target=target))
    state = counted(state, pieces)
    if max(pieces) >= target and state.phase is Phase.TURN:
        return end_by_target(state, pieces.index(max(pieces)), event.at_ns)
    return state, ()


def _complete_count(state: MatchState, pieces: tuple[int, ...], at_ns: int) -> Step:
    if state.result is None or state.result.end is not EndReason.TIME:
        raise IllegalEvent(say("the result is known already"))
    if max(pieces) >= state.options.target:
        raise IllegalEvent(say("nobody had captured {target} when the time ran out", target=state.options.target))
    result, state = state.result, replace(counted(state, pieces), confirmed=())
    result = state.result_on_card(result)
    return replace(state, result=result).notify_players(screen_messages.result(result, at_ns)), ()


def penalty(state: MatchState, event: CapturePenalty) -> Step:
    """CC-SUP-1: give pieces to every opponent of the player in turn. They can win by them; of several, the first in
    turn order wins (AMB-35). A clock that was stopped for it runs again.
    """
    if state.rules.score is not ScoreRule.CAPTURES or state.active_phase is not Phase.TURN:
        raise IllegalEvent(say("a penalty for moving pieces in consecutive turns is ChouChou's, in play (CC-SUP-1)"))
    if event.by is not state.side:
        raise IllegalEvent(say("it is not {side}'s turn: no movement to take back", side=event.by.label))
    offender, options, scores = player_at(state, event.by), state.options, captured_by(state)
    order = turn_order(offender, options.players, () if state.company is None else state.company.out)
    pieces = with_penalty(scores, order, pairs=options.pairs, divided=not options.penalty_each)
    each = max(new - old for new, old in zip(pieces, scores, strict=True))
    state = counted(state, pieces).notify_players(screen_messages.penalty(event.at_ns, n=offender + 1, pieces=each))
    opponents = [player for player in order if pieces[player] > scores[player]]
    if (winner := first_to_reach(pieces, options.target, opponents)) is not None:
        return end_by_target(state, winner, event.at_ns)
    return (state if state.phase is Phase.TURN else state.enter_phase(Phase.TURN, state.side, event.at_ns)), ()


def card_result(state: MatchState) -> GameResult:
    """Return the result for the player who reached the target.

    :raises IllegalEvent: nobody has reached it, or nothing was entered.
    """
    pieces, target = captured_by(state), state.options.target
    if max(pieces) < target:
        text = say("nobody has captured {target} pieces yet; enter the captured pieces (CC-WIN-1)")
        raise IllegalEvent(text(target=target))
    winner = color_of(pieces.index(max(pieces)))
    return state.result_on_card(GameResult(winner, None, None, EndReason.NORMAL, rated=True))
