"""Challenges of the opponent's preceding turn (M43-6a, M43-10.1).

The engine answers only what the challenger named: the players learn whether that is correct, and the full finding goes
to the arbiter (K-11).
"""

from __future__ import annotations

from engine.board.color import Color
from engine.board.illegal_move_diagnosis_and_challenge import (
    TO_NAME,
    ChallengeAnswer,
    Diagnosis,
    ViolationKind,
    confirm,
    diagnose,
)
from engine.copy_with_changes import replace
from engine.i18n import say
from engine.match import screen_messages
from engine.match.board_change_attribution import moved_out_of_turn
from engine.match.judge_board_readings import judged_turn, open_challenge, was_out_of_turn
from engine.match.match_events_and_effects import Agree, ClaimKind, PlayerClaim, ViolationRecorded
from engine.match.match_state import MatchState, Step
from engine.match.match_value_types import CompletedTurn, IllegalEvent, Phase, TurnKind, seconds_to_ns


def claim_in_turn(state: MatchState, event: PlayerClaim) -> Step:
    """Row 9, M43-6a.2/3: challenge the preceding turn, before a pass or a touch.

    Without a press before it, the claim is the challenge press itself. From the player who has just pressed, it states
    what that press was.
    """
    _check_names(state, event)
    if event.by is state.side:
        moved = moved_out_of_turn(state, state.turn_board, state.board, event.by) if not state.pending else None
        if moved is None:
            _check_first_act(state)
            return _answer_claim(_open_correction(state, event.by.opponent, Phase.TURN, event.at_ns), event)
        return _challenge_of_move_out_of_turn(state, moved, event)
    pressed = state.turns[-1].after if state.turns and not state.pending else None
    earlier = _without_press(state, event.by)
    return _answer_claim(_open_correction(earlier, event.by.opponent, Phase.TURN, event.at_ns, pressed), event)


def claim_on_hold(state: MatchState, event: PlayerClaim) -> Step:
    """Row 9 while a player has stopped the clock: state what no press can tell (K-04). The offender's time runs again
    (M43-6a.3); a clock that the arbiter or a power cut stopped stays stopped.
    """
    if state.held_by is None or state.active_phase is not Phase.TURN:
        raise IllegalEvent(say("a challenge is possible only in play, or after a player has stopped the clock"))
    return claim_in_turn(state, event)


def claim_in_check(state: MatchState, event: PlayerClaim) -> Step:
    """Row 19, M43-10.1: challenge the last move, whatever time is left."""
    _check_names(state, event)
    if event.by is state.side:
        raise IllegalEvent(say("the last move was yours; only the opponent may challenge it (IM-11)"))
    return _answer_claim(_open_correction(state, event.by.opponent, Phase.CHECK, event.at_ns), event)


def claim_in_correction(state: MatchState, event: PlayerClaim) -> Step:
    """M43-6a.3: name the error after the challenge press."""
    _check_names(state, event)
    if state.challenge is None or event.by is not state.challenge.by:
        raise IllegalEvent(say("only the player who challenged says what is wrong (IM-11)"))
    return _answer_claim(state, event)


def claim_in_free_play(state: MatchState, event: PlayerClaim) -> Step:
    """Row 25, M43-15b.1: the loser challenges; the correction is made on the winner's running time."""
    _check_names(state, event)
    if event.by is state.side:
        raise IllegalEvent(say("only the loser may challenge in free play (M43-15b.1)"))
    _check_free_turn(state)
    turn = state.free_attempt or state.last_turn
    new = tuple(filed for filed in turn.findings if filed not in state.findings) if turn is not None else ()
    state = replace(state, findings=(*state.findings, *new))
    return _answer_about_turn(state, turn, event), tuple(ViolationRecorded(filed) for filed in new)


def press_in_free_play(state: MatchState, by: Color, at_ns: int) -> Step:
    """Row 25 by the button: the loser objects to the last move and explains the error verbally."""
    state, effects = claim_in_free_play(state, PlayerClaim(at_ns, by, ClaimKind.ILLEGAL))
    return state.notify_players(screen_messages.free_challenge(at_ns, winner=by.opponent)), effects


