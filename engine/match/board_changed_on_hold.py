"""Board changes that an arbiter made while the clock was on HOLD (K-09).

The stored position follows the physical board. A board changed during a HOLD becomes the start of the turn that
resumes. A move that the player in turn had begun, or made meanwhile, remains that player's move.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.board.illegal_move_diagnosis import Verdict, diagnose
from engine.copy_with_changes import replace
from engine.match import screen_messages
from engine.match.basic_state_changes import add_turn, notify_arbiter
from engine.match.match_state import MatchState
from engine.match.model import CompletedTurn, Phase, TurnKind
from engine.match.out_of_turn_moves import first_of_two, legal_turn


def adopt_board(state: MatchState, at_ns: int) -> MatchState:
    """Return the state on HOLD with the table's current board as the start of the turn, if the board was changed."""
    board, before = state.board, state.turn_board
    if board is None or before is None or state.held_board is None or not state.board_known:
        return state
    if board in (before, state.held_board):
        return state
    if state.resume_phase not in (Phase.TURN, Phase.CHECK) or state.side is None:
        return state
    if state.resume_phase is Phase.TURN and _is_his_move(state, before, board):
        return state
    state = _taken_back(state, board) or _stands(state, before, board)
    return notify_arbiter(state, screen_messages.board_adopted(at_ns))


def _is_his_move(state: MatchState, before: str, board: str) -> bool:
    """Return whether the board shows the turn in progress: a legal move, one already begun when the clock stopped, or
    one more disc than before whose flips may still follow.
    """
    assert state.side is not None
    verdict = diagnose(state.position(before, state.side), board).verdict
    begun = state.held_board != before or before.count("-") - board.count("-") == 1
    return verdict is Verdict.LEGAL or (begun and verdict is not Verdict.TOO_LARGE)


def _taken_back(state: MatchState, board: str) -> MatchState | None:
    """Return the state after the arbiter restored the board of an earlier turn: later turns are dropped. None if no
    earlier turn ended with this board.
    """
    if state.side is None or state.resume_phase is not Phase.TURN:
        return None
    for count in range(len(state.turns) - 1, -1, -1):
        turns = state.turns[:count]
        after = turns[-1].after if turns else state.start_board
        mover = turns[-1].by.opponent if turns else state.first
        if after == board and mover is state.side:
            return replace(state, turns=turns)
    return None


def _stands(state: MatchState, before: str, board: str) -> MatchState:
    """Return the state in which the last turn ended with this board: it was corrected, or the arbiter set it."""
    if not state.turns:
        return replace(state, start_board=board)
    last = state.turns[-1]
    turn = replace(last, after=board)
    if last.before is not None:
        diagnosis = diagnose(state.position(last.before, last.by), board)
        if diagnosis.verdict is Verdict.LEGAL:
            turn = replace(turn, kind=TurnKind.MOVE, move=diagnosis.move)
    return replace(state, turns=(*state.turns[:-1], turn))


def give_turn(state: MatchState, color: Color) -> MatchState:
    """Return the state with the turn given to ``color`` by the arbiter (M43-28).

    Turns alternate in the record, so the turn before it is inserted: the legal one that the board shows (its press was
    forgotten), or one that nobody made.
    """
    before, board = state.turn_board, state.board
    if state.to_move is color:
        return state
    if before is not None and board is not None and board != before and state.board_known:
        position = state.position(before, color.opponent)
        diagnosis = diagnose(position, board)
        if diagnosis.verdict is Verdict.LEGAL:
            return add_turn(state, CompletedTurn(color.opponent, TurnKind.MOVE, diagnosis.move, before, board))
        if first := first_of_two(position, board):
            return add_turn(state, legal_turn(color.opponent, first, before))
    return add_turn(state, CompletedTurn(color.opponent, TurnKind.UNREAD, None, state.turn_board, state.turn_board))
