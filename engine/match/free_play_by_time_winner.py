"""Free play (勝手打ち): the winner on time plays for both sides, on the winner's own clock (M43-15a/b).

- No button is needed between moves (K-07).
- A reading that is a legal move is taken as that move. Any other reading is a move in progress or an illegal one and
  stays open. It is recorded as illegal when it is challenged or when play goes on from it, because no press marks the
  end of a move.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.board.illegal_move_diagnosis_and_challenge import Diagnosis, Verdict, diagnose
from engine.copy_with_changes import replace
from engine.end_reason import EndReason
from engine.i18n import say
from engine.match import challenge, screen_messages
from engine.match import match_events_and_effects as events
from engine.match.board_change_attribution import explain_two
from engine.match.game_end_disc_count_and_result_card import check_count, count_again, is_hand_counted
from engine.match.judge_board_readings import judged_turn, store_reading
from engine.match.match_state import MatchState, Step
from engine.match.match_value_types import CompletedTurn, GameResult, IllegalEvent, Phase, TurnKind, illegal_event_error


def choose_time_win(state: MatchState, event: events.Choose) -> Step:
    """Row 23, M43-15a: take 33-31. Row 24, M43-15b: begin free play on the winner's time, in turn order."""
    winner = _winner(state)
    if event.choice is events.TimeWinChoice.SCORE:
        result = GameResult.of_discs(winner, state.squares // 2 + 1, state.squares, EndReason.TIME)
        return state.finish_game(result, event.at_ns), ()
    # A turn that was not read gets the current board.
    for press in state.pending:
        if press.phase is Phase.TURN:
            state = state.add_turn(CompletedTurn(press.by, TurnKind.UNREAD, None, state.turn_board, state.board))
    state = replace(state, pending=(), free_attempt=None).due_pass()
    state = replace(state, free_since=len(state.turns))
    state = state.enter_phase(Phase.FREE, winner, event.at_ns).notify_players(
        screen_messages.free_play(event.at_ns, winner=winner)
    )
    return _end_if_nobody_can_move(state, event.at_ns), ()


def press_free(state: MatchState, event: events.Press) -> Step:
    """K-07: handle a press in free play. The winner's is not needed and only causes a reading of the board. Row 25,
    M43-15b.1: the loser's is a challenge.
    """
    by = state.color_at(event.seat)
    if state.free_stopped or by is None:
        raise IllegalEvent(say("free play has been stopped; count the discs and enter them"))
    if by is not state.side:
        return challenge.press_in_free_play(state, by, event.at_ns)
    if state.start_board is None:
        return state, ()
    number = state.asked + 1
    return replace(state, asked=number), (events.ReadBoard(number),)


def free_board(state: MatchState, event: events.BoardReported) -> Step:
    """Row 24, K-07: take each reading as a move, colours alternating, with passes as usual. Row 27: the natural end."""
    if event.at_ns < state.clock.since_ns or state.clock.running is None:
        return state, ()
    state = store_reading(state, event.cells)
    state, effects = _judge_free_reading(state, event.cells, event.at_ns)
    return _end_if_nobody_can_move(state, event.at_ns), effects


def _judge_free_reading(state: MatchState, cells: str, at_ns: int) -> Step:
    before = state.turn_board
    assert before is not None
    if cells == before:
        return replace(state, free_attempt=None), ()
    position = state.position(before, state.to_move)
    diagnosis = diagnose(position, cells)
    if diagnosis.verdict is Verdict.LEGAL:
        return _add_free_move(state, diagnosis, cells), ()
    if both := explain_two(position, cells):  # a reading was missed
        for square, after in both:
            kind = TurnKind.PASS if square is None else TurnKind.MOVE
            state = state.add_turn(CompletedTurn(state.to_move, kind, square, state.turn_board, after.cells()))
        return replace(state, free_attempt=None).due_pass(), ()
    if (attempt := state.free_attempt) is not None and attempt.after != cells:
        # IM-12: nobody challenged it and play went on; the illegal turn stands.
        after_attempt = replace(state, free_attempt=None).add_turn(attempt).due_pass()
        assert after_attempt.turn_board is not None
        diagnosis_after = diagnose(after_attempt.position(after_attempt.turn_board, after_attempt.to_move), cells)
        if diagnosis_after.verdict is Verdict.LEGAL:
            after_attempt, effects = after_attempt.file_findings(attempt.findings, at_ns)
            return _add_free_move(after_attempt, diagnosis_after, cells), effects
    turn = judged_turn(diagnosis, state.to_move, len(state.turns) + 1, before, cells)
    return replace(state, free_attempt=turn), ()


def _add_free_move(state: MatchState, diagnosis: Diagnosis, cells: str) -> MatchState:
    turn = CompletedTurn(state.to_move, TurnKind.MOVE, diagnosis.move, state.turn_board, cells)
    return replace(state, free_attempt=None).add_turn(turn).due_pass()


def _end_if_nobody_can_move(state: MatchState, at_ns: int) -> MatchState:
    """Row 27, S7: end free play when neither side can move; the empties go to the winner on time."""
    if state.turn_board is None or state.free_attempt is not None or not state.is_over(state.turn_board):
        return state
    return state.finish_game(_result_from_board(state, state.turn_board), at_ns)


def stop_free_play(state: MatchState, event: events.StopFreePlay) -> Step:
    """Row 26, M43-15b.2, M43-17.2: stop free play. The winner gets the discs then on the board, the loser the empties.
    Without a board source the count is entered by hand.
    """
    if state.free_stopped:
        raise IllegalEvent(say("free play has been stopped; count the discs and enter them"))
    return end_free_play(state, event.at_ns), ()


def end_free_play(state: MatchState, at_ns: int) -> MatchState:
    """End free play at ``at_ns``: it was stopped, or the winner's time has run out (row 28, M43-15b.3)."""
    if state.board is None:
        state = replace(state.stop_clock(at_ns), free_stopped=True, count=None)
        return state.notify_players(screen_messages.count(at_ns))
    return state.finish_game(_result_from_board(state, state.board), at_ns)


def free_discs(state: MatchState, event: events.DiscCount) -> Step:
    """Row 26 without a board source: enter the count after the stop. M43-18.5: too many discs are read to the winner's
    disadvantage.
    """
    if not state.free_stopped:
        raise IllegalEvent(say("free play is going on; stop it before the discs are counted"))
    check_count(state, event)
    winner = _winner(state)
    own, other = (event.black, event.white) if winner is Color.BLACK else (event.white, event.black)
    over = 0 in (own, other)  # OTH-15: the side without discs cannot move, nor can the other
    own = state.squares - other if over else min(own, state.squares - other)
    result = _result_with_floor(state, winner, own)
    return replace(state, count=(event.black, event.white)).finish_game(result, event.at_ns), ()


def resume_free_play(state: MatchState, at_ns: int) -> MatchState:
    """Row 13: resume free play. After the stop the clocks remain stopped and the count is still to be entered."""
    state = state.enter_phase(Phase.FREE, state.side, at_ns)
    return state.stop_clock(at_ns).notify_players(screen_messages.count(at_ns)) if state.free_stopped else state


def reject_count(state: MatchState, event: events.Agree) -> Step:
    """M43-18.2: enter the count again if one player disagrees with the one entered after free play; the arbiter is
    called.
    """
    if event.agree or state.result is None or not is_hand_counted(state):
        raise illegal_event_error(state.phase)
    state = replace(state, result=None, confirmed=()).enter_phase(Phase.FREE, state.result.winner, event.at_ns)
    state = replace(state.stop_clock(event.at_ns), count=None)
    return count_again(state, event.at_ns)


def _result_from_board(state: MatchState, board: str) -> GameResult:
    """Return the result from the board. S6: the winner's own discs. S7: if neither side can move, also the empties."""
    winner = _winner(state)
    own, other = board.count(winner.symbol), board.count(winner.opponent.symbol)
    return _result_with_floor(state, winner, state.squares - other if state.is_over(board) else own)


def _result_with_floor(state: MatchState, winner: Color, own: int) -> GameResult:
    """AMB-03: apply the floor of 33-31 for the winner."""
    least = state.squares // 2 + 1 if state.options.free_play_floor else 0
    return GameResult.of_discs(winner, max(own, least), state.squares, EndReason.FREE_PLAY)


def _winner(state: MatchState) -> Color:
    assert state.side is not None
    return state.side
