"""State machine of one game at one table: ``step(state, event) -> (state, effects)``.

- Everything that may happen to a game is in ``TABLE``, phase by phase (RULES.md 3.3). An event that is not in it, or
  that its handler's guard rejects, raises ``IllegalEvent`` and changes nothing.
- Time alone changes the state only in ``advance``: a late player's time and the time for free play. A flag in play
  changes nothing until a player, or whoever else the rule set allows, calls it (K-02).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.board.color import Color
from engine.board.illegal_move_diagnosis_and_challenge import Verdict, diagnose
from engine.copy_with_changes import replace
from engine.i18n import say
from engine.match import (
    apply_arbiter_order,
    challenge,
    chouchou_multiplayer_and_score_board,
    flag_fall_and_resignation,
    free_play_by_time_winner,
    game_end_disc_count_and_result_card,
    game_start_and_late_player,
    screen_messages,
)
from engine.match import match_events_and_effects as events
from engine.match.challenge import charge_unfounded
from engine.match.game_clock import Clock
from engine.match.judge_board_readings import judge_press, judged_turn, open_challenge, store_reading
from engine.match.match_state import MatchState, Step, UndoState
from engine.match.match_value_types import (
    NS_PER_S,
    CompletedTurn,
    IllegalEvent,
    MatchError,
    PendingPress,
    Phase,
    Setup,
    TurnKind,
    illegal_event_error,
)
from engine.match.rule_sets_and_options import read_options, rule_set

# Turns: presses of the player in turn, and board readings during a turn (M43-6 to M43-9).

#: a reading this soon after the clock stopped may still show the board from before
_SETTLE_NS = 3 * NS_PER_S


def press_turn(state: MatchState, event: events.Press) -> Step:
    """Rows 7, 8, 9 and 18, M43-6 and M43-9: end a turn; the other side's time runs. The board shows whether it was a
    move, a pass, a challenge or the last move of the game (K-04).
    """
    by = own_clock(state, event)
    state = replace(state, clock=state.clock.after_completed_turn(event.seat, event.at_ns))
    cost_ns = max(0, state.clock.spent_ns - state.clock.bonus_ns)
    state, effects = _await_board(state, by, Phase.TURN, event.at_ns, cost_ns)
    if not effects:
        kind = TurnKind.PASS if state.declared_pass else TurnKind.UNREAD
        if kind is TurnKind.PASS and not state.options.pass_is_charged:  # AMB-47
            state = replace(state, clock=state.clock.with_turn_refunded(event.seat, cost_ns))
        state = state.add_turn(CompletedTurn(by, kind, None, None, None))
    state = replace(state, declared_pass=False, corrected=False, turn_since_ns=event.at_ns)
    if state.company is not None:
        return chouchou_multiplayer_and_score_board.next_turn(state, state.company, event.at_ns), effects
    return state.enter_phase(Phase.TURN, by.opponent, event.at_ns), effects


def press_correction(state: MatchState, event: events.Press) -> Step:
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
        state = flag_fall_and_resignation.lose_on_time(state, by, event.at_ns)
        if state.phase is not Phase.CORR:
            return state, effects  # decided; otherwise the loser plays on with extra time
    side = by if challenge.returns_to is Phase.CHECK else by.opponent
    return state.enter_phase(challenge.returns_to, side, event.at_ns), effects


def press_check(state: MatchState, event: events.Press) -> Step:
    """Row 19, M43-10.1: challenge the last move, whatever time is left."""
    by = own_clock(state, event)
    challenge = open_challenge(state, by.opponent, returns_to=Phase.CHECK)
    state = replace(state, challenge=challenge).enter_phase(Phase.CORR, by.opponent, event.at_ns)
    return state.notify_players(screen_messages.challenge(event.at_ns, offender=by.opponent)), ()


def press_finish(state: MatchState, event: events.Press) -> Step:
    """Row 16, M43-15.4: complete the flagged player's move; it stands, and the winner chooses."""
    by = state.color_at(event.seat)
    if by is not state.side or by is None:
        raise IllegalEvent(say("not your clock: the move in progress is completed first (M43-15.4)"))
    if by is state.press_owed:
        return replace(state, press_owed=None), ()
    state, effects = _await_board(state, by, Phase.TURN, event.at_ns)
    if state.both_claimed:  # TEAM-7.7: the board decides how the game continues
        return state, effects
    return flag_fall_and_resignation.lose_on_time(state, by, event.at_ns), effects


