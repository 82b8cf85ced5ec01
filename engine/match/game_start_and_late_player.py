"""Start of a game: colours and seats, a late player, the first press (M43-1 to M43-5, M43-12 to M43-14)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.board.color import Color
from engine.copy_with_changes import replace
from engine.end_reason import EndReason
from engine.i18n import say
from engine.match import flag_fall_and_resignation, screen_messages
from engine.match.match_events_and_effects import ArbiterOrder, Arrive, Hold, Press, Reopen, SeatsAssigned
from engine.match.match_state import MatchState, Step
from engine.match.match_value_types import NS_PER_S, GameResult, IllegalEvent, Phase, Seat, seconds_to_ns
from engine.match.rule_sets_and_options import FlagOutcome, LateClock, NoShowPolicy, ScoreRule
from engine.match.time_controls import ControlKind


def settle_seats(state: MatchState, event: SeatsAssigned) -> Step:
    """Row 1, M43-1 to M43-4: settle colours, draw right and seats; both clocks are stopped."""
    draw_right = event.draw_right or state.draw_right
    state = with_handicap(state, event.at_ns, -1)
    state = with_handicap(replace(state, black_seat=event.black_seat, draw_right=draw_right), event.at_ns)
    return state.enter_phase(Phase.READY, None, event.at_ns), ()


def reopen_setup(state: MatchState, event: Reopen | ArbiterOrder) -> Step:
    """Row 1 again, M43-2, FS-05: reopen what was settled before the first move. The cost of the first turn is given
    back; the time a late player has used stays used.
    """
    state = with_handicap(state, event.at_ns, -1)
    clock = state.clock.run(None, event.at_ns)
    if clock.turn is not None and state.active_phase is Phase.TURN:
        clock = replace(clock.with_turn_refunded(clock.turn, clock.spent_ns), turn=None, spent_ns=0)
    state = replace(state, clock=clock).enter_phase(Phase.SETUP, None, event.at_ns)
    state = replace(state, black_seat=None, draw_right=state.setup.draw_right, turn_since_ns=event.at_ns)
    return state.notify_arbiter(screen_messages.reopened(event.at_ns)), ()


def with_handicap(state: MatchState, at_ns: int, sign: int = 1) -> MatchState:
    """Return the state with a handicap added to White's clock where the options set one; the time a late player has
    used stays used. ``sign`` -1: the handicap is taken off, as before White is known.
    """
    wanted_s, white = state.options.white_s, state.seat_of(Color.WHITE)
    no_main_time = state.clock.control.kind in (ControlKind.PER_MOVE, ControlKind.UP_COUNT)
    if wanted_s is None or white is None or no_main_time:
        return state
    more_ns = sign * (seconds_to_ns(wanted_s) - state.setup.main_ns)
    left_ns = state.clock.remaining_ns(white, at_ns) + more_ns
    return replace(state, clock=state.clock.set_left(white, left_ns, at_ns)) if more_ns else state


def start(state: MatchState, event: Press) -> Step:
    """Row 6, M43-5: start the game when White presses, so that Black's time runs. OTH-HC-2/3: in a handicap game White
    moves first and Black presses.
    """
    if event.seat is not state.seat_of(state.first.opponent):
        raise IllegalEvent(state.start_press_text)
    return begin_first_turn(state, event.at_ns), ()


def begin_first_turn(state: MatchState, at_ns: int) -> MatchState:
    """Begin the first turn."""
    if state.board != state.start_board and state.board is not None:  # K-09: play begins from the physical board
        state = replace(state, start_board=state.board).notify_arbiter(screen_messages.start_board(at_ns))
    return replace(state, turn_since_ns=at_ns).enter_phase(Phase.TURN, state.first, at_ns)


def late_start(state: MatchState, absent: Seat, at_ns: int) -> MatchState:
    """Row 2, M43-12: start the late player's time on the arbiter's instruction (AMB-40). It runs even if nobody
    presses; a press of the player present then moves the start to its own edge.
    """
    by_player = state.options.late_clock is LateClock.PLAYER  # TEAM-7.8: the arbiter starts it without a press
    state = replace(state, late=absent, late_came=False, start_press_due=by_player)
    return state.enter_phase(Phase.LATE, None, at_ns).notify_players(screen_messages.late(at_ns))


def press_while_late(state: MatchState, event: Press) -> Step:
    """Handle a press in LATE.

    Row 2, M43-12.2: the player present presses their own button. A press on the late player's side means that the late
    player has arrived (row 3). The press moves the start to its own edge only if it follows the order at once. A later
    press would give back time the late player has used, so the order's time stands and the arbiter is informed.
    """
    assert state.late is not None
    if event.seat is state.late:
        return after_arrival(state, event.at_ns), ()
    if not state.start_press_due:
        raise IllegalEvent(say("not your clock: the late player's time is running already"))
    state, waited_ns = replace(state, start_press_due=False), event.at_ns - state.clock.since_ns
    if waited_ns > seconds_to_ns(state.options.late_start_window_s):
        return state.notify_arbiter(
            screen_messages.late_start_unpressed(event.at_ns, seconds=waited_ns // NS_PER_S)
        ), ()
    state = replace(state, clock=replace(state.clock, since_ns=event.at_ns))
    if waited_ns < NS_PER_S:
        return state, ()
    return state.notify_arbiter(screen_messages.late_time_given_back(event.at_ns, seconds=waited_ns // NS_PER_S)), ()


def arrive(state: MatchState, event: Arrive | Hold) -> Step:
    """Row 3, M43-13.1: record the late player's arrival and stop the clock; the player continues with the time left."""
    return after_arrival(state, event.at_ns), ()


