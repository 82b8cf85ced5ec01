"""ChouChou with more than two players: two pairs, three players or four players (RULES.md 9.1, 9.5 to 9.7).

- Players are numbered from 0 in turn order, clockwise round the board (CC-SEAT-2, CC-SEAT-3). Even numbers press
  Black's button, odd numbers White's.
- A pair is a side and has one clock (CC-SUP-2b).
- Three or four individuals have a clock each `[U]`. A side's clock is that of its player in turn, or of its next
  player. A player who exceeds the time is out, and the others play on.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.copy_with_changes import replace
from engine.end_reason import EndReason
from engine.i18n import say
from engine.match import screen_messages
from engine.match.basic_state_changes import Step, enter_phase, finish_game, notify_players
from engine.match.match_state import MatchState, MultiplayerState
from engine.match.model import GameResult, IllegalEvent, Phase, Seat


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
    state = _shown(replace(state, company=company, clock=state.clock.run(None, at_ns)), following)
    return enter_phase(state, Phase.TURN, color_of(following), at_ns)


def give_turn_to_side(state: MatchState, color: Color) -> MatchState:
    """Give the turn to the next player of a side, on the arbiter's order. Whether the clock runs does not change."""
    company = state.company
    if company is None or color_of(company.turn) is color:
        return state
    following = next((player for player in company.order if color_of(player) is color), None)
    if following is None:
        raise IllegalEvent(say("{side} has nobody left in the game", side=color.label))
    return _shown(state, following)


def _shown(state: MatchState, player: int) -> MatchState:
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
        out = screen_messages.out(company.turn + 1, at_ns)
        return notify_players(next_turn(state, company, at_ns), out)
    won = replace(state, company=replace(company, winner=left[0]))
    return finish_game(won, GameResult(color_of(left[0]), None, None, EndReason.TIME, rated=True), at_ns)


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
    return finish_game(state, GameResult(color_of(player), None, None, EndReason.NORMAL, rated=True), at_ns), ()


def _seat(state: MatchState, color: Color) -> Seat:
    seat = state.seat_of(color)
    assert seat is not None, "a turn begins after the seats are settled"
    return seat
