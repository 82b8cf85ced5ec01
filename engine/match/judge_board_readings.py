"""Judgement of turns by board readings.

- A turn is judged only by the board at its start and the board at its press, both as they physically were (K-09, K-10).
- A press whose board is not read yet is assumed to be an ordinary move. When the reading arrives, the presses made
  since are judged again.
- This never corrects the clock: a move, a pass, a challenge and the last move all start the other side's time.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.board.errors import BadBoard
from engine.board.illegal_move_diagnosis_and_challenge import Diagnosis, Verdict, ViolationKind, diagnose
from engine.board.position import parse_cells
from engine.board.variants import shape_of
from engine.copy_with_changes import replace
from engine.i18n import say
from engine.match import screen_messages
from engine.match.board_change_attribution import (
    Made,
    after_unpressed_pass,
    explain_two,
    first_of_two,
    legal_turn,
    reconcile,
)
from engine.match.match_events_and_effects import Effect
from engine.match.match_state import MatchState, Step
from engine.match.match_value_types import (
    Challenge,
    CompletedTurn,
    IllegalEvent,
    PendingPress,
    Phase,
    RecordedViolation,
    TurnKind,
)
from engine.match.rule_sets_and_options import OutOfTurnPress

#: A judged press: the state, the effects, and the phase and side that follow from the board.
JudgedPress = tuple[MatchState, tuple[Effect, ...], Phase, Color]

_KINDS = {
    Verdict.LEGAL: TurnKind.MOVE,
    Verdict.PASS: TurnKind.PASS,
    Verdict.ILLEGAL: TurnKind.ILLEGAL,
    Verdict.TOO_LARGE: TurnKind.TOO_LARGE,
}


def store_reading(state: MatchState, cells: str) -> MatchState:
    """Store the board as it was read.

    :raises IllegalEvent: this game has no board source, or the reading is not a board.
    """
    if state.start_board is None:
        raise IllegalEvent(say("this table has no board source"))
    if state.board == cells:
        return state
    try:
        parse_cells(cells, state.variant.geometry)
    except BadBoard as error:
        raise IllegalEvent(say("not a board reading: {why}", why=error)) from error
    return replace(state, board=cells)


def judge_press(state: MatchState, press: PendingPress, cells: str, at_ns: int) -> Step:
    """Judge the turn that ended with ``press`` by the board read for it."""
    index = state.pending.index(press)
    state, presses = _drop_unread_presses(state, state.pending[:index]), state.pending[index + 1 :]
    match press.phase:
        case Phase.CORR:
            state, effects, phase, side = _judge_correction(state, press.side, cells, at_ns)
        case Phase.CHECK:  # row 19: the only reason to press here is a challenge
            effects, phase, side = (), Phase.CORR, press.side
        case _:
            state, effects, phase, side = _judge_turn(state, press, cells, at_ns, joined=bool(presses) or press.late)
    return _apply_later_presses(state, phase, side, presses, press.at_ns), effects


def settle_correction(state: MatchState, at_ns: int) -> Step:
    """Settle a correction that is on the board but was not pressed when the flag was claimed: it counts if it is
    correct.
    """
    cells, offender = state.board, state.side
    if not state.board_known or cells is None or offender is None or cells == state.turn_board:
        return state, ()
    corrected, effects, _, _ = _judge_correction(state, offender, cells, at_ns)
    return (corrected, effects) if corrected.turns[-1].kind is TurnKind.MOVE else (state, ())


def judged_turn(diagnosis: Diagnosis, by: Color, ply: int, before: str, after: str) -> CompletedTurn:
    """Return the turn as recorded. IM-10: a board that no single move explains is recorded with the squares that
    differ.
    """
    findings = tuple(
        RecordedViolation(ply, by, str(found.kind), found.squares, found.text) for found in diagnosis.findings
    )
    kind = TurnKind.FALSE_PASS if after == before and findings else _KINDS[diagnosis.verdict]
    if kind is TurnKind.TOO_LARGE:
        geometry = shape_of(before)
        squares = tuple(
            geometry.name(square)
            for square, old, new in zip(geometry.squares, before, after, strict=True)
            if old != new
        )
        findings = (RecordedViolation(ply, by, "IM-10", squares, say("no single move explains it")),)
    return CompletedTurn(by, kind, diagnosis.move, before, after, findings)


def _drop_unread_presses(state: MatchState, presses: tuple[PendingPress, ...]) -> MatchState:
    """Drop presses whose board will never be read, because a later one has been."""
    for press in presses:
        if press.phase is Phase.TURN:
            state = state.add_turn(CompletedTurn(press.by, TurnKind.UNREAD, None, state.turn_board, None))
        elif press.phase is Phase.CORR and state.turns:
            state = state.replace_last_turn(replace(state.turns[-1], kind=TurnKind.UNREAD, after=None))
    return state


def _judge_turn(state: MatchState, press: PendingPress, cells: str, at_ns: int, *, joined: bool) -> JudgedPress:
    """M43-6.2: judge a press as challenge, pass or move. ``joined``: the opponent has pressed since, so that a move of
    theirs is judged by its own press.
    """
    by = press.by
    if state.press_owed is by and state.turns and state.turns[-1].by is by and state.turn_board == cells:
        return _after_turn(replace(state, press_owed=None), by, ())  # this move was read with the preceding press
    if state.turns and was_out_of_turn(state, by, len(state.turns)):  # the opponent pressed without a challenge
        return _judge_correction(replace(state, turns=state.turns[:-1]), by, cells, at_ns)
    if state.turns and state.turns[-1].by is by:
        state = state.add_turn(CompletedTurn(by.opponent, TurnKind.UNREAD, None, state.turn_board, state.turn_board))
    before = state.turn_board
    if before is None:
        state = _judge_unread(state, by, cells, at_ns)
        return _after_turn(state, by, ())

    position = state.position(before, by)
    diagnosis = diagnose(position, cells, declared_pass=press.declared_pass)
    if diagnosis.verdict is Verdict.UNCHANGED:
        # M43-6a.3: an unchanged board on which a legal move exists is a challenge of the previous turn.
        if state.turns:
            return _challenge(state, press, (), at_ns)
        # With nothing to challenge, the press can only mean a pass (IM-7).
        diagnosis = diagnose(position, cells, declared_pass=True)
    is_illegal = diagnosis.verdict in (Verdict.ILLEGAL, Verdict.TOO_LARGE)
    first = first_of_two(position, cells) if is_illegal else None
    if first and (joined or not position.must_pass):
        return _after_turn(state.add_turn(legal_turn(by, first, before)), by, ())
    if is_illegal and (reconciled := reconcile(state, by, cells)):
        state = state.replace_last_turn(replace(state.turns[-1], after=reconciled))
        return _judge_turn(state, press, cells, at_ns, joined=joined)
    if is_illegal and (steps := after_unpressed_pass(position, cells)):
        return _insert_unpressed_pass(state, by, steps)
    if first:  # a pass, and the opponent's next move is not finished
        return _after_turn(state.add_turn(legal_turn(by, first, before)), by, ())
    if is_illegal and any(finding.kind is ViolationKind.OUT_OF_TURN for finding in diagnosis.findings):
        return _judge_out_of_turn(state, press, diagnosis, cells, at_ns)

    turn = judged_turn(diagnosis, by, len(state.turns) + 1, before, cells)
    state, effects = state.add_turn(turn).file_findings(turn.findings, at_ns)
    if turn.kind is TurnKind.PASS:
        state = state.notify_players(screen_messages.passed(at_ns, by=by))
        seat = state.seat_of(by)
        if seat is not None and not state.options.pass_is_charged:  # AMB-47
            state = replace(state, clock=state.clock.with_turn_refunded(seat, press.cost_ns))
    return _after_turn(state, by, effects)


def _insert_unpressed_pass(state: MatchState, by: Color, steps: tuple[Made, ...]) -> JudgedPress:
    """OTH-09, NOT-01: insert the pass that was not pressed, so that the record is complete. If the opponent has moved
    and the press was only the pass, the press for that move is still to come.
    """
    for step in steps:
        state = state.add_turn(legal_turn(state.to_move, step, state.turn_board or ""))
    if state.turns[-1].by is by:
        return _after_turn(state, by, ())
    return replace(state, press_owed=by.opponent), (), Phase.TURN, by.opponent


def _judge_out_of_turn(
    state: MatchState, press: PendingPress, diagnosis: Diagnosis, cells: str, at_ns: int
) -> JudgedPress:
    """IM-2: judge a press after the opponent moved out of turn. With the option it is the challenge of that move
    (M43-6a.3); else the players are shown nothing, and the opponent's next press tells whether the move was taken back
    (K-08).
    """
    by, before = press.by, state.turn_board
    assert before is not None
    turn = judged_turn(diagnosis, by.opponent, len(state.turns) + 1, before, cells)
    state, effects = state.file_findings(turn.findings, at_ns)
    if state.options.out_of_turn_press is OutOfTurnPress.TURN:
        state = state.add_turn(CompletedTurn(by, TurnKind.UNREAD, None, before, cells))
        return state, effects, Phase.TURN, by.opponent
    return _challenge(state, press, effects, at_ns)


def _challenge(state: MatchState, press: PendingPress, effects: tuple[Effect, ...], at_ns: int) -> JudgedPress:
    """M43-6a.3: judge the press as the challenge of the opponent's turn."""
    offender = press.by.opponent
    if press.at_ns == state.turn_since_ns:
        state = state.without_bonus(press.by)
    challenge = screen_messages.challenge(at_ns, offender=offender)
    return state.notify_players(challenge), effects, Phase.CORR, offender


