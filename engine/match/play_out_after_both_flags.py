"""Both flags under TEAM-7.7: a side that alone can still move plays out its moves, and the game counts normally.

The board decides. If both sides can move, the right-holder wins 32-32 (TEAM-7.7b). If neither can, the game counts as
it stands (TEAM-7.7a). Where the board was not read, both are assumed to be able to move, and the arbiter is informed.
"""

from __future__ import annotations

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.position import Position
from engine.copy_with_changes import replace
from engine.end_reason import EndReason
from engine.i18n import say
from engine.match import screen_messages
from engine.match.basic_state_changes import (
    Step,
    call_arbiter,
    due_pass,
    enter_phase,
    finish_game,
    is_over,
    notify_arbiter,
    notify_players,
    stop_clock,
)
from engine.match.judge_board_readings import settle_correction
from engine.match.match_state import MatchState
from engine.match.model import GameResult, IllegalEvent, Phase
from engine.match.rulesets import PlayOut


def play_out(state: MatchState, at_ns: int) -> Step:
    """Stop the game on a claim of both flags; a move in progress stands and is completed."""
    if state.last_move_ns is not None or state.active_phase is Phase.ENDED:
        raise IllegalEvent(say("both have made their last moves: the game counts normally (TEAM-7.7a)"))
    if state.mid_move and (mover := state.side) is not None:
        return notify_players(_finish(state, mover, at_ns), screen_messages.finish(mover, at_ns)), ()
    state, effects = settle_correction(state, at_ns) if state.active_phase is Phase.CORR else (state, ())
    state, more = continue_play_out(state, at_ns)
    return state, (*effects, *more)


def continue_play_out(state: MatchState, at_ns: int) -> Step:
    """Continue from the board once no move is in progress."""
    board = state.turn_board
    if board is None or not state.board_known:
        state = notify_arbiter(state, screen_messages.both_flags_unread(at_ns))
        return _right_holder_wins(state, at_ns), ()
    if is_over(state, board):
        return _ended(state, at_ns), ()
    state = due_pass(state)
    mover = state.to_move
    if state.playing_out not in (None, mover):  # AMB-38: the other side can move again
        if state.options.play_out is PlayOut.ARBITER or state.draw_right is None:
            return call_arbiter(stop_clock(state, at_ns), screen_messages.moves_again(at_ns))
        return _right_holder_wins(state, at_ns), ()
    if not _has_made_last_move(mover.opponent, state.position(board, mover)):
        if state.both_claimed and state.draw_right is None:
            return call_arbiter(stop_clock(state, at_ns), screen_messages.no_right_holder(at_ns))
        return _right_holder_wins(state, at_ns), ()
    known = state.playing_out
    state = replace(_finish(state, mover, at_ns), playing_out=mover)
    return (state if known else notify_players(state, screen_messages.play_out(mover, at_ns))), ()


def _has_made_last_move(color: Color, position: Position) -> bool:
    """Return whether ``color``, who is not to move, cannot move now, or not after any move of the other side."""
    if not replace(position, to_move=color).legal_moves():
        return True
    return not any(position.play(square).legal_moves() for square in scan(position.legal_moves()))


def _finish(state: MatchState, mover: Color, at_ns: int) -> MatchState:
    """Enter FINISH(mover) with both clocks stopped, as neither side has time left."""
    return replace(stop_clock(enter_phase(state, Phase.FINISH, mover, at_ns), at_ns), both_claimed=True)


def _ended(state: MatchState, at_ns: int) -> MatchState:
    """TEAM-7.7a: end the game; both have made their last moves, the clock is stopped and the result is to be agreed."""
    last = state.to_move.opponent
    state = enter_phase(
        replace(state, both_claimed=False, playing_out=None, last_move_ns=at_ns), Phase.ENDED, last, at_ns
    )
    return notify_players(state, screen_messages.end(at_ns))


def _right_holder_wins(state: MatchState, at_ns: int) -> MatchState:
    """TEAM-7.7b: end the game as a 32-32 win for the right-holder."""
    if state.draw_right is None:
        raise IllegalEvent(say("nobody holds the draw right in this game: the arbiter enters the result"))
    result = GameResult(state.draw_right, state.squares // 2, state.squares // 2, EndReason.BOTH_FLAGS, rated=False)
    return finish_game(replace(state, both_claimed=False, playing_out=None), result, at_ns)
