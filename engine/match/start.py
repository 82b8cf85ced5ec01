"""Before the first turn: colours and seats, a late player, the start (M43-1 to M43-5, M43-12 to M43-14)."""

from __future__ import annotations

from engine.board.color import Color
from engine.match import flags, messages, refusals
from engine.match.change import Step, call_arbiter, conclude, enter, stop_clock, tell, tell_arbiter
from engine.match.controls import ControlKind
from engine.match.events import Arbiter, Arrive, Hold, Press, Reopen, Seats
from engine.match.model import NS_PER_S, End, IllegalEvent, Phase, Result, Seat, seconds_to_ns
from engine.match.rulesets import FlagOutcome, LateClock, LateNeverCame
from engine.match.state import MatchState
from engine.text import say
from engine.values import replace

#: a press so soon after the arbiter's order carries it out; a later one comes too late for that
_START_WINDOW_NS = 120 * NS_PER_S


def settle(state: MatchState, event: Seats) -> Step:
    """Row 1, M43-1 to M43-4: colours, draw right and seats are settled; both clocks stand."""
    draw_right = event.draw_right or state.draw_right
    state = _without_handicap(state, event.at_ns)
    state = with_handicap(replace(state, black_seat=event.black_seat, draw_right=draw_right), event.at_ns)
    return enter(state, Phase.READY, None, event.at_ns), ()


def reopen(state: MatchState, event: Reopen | Arbiter) -> Step:
    """Row 1 again, M43-2, FS-05: what was settled before the first move is open again. What the first turn has cost is
    given back; what a late player has used stays used."""
    state = _without_handicap(state, event.at_ns)
    clock = state.clock.run(None, event.at_ns)
    if clock.turn is not None and state.active_phase is Phase.TURN:
        clock = replace(clock.refunded(clock.turn, clock.spent_ns), turn=None, spent_ns=0)
    state = enter(replace(state, clock=clock), Phase.SETUP, None, event.at_ns)
    state = replace(state, black_seat=None, draw_right=state.setup.draw_right, turn_since_ns=event.at_ns)
    return tell_arbiter(state, messages.reopened(event.at_ns)), ()


def _without_handicap(state: MatchState, at_ns: int) -> MatchState:
    """The clocks as they are before it is known who has White."""
    white, more_ns = state.seat_of(Color.WHITE), _handicap_ns(state)
    if white is None or not more_ns:
        return state
    left_ns = state.clock.remaining_ns(white, at_ns) - more_ns
    return replace(state, clock=state.clock.set_left(white, left_ns, at_ns))


def with_handicap(state: MatchState, at_ns: int) -> MatchState:
    """White's clock differs from Black's where the options say so; what a late player has used stays used."""
    white, more_ns = state.seat_of(Color.WHITE), _handicap_ns(state)
    if white is None or not more_ns:
        return state
    clock = state.clock.set_left(white, state.clock.remaining_ns(white, at_ns) + more_ns, at_ns)
    return replace(state, clock=clock)


def _handicap_ns(state: MatchState) -> int:
    wanted_s = state.options.white_s
    if wanted_s is None or state.clock.control.kind in (ControlKind.PER_MOVE, ControlKind.UP_COUNT):
        return 0
    return seconds_to_ns(wanted_s) - state.setup.main_ns


def start(state: MatchState, event: Press) -> Step:
    """Row 6, M43-5: the clock stands; White presses his own button and Black's time runs. OTH-HC-2/3: in a handicap
    game White moves first and Black presses."""
    if event.seat is not state.seat_of(state.first.opponent):
        raise IllegalEvent(refusals.who_starts(state))
    return begin(state, event.at_ns), ()


def begin(state: MatchState, at_ns: int) -> MatchState:
    """The first turn."""
    if state.board != state.start_board and state.board is not None:  # K-09: play begins from what stands there
        state = tell_arbiter(replace(state, start_board=state.board), messages.start_board(at_ns))
    return enter(replace(state, turn_since_ns=at_ns), Phase.TURN, state.first, at_ns)