def _judge_unread(state: MatchState, by: Color, cells: str, at_ns: int) -> MatchState:
    """Judge a turn whose start board was never read. If only one turn is missing, the two together may explain the
    board.
    """
    unread = state.turns[-1]
    if unread.before is not None and (both := explain_two(state.position(unread.before, unread.by), cells)):
        first, second = both
        state = state.replace_last_turn(legal_turn(unread.by, first, unread.before))
        return state.add_turn(legal_turn(by, second, first[1].cells()))
    state = state.add_turn(CompletedTurn(by, TurnKind.UNREAD, None, None, cells))
    return state.notify_arbiter(screen_messages.unread(at_ns, ply=len(state.turns)))


def _judge_correction(state: MatchState, offender: Color, cells: str, at_ns: int) -> JudgedPress:
    """M43-6a.3: judge the corrected board against the start of the offender's turn; it replaces that turn."""
    effects: tuple[Effect, ...] = ()
    if not state.turns and cells == state.start_board:
        return _after_turn(state, offender, ())  # a move before the first turn was taken back (IM-2)
    if not state.turns or state.turns[-1].by is not offender:  # a claim that the board does not confirm
        state = state.add_turn(CompletedTurn(offender, TurnKind.UNREAD, None, state.turn_board, cells))
    turn = state.turns[-1]
    if turn.after != cells:
        if turn.before is None:
            corrected = replace(turn, after=cells)
        else:
            position = state.position(turn.before, turn.by)
            diagnosis = diagnose(position, cells, declared_pass=cells == turn.before)
            is_illegal = diagnosis.verdict in (Verdict.ILLEGAL, Verdict.TOO_LARGE)
            if is_illegal and (first := first_of_two(position, cells)):
                corrected = legal_turn(offender, first, turn.before)
                return _after_turn(state.replace_last_turn(corrected), offender, effects)
            if is_illegal and was_out_of_turn(state, offender, len(state.turns) + 1):  # the turn before stands (IM-12)
                return state.replace_last_turn(replace(turn, after=cells)), effects, Phase.TURN, offender.opponent
            corrected = judged_turn(diagnosis, turn.by, len(state.turns), turn.before, cells)
        state = state.replace_last_turn(corrected)
        state, effects = state.file_findings(corrected.findings, at_ns)
    return _after_turn(state, offender, effects)