def press_after_finish(state: MatchState, event: events.Press) -> Step:
    """Row 16: accept the press that belongs to a move the board has already shown complete; it changes nothing."""
    by = state.color_at(event.seat)
    if by is None or by is not state.press_owed:
        raise illegal_event_error(state.phase)
    return replace(state, press_owed=None), ()


def own_clock(state: MatchState, event: events.Press) -> Color:
    """Return the colour that pressed.

    :raises IllegalEvent: that clock is not running; the press does nothing.
    """
    by = state.color_at(event.seat)
    if event.seat is not state.clock.running or by is None:
        raise IllegalEvent(say("not your clock: a press counts only while one's own time runs (M43-6.1)"))
    return by


def _await_board(state: MatchState, by: Color, phase: Phase, at_ns: int, cost_ns: int = 0) -> Step:
    """Request the settled board, if there is a board source. ``cost_ns``: what the turn cost."""
    if state.start_board is None:
        return state, ()
    number = state.asked + 1
    declared_pass = state.declared_pass and phase is Phase.TURN
    press = PendingPress(number, by, at_ns, phase, by, declared_pass, cost_ns)
    return replace(state, asked=number, pending=(*state.pending, press)), (events.ReadBoard(number),)


def board_read(state: MatchState, event: events.BoardReported) -> Step:
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


def _noted_in_hold(state: MatchState, event: events.BoardReported) -> MatchState:
    """Store readings during a HOLD. A board takes a moment to settle: the first reading of a HOLD after a power cut,
    and readings just after the clock stopped, show the board as it was at the stop.
    """
    if state.phase is not Phase.HOLD or state.start_board is None:
        return state
    if state.held_board is not None and event.at_ns > state.clock.since_ns + _SETTLE_NS:
        return state
    return replace(state, held_board=event.cells)


def board_in_finish(state: MatchState, event: events.BoardReported) -> Step:
    """Row 16, M43-15.4: end the wait for the press as well, if the board shows the move complete."""
    known = len(state.turns)
    state, effects = board_read(state, event)
    if state.both_claimed and len(state.turns) > known:
        state, more = flag_fall_and_resignation.continue_play_out(state, event.at_ns)
        return state, (*effects, *more)
    if state.pending or state.board is None or state.turn_board is None or state.side is None:
        return state, effects
    diagnosis = diagnose(state.position(state.turn_board, state.side), state.board)
    if diagnosis.verdict is not Verdict.LEGAL:
        return state, effects
    ply = len(state.turns) + 1
    turn = judged_turn(diagnosis, state.side, ply, state.turn_board, state.board)
    state = replace(state.add_turn(turn), press_owed=turn.by)
    if state.both_claimed:
        return flag_fall_and_resignation.continue_play_out(state, event.at_ns)
    return flag_fall_and_resignation.lose_on_time(state, state.side or turn.by, event.at_ns), effects


def board_after_end(state: MatchState, event: events.BoardReported) -> Step:
    """Handle a board reading after the end. M43-18.2: if it changes the card, a signature on it no longer counts."""
    after, effects = board_read(state, event)
    proposed = game_end_disc_count_and_result_card.proposed_result
    if state.confirmed and proposed(after) != proposed(state):
        after = replace(after, confirmed=())
    return after, effects


def say_pass(state: MatchState, event: events.Pass) -> Step:
    """Row 8, M43-6b: declare a pass; the press has to follow, and the player's own time runs until then (AMB-47)."""
    if event.by is not state.side:
        raise IllegalEvent(say("not your turn"))
    if state.declared_pass:
        raise IllegalEvent(say("the pass is declared already; press the button"))
    if state.mid_move or state.press_owed is state.side:
        raise IllegalEvent(say("a move has been started; a pass must be declared before it (M43-6.2)"))
    return replace(state, declared_pass=True).notify_players(screen_messages.passed(event.at_ns, by=event.by)), ()


def stop_and_call(state: MatchState, event: events.Hold) -> Step:
    """Row 13, M43-11: stop the clock and call the arbiter; the player informs the opponent first."""
    by, at_ns = state.color_at(event.seat), event.at_ns
    called = screen_messages.called(at_ns) if by is None else screen_messages.called_by(at_ns, by=by)
    state = replace(state.hold(at_ns), held_by=event.seat)
    return state.notify_players(screen_messages.hold(at_ns)).call_arbiter(called)


# Correction of a wrong board reading, for example when a transcriber tapped the wrong square.
#
# - Only the last completed turn is read again, and only while no press waits for its board and no challenge is open.
# - The turn is judged as if the new board had been read at first. No clock changes, because a move, a pass and the last
#   move all start the same side's time.