def late_start(state: MatchState, absent: Seat, at_ns: int) -> MatchState:
    """Row 2, M43-12: on the arbiter's instruction the late player's time runs (AMB-40). The instruction starts it,
    so that it runs even if nobody presses; the press of the player present then sets the start to its own edge."""
    by_player = state.options.late_clock is LateClock.PLAYER  # TEAM-7.8: the arbiter himself starts it
    state = replace(state, late=absent, start_press_due=by_player)
    return tell(enter(state, Phase.LATE, None, at_ns), messages.late(at_ns))


def press_while_late(state: MatchState, event: Press) -> Step:
    """Row 2, M43-12.2: the player present presses his own button. A press on the late player's side means that he
    is there (row 3). The press sets the start to its own edge only if it follows the order at once; later it would give
    the late player back what he has used, so the order stands and the arbiter is told."""
    assert state.late is not None
    if event.seat is state.late:
        return arrived(state, event.at_ns), ()
    if not state.start_press_due:
        raise IllegalEvent(say("not your clock: the late player's time is running already"))
    state, waited_ns = replace(state, start_press_due=False), event.at_ns - state.clock.since_ns
    if waited_ns > _START_WINDOW_NS:
        return tell_arbiter(state, messages.late_start_unpressed(waited_ns // NS_PER_S, event.at_ns)), ()
    state = replace(state, clock=replace(state.clock, since_ns=event.at_ns))
    if waited_ns < NS_PER_S:
        return state, ()
    return tell_arbiter(state, messages.late_time_given_back(waited_ns // NS_PER_S, event.at_ns)), ()


def arrive(state: MatchState, event: Arrive | Hold) -> Step:
    """Row 3, M43-13.1: the late player is there, the clock is stopped; he plays with what is left."""
    return arrived(state, event.at_ns), ()


def arrive_on_hold(state: MatchState, event: Arrive) -> Step:
    """Row 3 while the arbiter has the late player's clock stopped, or the power had been cut."""
    if state.resume_phase is not Phase.LATE:
        raise IllegalEvent(say("nobody is late in this game: the clock is stopped until the arbiter resumes it"))
    return arrive(state, event)


def arrived(state: MatchState, at_ns: int) -> MatchState:
    """Row 3: he plays with what is left; colours and seats may still be open (K-01)."""
    phase = Phase.SETUP if state.black_seat is None else Phase.READY
    state = enter(replace(state, start_press_due=False), phase, None, at_ns)
    return tell(state, messages.arrived(at_ns))


def late_time_over(state: MatchState, at_ns: int) -> MatchState:
    """Row 5, M43-14 and AMB-05: the late player's time has run out at ``at_ns``. Recorded are 64-0, unrated; unless the
    organiser chose a reading before, an arbiter says which of the two it is, and nobody signs before."""
    late = state.late
    assert late is not None
    state = bind_colors(stop_clock(state, at_ns), present=late.other)
    loser = state.color_at(late)
    assert loser is not None
    playing_on = state.options.flag_outcome is FlagOutcome.PLAY_ON  # he is not there to do so
    reading = state.options.late_never_came
    if reading is LateNeverCame.CHOICE and not playing_on:
        return flags.lose_on_time(state, loser, at_ns)
    state, _ = call_arbiter(
        conclude(state, forfeited(state, loser, End.LATE), at_ns), messages.late_never_came(state.squares, at_ns)
    )
    return replace(state, reading_open=reading is LateNeverCame.ARBITER and not playing_on)


def bind_colors(state: MatchState, present: Seat) -> MatchState:
    """A game that ends before colours were decided still needs two for its card: the player present gets Black."""
    return state if state.black_seat is not None else replace(state, black_seat=present)


def forfeited(state: MatchState, loser: Color, end: End) -> Result:
    """M43-13.2, AMB-05, AMB-09: 64-0, unrated."""
    winner = loser.opponent
    discs = (state.squares, 0) if winner is Color.BLACK else (0, state.squares)
    return Result(winner, *discs, end, rated=False)
