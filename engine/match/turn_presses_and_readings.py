"""Turns: presses of the player in turn, and board readings during a turn (M43-6 to M43-9)."""

from __future__ import annotations

from engine.board.color import Color
from engine.board.illegal_move_diagnosis import Verdict, diagnose
from engine.copy_with_changes import replace
from engine.i18n import say
from engine.match import chouchou_multiplayer, clock_flags, play_out_after_both_flags, screen_messages
from engine.match.basic_state_changes import Step, add_turn, enter_phase, hold, notify_arbiter, notify_players
from engine.match.challenge import charge_unfounded
from engine.match.illegal_event_messages import illegal_event_error
from engine.match.judge_board_readings import judge_press, judged_turn, open_challenge, store_reading
from engine.match.match_events import BoardReported, Hold, Pass, Press
from engine.match.match_state import MatchState
from engine.match.model import NS_PER_S, CompletedTurn, IllegalEvent, PendingPress, Phase, TurnKind
from engine.match.step_effects import CallArbiter, ReadBoard

#: a reading this soon after the clock stopped may still show the board from before
_SETTLE_NS = 3 * NS_PER_S


def press_turn(state: MatchState, event: Press) -> Step:
    """Rows 7, 8, 9 and 18, M43-6 and M43-9: end a turn; the other side's time runs. The board shows whether it was a
    move, a pass, a challenge or the last move of the game (K-04).
    """
    by = own_clock(state, event)
    state, effects = _await_board(state, by, Phase.TURN, event.at_ns)
    state = replace(state, clock=state.clock.after_completed_turn(event.seat, event.at_ns))
    if not effects:
        kind = TurnKind.PASS if state.declared_pass else TurnKind.UNREAD
        if kind is TurnKind.PASS and not state.options.pass_is_charged:  # AMB-47
            state = replace(state, clock=state.clock.with_turn_refunded(event.seat, state.clock.spent_ns))
        state = add_turn(state, CompletedTurn(by, kind, None, None, None))
    state = replace(state, declared_pass=False, corrected=False, turn_since_ns=event.at_ns)
    if state.company is not None:
        return chouchou_multiplayer.next_turn(state, state.company, event.at_ns), effects
    return enter_phase(state, Phase.TURN, by.opponent, event.at_ns), effects


def press_correction(state: MatchState, event: Press) -> Step:
    """Handle a press in CORR.

    Row 10, M43-6a: the offender has corrected the turn, or there was nothing to correct (AMB-41); the turn returns to
    the opponent. Row 11, M43-15.5: if agreed and in the countdown, it is a time loss.
    """
    by, challenge = own_clock(state, event), state.challenge
    assert challenge is not None
    state = charge_unfounded(state, event.at_ns)
    state, effects = _await_board(state, by, Phase.CORR, event.at_ns)
    state = replace(state, corrected=True, turn_since_ns=event.at_ns)
    if challenge.agreed and challenge.in_countdown:
        state = clock_flags.lose_on_time(state, by, event.at_ns)
        if state.phase is not Phase.CORR:
            return state, effects  # decided; otherwise the loser plays on with extra time
    side = by if challenge.returns_to is Phase.CHECK else by.opponent
    return enter_phase(state, challenge.returns_to, side, event.at_ns), effects


def press_check(state: MatchState, event: Press) -> Step:
    """Row 19, M43-10.1: challenge the last move, whatever time is left."""
    by = own_clock(state, event)
    challenge = open_challenge(state, by.opponent, returns_to=Phase.CHECK)
    state = enter_phase(replace(state, challenge=challenge), Phase.CORR, by.opponent, event.at_ns)
    return notify_players(state, screen_messages.challenge(by.opponent, event.at_ns)), ()


def press_finish(state: MatchState, event: Press) -> Step:
    """Row 16, M43-15.4: complete the flagged player's move; it stands, and the winner chooses."""
    by = state.color_at(event.seat)
    if by is not state.side or by is None:
        raise IllegalEvent(say("not your clock: the move in progress is completed first (M43-15.4)"))
    if by is state.press_owed:
        return replace(state, press_owed=None), ()
    state, effects = _await_board(state, by, Phase.TURN, event.at_ns)
    if state.both_claimed:  # TEAM-7.7: the board decides how the game continues
        return state, effects
    return clock_flags.lose_on_time(state, by, event.at_ns), effects