def correct_reading(state: MatchState, event: events.CorrectReading) -> Step:
    """Judge the last turn again with this board.

    :raises IllegalEvent: there is no such turn, or the board would make it a challenge.
    """
    turn = state.last_turn
    if turn is None or turn.before is None or state.pending or state.challenge is not None:
        raise IllegalEvent(say("no turn can be re-read now"))
    if state.active_phase not in (Phase.TURN, Phase.CHECK):
        raise IllegalEvent(say("no turn can be re-read now: {next}", next=state.waits_for))
    state = store_reading(state, event.cells)
    diagnosis = diagnose(state.position(turn.before, turn.by), event.cells)
    if diagnosis.verdict is Verdict.UNCHANGED:
        raise IllegalEvent(say("an unchanged board would be a challenge; an arbiter rules on that"))
    ply = len(state.turns)
    read = judged_turn(diagnosis, turn.by, ply, turn.before, event.cells)
    other_findings = tuple(filed for filed in state.findings if filed.ply != ply)
    state = replace(state, turns=(*state.turns[:-1], read), findings=other_findings)
    state, effects = state.file_findings(read.findings, event.at_ns)
    if state.is_over(event.cells) and read.kind is not TurnKind.TOO_LARGE:
        phase, side, last_move_ns = Phase.CHECK, turn.by, state.turn_since_ns
    else:
        phase, side, last_move_ns = Phase.TURN, turn.by.opponent, None
    state = replace(state, side=side, last_move_ns=last_move_ns)
    return state.with_active_phase(phase), effects


#: A press older than this can no longer turn out to have been a voltage spike.
_UNDO_NS = 5 * NS_PER_S

Handler = Callable[[MatchState, Any], Step]
#: The kind of an event in the table; the two claims are two kinds.
Kind = type[events.Event] | tuple[type[events.PlayerClaim], events.ClaimKind]

CLAIM_FLAG: Kind = (events.PlayerClaim, events.ClaimKind.FLAG)
CLAIM_ILLEGAL: Kind = (events.PlayerClaim, events.ClaimKind.ILLEGAL)


def _board_done(state: MatchState, event: events.BoardReported) -> Step:
    """Note a board reading after the result; only a requested one counts, as the discs are cleared then (M43-25)."""
    return board_read(state, event) if any(event.answers == p.number for p in state.pending) else (state, ())


def _restart(state: MatchState, event: events.Restart) -> Step:
    """DESIGN.md, promise 2: after a power cut the clock comes back paused; an arbiter resumes it."""
    asks = tuple(events.ReadBoard(press.number) for press in state.pending)
    state = replace(state, pending=tuple(replace(press, late=True) for press in state.pending))
    if state.clock.running is None:
        return state, asks
    paused = replace(state.hold(event.at_ns), held_board=None)  # what happened on the board meanwhile is unknown
    return paused.notify_players(screen_messages.recovery(event.at_ns)), asks