def arrive_on_hold(state: MatchState, event: Arrive) -> Step:
    """Row 3 while the arbiter holds the late player's clock, or after a power cut."""
    if state.resume_phase is not Phase.LATE:
        raise IllegalEvent(say("nobody is late in this game: the clock is stopped until the arbiter resumes it"))
    return arrive(state, event)


def after_arrival(state: MatchState, at_ns: int) -> MatchState:
    """Row 3: return the state after the arrival, with the time left; colours and seats may still be open (K-01)."""
    phase = Phase.SETUP if state.black_seat is None else Phase.READY
    state = replace(state, late_came=True, start_press_due=False).enter_phase(phase, None, at_ns)
    return state.notify_players(screen_messages.late_player_arrived(at_ns))


def late_time_over(state: MatchState, at_ns: int) -> MatchState:
    """Row 5, M43-14 and AMB-05: record the no-show of the late player at ``at_ns`` as 64-0, unrated. Unless the
    organiser chose a reading beforehand, an arbiter decides between the two, and nobody signs before.
    """
    late = state.late
    assert late is not None
    state = bind_colors(state.stop_clock(at_ns), present=late.other)
    loser = state.color_at(late)
    assert loser is not None
    playing_on = state.options.flag_outcome is FlagOutcome.PLAY_ON  # the late player is not there to play on
    reading = state.options.late_never_came
    if reading is NoShowPolicy.CHOICE and not playing_on:
        return flag_fall_and_resignation.lose_on_time(state, loser, at_ns)
    notice = screen_messages.late_never_came(at_ns, squares=state.squares)
    if state.rules.score is ScoreRule.NONE:  # M40-15.1
        notice = screen_messages.late_never_came_without_discs(at_ns)
    state, _ = state.finish_game(forfeit_result(state, loser, EndReason.LATE), at_ns).call_arbiter(notice)
    return replace(state, reading_open=reading is NoShowPolicy.ARBITER and not playing_on)


def bind_colors(state: MatchState, present: Seat) -> MatchState:
    """Bind colours for a game that ends before they were decided, as its card needs them: the player present gets
    Black.
    """
    return state if state.black_seat is not None else replace(state, black_seat=present)


def forfeit_result(state: MatchState, loser: Color, end: EndReason, *, rated: bool = False) -> GameResult:
    """M43-13.2, AMB-05, AMB-09: return a forfeit result, 64-0."""
    return GameResult.of_discs(loser.opponent, state.squares, state.squares, end, rated=rated)


# Decision which player hides the disc in the colour choice (RULES.md 2, FS-01). The choice itself is made by the
# players; ``SeatsAssigned`` reports its outcome.


def disc_hider(grades: Sequence[int | None]) -> int | None:
    """Return the index of the player who hides the disc: the one with the higher grade, a larger number. None: equal or
    unknown; the older player hides, whom a table does not know.
    """
    first, second = grades
    return None if first is None or second is None or first == second else int(second > first)