def _check_free_turn(state: MatchState) -> None:
    """M43-15b.1: check that a turn of free play precedes. Without a board source only the players know."""
    if state.start_board is not None and state.free_attempt is None and len(state.turns) <= state.free_since:
        raise IllegalEvent(say("nothing has been played in free play yet (M43-15b.1)"))


def agree(state: MatchState, event: Agree) -> Step:
    """Rows 11 and 12, M43-6a.6/7: if the players agree, the offender corrects the turn and presses; if not, the arbiter
    decides.
    """
    challenge, offender = state.challenge, state.side
    assert challenge is not None and offender is not None
    if event.agree:
        state = replace(state, challenge=replace(challenge, agreed=True))
        return state.notify_players(screen_messages.agreed(event.at_ns, offender=offender)), ()
    state = state.hold(event.at_ns).notify_players(screen_messages.disagreement(event.at_ns))
    return state.call_arbiter(screen_messages.called(event.at_ns))


def charge_unfounded(state: MatchState, at_ns: int) -> MatchState:
    """AMB-41: charge the cost of a challenge that the board shows to be unfounded; the default is none."""
    cost_ns = seconds_to_ns(state.options.unfounded_challenge_s)
    challenge, turn = state.challenge, state.last_turn
    if cost_ns <= 0 or challenge is None or challenge.agreed or turn is None or state.pending:
        return state
    seat = state.seat_of(challenge.by)
    if seat is None or turn.by is challenge.by or turn.findings or turn.after is None or state.board != turn.after:
        return state
    return replace(state, clock=state.clock.deducted(seat, cost_ns, at_ns))


def _check_names(state: MatchState, event: PlayerClaim) -> None:
    """M43-6a.4/5, AMB-19: check that the discs of IM-4 to IM-6 and a playable square of IM-7 are named."""
    if not state.rules.board:
        raise IllegalEvent(say("these rules have no challenges: call the arbiter"))
    if event.kind is None:
        return
    try:
        kind = ViolationKind(event.kind)
    except ValueError:
        sentence = say(
            "{kind} is no illegal move: name IM-1 to IM-7, or call the arbiter (IM-8, IM-10)", kind=event.kind
        )
        raise IllegalEvent(sentence) from None
    if kind in TO_NAME and not event.squares and state.options.naming_duty:
        raise IllegalEvent(say("{kind}: name {what} (M43-6a.4/5)", kind=kind, what=TO_NAME[kind]))


def _check_first_act(state: MatchState) -> None:
    """M43-6.2, M43-6a.2: check that the challenge is the first action of the turn."""
    if state.declared_pass or state.mid_move or state.press_owed is state.side:
        raise IllegalEvent(say("a challenge comes before a pass or a touch of the board (M43-6a.2)"))
    if not state.turns and not state.pending:
        raise IllegalEvent(say("there is no preceding turn to challenge (M43-6a.2)"))


def _without_press(state: MatchState, by: Color) -> MatchState:
    """Return the state in which the press of ``by`` that ended the turn was a challenge, unless the board contradicts
    it.
    """
    if state.pending and state.pending[-1].by is by and state.pending[-1].phase is Phase.TURN:
        earlier = replace(state, pending=state.pending[:-1])
    elif _may_be_challenge(state, by):
        earlier = replace(state, turns=state.turns[:-1])
    else:
        raise IllegalEvent(say("your turn is over; only the opponent's preceding turn may be challenged (M43-6a.2)"))
    if not earlier.turns and not earlier.pending and not state.findings:
        raise IllegalEvent(say("there was no preceding turn to challenge (M43-6a.2)"))
    return earlier.without_bonus(by)