#: phase -> kind of event -> handler. Numbers are the rows of RULES.md 3.3.
_BY_PHASE: dict[Phase, dict[Kind, Handler]] = {
    Phase.SETUP: {
        events.SeatsAssigned: game_start_and_late_player.settle_seats,  # 1
        events.BoardReported: board_read,
    },
    Phase.LATE: {
        events.Press: game_start_and_late_player.press_while_late,  # 2
        events.Arrive: game_start_and_late_player.arrive,  # 3
        events.Hold: game_start_and_late_player.arrive,  # 3
        events.BoardReported: board_read,
    },
    Phase.READY: {
        events.SeatsAssigned: game_start_and_late_player.settle_seats,  # 1
        events.Reopen: game_start_and_late_player.reopen_setup,  # 1
        events.Press: game_start_and_late_player.start,  # 6
        events.BoardReported: board_read,
    },
    Phase.TURN: {
        events.Press: press_turn,  # 7, 8, 9, 18
        events.Pass: say_pass,  # 8
        CLAIM_ILLEGAL: challenge.claim_in_turn,  # 9
        events.Hold: stop_and_call,  # 12, 13
        CLAIM_FLAG: flag_fall_and_resignation.establish_flag,  # 15, 16, 17
        events.Declare: flag_fall_and_resignation.establish_flag,  # 15, 16, 17
        events.DeclareEnd: game_end_disc_count_and_result_card.declare_end_unread,  # 20
        events.DiscCount: chouchou_multiplayer_and_score_board.enter_pieces,
        events.CapturePenalty: chouchou_multiplayer_and_score_board.penalty,
        events.BoardReported: board_read,
        events.CorrectReading: correct_reading,
    },
    Phase.CORR: {
        events.Press: press_correction,  # 10, 11
        CLAIM_ILLEGAL: challenge.claim_in_correction,
        events.Agree: challenge.agree,  # 11, 12
        events.Hold: stop_and_call,  # 12, 13
        CLAIM_FLAG: flag_fall_and_resignation.establish_flag,  # 15, 17
        events.Declare: flag_fall_and_resignation.establish_flag,  # 15, 17
        events.BoardReported: board_read,
    },
    Phase.HOLD: {
        events.Arrive: game_start_and_late_player.arrive_on_hold,  # 3
        CLAIM_ILLEGAL: challenge.claim_on_hold,  # 9
        CLAIM_FLAG: flag_fall_and_resignation.establish_flag,  # 15, 17
        events.Declare: flag_fall_and_resignation.establish_flag,  # 15, 17
        events.DeclareEnd: game_end_disc_count_and_result_card.declare_end_on_hold,  # 20
        events.CapturePenalty: chouchou_multiplayer_and_score_board.penalty,
        events.BoardReported: board_read,
        events.CorrectReading: correct_reading,
    },
    Phase.CHECK: {
        events.Press: press_check,  # 19
        CLAIM_ILLEGAL: challenge.claim_in_check,  # 19
        events.DeclareEnd: game_end_disc_count_and_result_card.declare_end,  # 20
        events.Hold: stop_and_call,  # 13
        CLAIM_FLAG: flag_fall_and_resignation.establish_flag,  # 17, 21
        events.Declare: flag_fall_and_resignation.establish_flag,  # 17, 21
        events.BoardReported: board_read,
        events.CorrectReading: correct_reading,
    },
    Phase.ENDED: {
        events.Press: press_after_finish,  # 16
        CLAIM_FLAG: flag_fall_and_resignation.establish_flag,  # 17, 21
        events.Declare: flag_fall_and_resignation.establish_flag,  # 17, 21
        events.DiscCount: game_end_disc_count_and_result_card.enter_discs,
        events.Agree: game_end_disc_count_and_result_card.agree_result,  # 22
        events.Confirm: game_end_disc_count_and_result_card.confirm_end,  # 22, 29
        events.BoardReported: board_after_end,
    },
    Phase.FINISH: {
        events.Press: press_finish,  # 16
        events.Hold: stop_and_call,  # 13
        events.BoardReported: board_in_finish,  # 16
    },
    Phase.CHOICE: {
        events.Press: press_after_finish,  # 16
        events.Choose: free_play_by_time_winner.choose_time_win,  # 23, 24
        events.BoardReported: board_read,
    },
    Phase.FREE: {
        events.BoardReported: free_play_by_time_winner.free_board,  # 24, 27
        events.Press: free_play_by_time_winner.press_free,  # 25
        CLAIM_ILLEGAL: challenge.claim_in_free_play,  # 25
        events.Hold: stop_and_call,  # 13
        events.StopFreePlay: free_play_by_time_winner.stop_free_play,  # 26
        events.DiscCount: free_play_by_time_winner.free_discs,  # 26
    },
    Phase.RESULT: {
        events.Press: press_after_finish,  # 16
        events.Confirm: game_end_disc_count_and_result_card.confirm_result,  # 29
        events.Agree: free_play_by_time_winner.reject_count,  # 26
        events.DiscCount: chouchou_multiplayer_and_score_board.enter_pieces,
        events.BoardReported: _board_done,
    },
    Phase.SIGNED: {
        events.Confirm: game_end_disc_count_and_result_card.confirm_signed,  # 29
        events.Submitted: game_end_disc_count_and_result_card.submit,  # 30
        events.BoardReported: _board_done,
    },
    Phase.SUBMITTED: {events.BoardReported: _board_done},
}
_ALWAYS: dict[Kind, Handler] = {
    events.ArbiterOrder: apply_arbiter_order.order,
    events.Restart: _restart,
    events.Tick: lambda state, _event: (state, ()),
}

TABLE: Mapping[tuple[Phase, Kind], Handler] = {
    (phase, kind): handler for phase in Phase for kind, handler in (_BY_PHASE[phase] | _ALWAYS).items()
}