def was_out_of_turn(state: MatchState, offender: Color, ply: int) -> bool:
    """Return whether the offender moved in the opponent's turn of that number (IM-2), and nothing was played in it
    since: that turn is still open, or it ended with the press on that board.
    """
    if ply <= len(state.turns):
        turn = state.turns[ply - 1]
        if turn.kind is not TurnKind.UNREAD or turn.after in (None, turn.before):
            return False
    return any((filed.ply, filed.by, filed.kind) == (ply, offender, "IM-2") for filed in state.findings)


def _after_turn(state: MatchState, by: Color, effects: tuple[Effect, ...]) -> JudgedPress:
    """Row 7 or row 18: give the turn to the other side, or end the moves if it was the last one (M43-9)."""
    assert state.turn_board is not None
    # A board that no move explains (swept, bumped, misread) is no evidence that the game is over.
    if state.is_over(state.turn_board) and state.turns[-1].kind is not TurnKind.TOO_LARGE:
        return state, effects, Phase.CHECK, by
    return state, effects, Phase.TURN, by.opponent


def _apply_later_presses(
    state: MatchState, phase: Phase, side: Color, presses: tuple[PendingPress, ...], at_ns: int
) -> MatchState:
    """Continue from the judged press through the presses made since, to the present phase."""
    last_move_ns = None
    if phase is Phase.CHECK:
        # Only the first completion counts: a challenge of the last move gives nobody a new flag (M43-10.1, AMB-06).
        last_move_ns = at_ns if state.last_move_ns is None else state.last_move_ns
    elif phase is Phase.CORR:
        last_move_ns = state.last_move_ns
    assumed = []
    for press in presses:
        assumed.append(replace(press, phase=phase, side=side))
        # as long as its board has not been read, a press in CHECK is a challenge, any other an ordinary move
        phase, side = (Phase.CORR, side) if phase is Phase.CHECK else (Phase.TURN, side.opponent)
    state = replace(state, pending=tuple(assumed))

    now = state.active_phase
    if now not in (Phase.TURN, Phase.CORR, Phase.CHECK):
        return state
    challenge = state.challenge
    if now is Phase.CORR and challenge is not None and challenge.from_claim:
        returns_to = Phase.CHECK if phase is Phase.CHECK else Phase.TURN
        return replace(state, challenge=replace(challenge, returns_to=returns_to), last_move_ns=last_move_ns)
    if state.clock_seat(phase, side) is not state.clock_seat(now, state.side):
        return state  # a claim made before the reading contradicts it: the players and the arbiter take precedence
    if phase is Phase.CORR:
        challenge = challenge or open_challenge(
            state, side, returns_to=Phase.TURN if last_move_ns is None else Phase.CHECK
        )
    else:
        challenge = None
    state = replace(state, side=side, challenge=challenge, last_move_ns=last_move_ns)
    return state.with_active_phase(phase)


def open_challenge(state: MatchState, offender: Color, *, returns_to: Phase, from_claim: bool = False) -> Challenge:
    """Open a challenge. AMB-01: note whether the offender ended the turn within the countdown, if the rules have one
    and the event uses it.
    """
    seat = state.seat_of(offender)
    assert seat is not None
    countdown_ns, side = state.options.countdown_ns, state.clock.side(seat)
    within = side.in_period or (countdown_ns is not None and side.left_ns <= countdown_ns)
    in_countdown = within and state.rules.countdown_clause
    return Challenge(offender.opponent, returns_to, in_countdown, from_claim=from_claim, board=state.board)