def press_after_finish(state: MatchState, event: Press) -> Step:
    """Row 16: accept the press that belongs to a move the board has already shown complete; it changes nothing."""
    by = state.color_at(event.seat)
    if by is None or by is not state.press_owed:
        raise illegal_event_error(state.phase)
    return replace(state, press_owed=None), ()


def own_clock(state: MatchState, event: Press) -> Color:
    """Return the colour that pressed.

    :raises IllegalEvent: that clock is not running; the press does nothing.
    """
    by = state.color_at(event.seat)
    if event.seat is not state.clock.running or by is None:
        raise IllegalEvent(say("not your clock: a press counts only while one's own time runs (M43-6.1)"))
    return by


def _await_board(state: MatchState, by: Color, phase: Phase, at_ns: int) -> tuple[MatchState, tuple[ReadBoard, ...]]:
    """Request the settled board, if there is a board source."""
    if state.start_board is None:
        return state, ()
    number = state.asked + 1
    declared_pass = state.declared_pass and phase is Phase.TURN
    press = PendingPress(number, by, at_ns, phase, by, declared_pass, state.clock.spent_at_ns(at_ns))
    return replace(state, asked=number, pending=(*state.pending, press)), (ReadBoard(number),)


def board_read(state: MatchState, event: BoardReported) -> Step:
    """Handle a board reading, for a press or unsolicited. An unsolicited one only shows whether the player in turn has
    begun to move (M43-15.4); a reading older than the turn is ignored.
    """
    state = _noted_in_hold(state, event)
    press = next((press for press in state.pending if press.number == event.answers), None)
    if press is not None:
        return judge_press(store_reading(state, event.cells), press, event.cells, event.at_ns)
    if event.at_ns < state.turn_since_ns:
        return state, ()
    return store_reading(state, event.cells), ()


def _noted_in_hold(state: MatchState, event: BoardReported) -> MatchState:
    """Store readings during a HOLD. A board takes a moment to settle: the first reading of a HOLD after a power cut,
    and readings just after the clock stopped, show the board as it was at the stop.
    """
    if state.phase is not Phase.HOLD or state.start_board is None:
        return state
    if state.held_board is not None and event.at_ns > state.clock.since_ns + _SETTLE_NS:
        return state
    return replace(state, held_board=event.cells)


def board_in_finish(state: MatchState, event: BoardReported) -> Step:
    """Row 16, M43-15.4: end the wait for the press as well, if the board shows the move complete."""
    known = len(state.turns)
    state, effects = board_read(state, event)
    if state.both_claimed and len(state.turns) > known:
        state, more = play_out_after_both_flags.continue_play_out(state, event.at_ns)
        return state, (*effects, *more)
    if state.pending or state.board is None or state.turn_board is None or state.side is None:
        return state, effects
    diagnosis = diagnose(state.position(state.turn_board, state.side), state.board)
    if diagnosis.verdict is not Verdict.LEGAL:
        return state, effects
    ply = len(state.turns) + 1
    turn = judged_turn(diagnosis, TurnKind.MOVE, state.side, ply, state.turn_board, state.board)
    state = replace(add_turn(state, turn), press_owed=turn.by)
    if state.both_claimed:
        return play_out_after_both_flags.continue_play_out(state, event.at_ns)
    return clock_flags.lose_on_time(state, state.side or turn.by, event.at_ns), effects


def say_pass(state: MatchState, event: Pass) -> Step:
    """Row 8, M43-6b: declare a pass; the press has to follow, and the player's own time runs until then (AMB-47)."""
    if event.by is not state.side:
        raise IllegalEvent(say("not your turn"))
    if state.declared_pass:
        raise IllegalEvent(say("the pass is declared already; press the button"))
    if state.mid_move or state.press_owed is state.side:
        raise IllegalEvent(say("a move has been started; a pass must be declared before it (M43-6.2)"))
    return notify_players(replace(state, declared_pass=True), screen_messages.passed(event.by, event.at_ns)), ()


def stop_and_call(state: MatchState, event: Hold) -> Step:
    """Row 13, M43-11: stop the clock and call the arbiter; the player informs the opponent first."""
    called = screen_messages.called(state.color_at(event.seat), event.at_ns)
    state = replace(hold(state, event.at_ns), held_by=event.seat)
    state = notify_arbiter(notify_players(state, screen_messages.hold(event.at_ns)), called)
    return state, (CallArbiter(called.text),)