def new_match(setup: Setup, at_ns: int = 0) -> MatchState:
    """Return a game before its start: READY if seats and colours are settled, else SETUP.

    :raises MatchError: the rule set, an option or the time is not usable.
    """
    rules, options = rule_set(setup.rules), read_options(setup.options, setup.rules)
    if setup.main_ns <= 0:
        raise MatchError(say("the main time must be more than 0, not {main_ns} ns", main_ns=setup.main_ns))
    board = options.variant.start if setup.has_board_source and rules.board else None
    state = MatchState(
        setup=setup,
        phase=Phase.SETUP if setup.black_seat is None else Phase.READY,
        clock=Clock.new(setup.main_ns, at_ns, options.control),
        black_seat=setup.black_seat,
        draw_right=setup.draw_right,
        start_board=board,
        board=board,
    )
    return chouchou_multiplayer_and_score_board.with_players(game_start_and_late_player.with_handicap(state, at_ns))


def kind_of(event: events.Event) -> Kind:
    return (events.PlayerClaim, event.what) if isinstance(event, events.PlayerClaim) else type(event)


def step(state: MatchState, event: events.Event) -> Step:
    """Return the state after ``event``, and the effects to carry out.

    A button's edge may arrive after later board readings; it is charged at its own time as long as the clock has not
    been switched since.

    :raises IllegalEvent: the rules do not allow the event now; the state is unchanged.
    """
    if isinstance(event, events.Retract):
        return _retract(state, event)
    switched_ns = state.clock.since_ns
    if event.at_ns < switched_ns and not isinstance(event, (events.BoardReported, events.CorrectReading, events.Tick)):
        raise IllegalEvent(say("the clock has been switched or set since then"))
    now_ns = max(event.at_ns, switched_ns)
    before = advance(state, now_ns)
    handler = TABLE.get((before.phase, kind_of(event)))
    if handler is None:
        raise illegal_event_error(before.phase)
    after, effects = handler(before, event)
    after = advance(after, now_ns, waited=True)
    if after is state or (isinstance(event, (events.BoardReported, events.Tick, events.Restart)) and after == state):
        return state, effects
    return replace(after, undo=_undo(state, event), revision=state.revision + 1), effects


def advance(state: MatchState, at_ns: int, *, waited: bool = False) -> MatchState:
    """Apply what time alone has changed by ``at_ns``: rows 5 and 28, and what the clock reports or calls in play.
    ``waited``: a time that ran out earlier had to wait for the move in progress, which is complete only now.
    """
    if state.phase not in (Phase.LATE, Phase.FREE):
        return flag_fall_and_resignation.advance_time(state, at_ns) if state.clock.has_flag_fallen(at_ns) else state
    deadline_ns = state.next_deadline_ns()
    if deadline_ns is None or at_ns < deadline_ns:
        return state
    over_ns = at_ns if waited else deadline_ns
    if state.phase is Phase.LATE:
        return game_start_and_late_player.late_time_over(state, over_ns)
    return free_play_by_time_winner.end_free_play(state, over_ns)


def _undo(state: MatchState, event: events.Event) -> UndoState | None:
    """Return the presses that may still be retracted, with the events after each."""
    undo = state.undo
    if undo is not None and event.at_ns - undo.press.at_ns > _UNDO_NS:
        undo = None
    if isinstance(event, events.Press):  # two are enough: one discharge affects the cables of both buttons at most
        if undo is not None:
            undo = replace(undo, before=replace(undo.before, undo=None))
        return UndoState(event, replace(state, undo=undo))
    if isinstance(event, events.Restart) or undo is None:
        return None
    return replace(undo, since=(*undo.since, event))


def _presses(undo: UndoState | None) -> Iterator[UndoState]:
    while undo is not None:
        yield undo
        undo = undo.before.undo


def _retract(state: MatchState, event: events.Retract) -> Step:
    """Undo a press: the time since is charged to the side that really ran, and the events after the press are applied
    again as far as they are still possible.
    """
    later: list[events.Event] = []
    for undo in _presses(state.undo):
        if event.press_at_ns in (None, undo.press.at_ns):
            break
        later[:0] = (undo.press, *undo.since)
    else:
        raise IllegalEvent(say("that press cannot be taken back"))
    later[:0] = undo.since
    after = replace(undo.before, asked=state.asked)  # a request number is never used twice
    effects: list[events.Effect] = []
    for repeated in later:
        try:
            after, again = step(after, repeated)
        except IllegalEvent:
            continue
        effects += [effect for effect in again if isinstance(effect, events.ReadBoard)]
    return replace(advance(after, event.at_ns), revision=state.revision + 1), tuple(effects)