def _may_be_challenge(state: MatchState, by: Color) -> bool:
    """Return whether the press of ``by`` may be a challenge: the player changed nothing on the board, or it was not
    read, and nothing has happened after it.
    """
    if not state.turns or state.pending or state.corrected or state.turns[-1].by is not by:
        return False
    turn = state.turns[-1]
    if was_out_of_turn(state, by.opponent, len(state.turns)):
        return True
    return not state.mid_move and (turn.kind is TurnKind.PASS or (turn.kind is TurnKind.UNREAD and turn.after is None))


def _open_correction(
    state: MatchState, offender: Color, returns_to: Phase, at_ns: int, pressed: str | None = None
) -> MatchState:
    """M43-6a.3: open the challenge; the turn and the running clock return to the offender. ``pressed``: what stood on
    the table when the challenger pressed, if that is known.
    """
    challenge = open_challenge(state, offender, returns_to=returns_to, from_claim=True)
    challenge = replace(challenge, board=pressed or challenge.board)
    state = replace(state, challenge=challenge).enter_phase(Phase.CORR, offender, at_ns)
    return state.notify_players(screen_messages.challenge(at_ns, offender=offender))


def _challenge_of_move_out_of_turn(state: MatchState, moved: Diagnosis, event: PlayerClaim) -> Step:
    """IM-2: open a challenge although the board changed: the opponent touched it, so the challenge is still the
    player's first action.
    """
    before, cells, ply = state.turn_board or "", state.board or "", len(state.turns) + 1
    turn = judged_turn(moved, event.by.opponent, ply, before, cells)
    state, effects = state.file_findings(turn.findings, event.at_ns)
    state = _open_correction(state, event.by.opponent, Phase.TURN, event.at_ns)
    return _answer_from_diagnosis(state, moved, event), effects


def _answer_claim(state: MatchState, event: PlayerClaim) -> Step:
    """Answer the named error. An error too large to point out goes to the arbiter (row 12, M43-6a.6)."""
    challenged = None if state.challenge is None or state.pending else state.challenge.board
    moved = moved_out_of_turn(state, state.turn_board, challenged, event.by)
    if moved is not None:
        return _answer_from_diagnosis(state, moved, event), ()
    turn = state.turns[-1] if state.turns and state.turns[-1].by is state.side and not state.pending else None
    state = _answer_about_turn(state, turn, event)
    if turn is None or turn.kind is not TurnKind.TOO_LARGE:
        return state, ()
    state = state.hold(event.at_ns).notify_players(screen_messages.hold(event.at_ns))
    return state.call_arbiter(screen_messages.too_large(event.at_ns))


def _answer_about_turn(state: MatchState, turn: CompletedTurn | None, event: PlayerClaim) -> MatchState:
    """K-11: confirm or deny the named error to the players; give the arbiter the full diagnosis."""
    if turn is None or turn.after is None:
        return state  # the board was not read: the players settle it or call the arbiter
    for filed in turn.findings:
        state = state.notify_arbiter(screen_messages.finding(filed, event.at_ns))
    if event.kind is None or turn.before is None:
        return state
    position = state.position(turn.before, turn.by)
    diagnosis = diagnose(position, turn.after, declared_pass=turn.kind is TurnKind.FALSE_PASS)
    return _answer_from_diagnosis(state, diagnosis, event)


def _answer_from_diagnosis(state: MatchState, diagnosis: Diagnosis, event: PlayerClaim) -> MatchState:
    """Return the state with the players' answer, limited to what was named."""
    if event.kind is None:
        return state
    verdict = confirm(diagnosis, ViolationKind(event.kind), event.squares, naming_duty=False)
    if verdict.answer is ChallengeAnswer.UNSETTLED:
        return state  # M43-6a.6: the board alone cannot decide; the players agree, or the arbiter decides
    if verdict.answer is ChallengeAnswer.CONFIRMED:
        state = state.notify_players(screen_messages.confirmed(event.kind, verdict.right, event.at_ns))
    if verdict.answer is ChallengeAnswer.DENIED or verdict.wrong:
        state = state.notify_players(screen_messages.denied(event.kind, verdict.wrong, event.at_ns))
    return state
