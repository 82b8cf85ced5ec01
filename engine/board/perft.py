"""Perft: the number of all lines of play to a depth, as a test of the move generator."""

from __future__ import annotations

from engine.board.board_geometry import scan
from engine.board.position import Position


def perft(position: Position, depth: int) -> int:
    """Return the number of lines of ``depth`` plies. A pass is a ply; a game that is over counts as one leaf."""
    if depth < 0:
        raise ValueError(f"the depth of a perft is 0 or more, not {depth}")
    if depth == 0:
        return 1
    moves = position.legal_moves()
    if not moves:
        return 1 if depth == 1 or position.is_over else perft(position.pass_turn(), depth - 1)
    if depth == 1:
        return moves.bit_count()
    return sum(perft(position.play(square), depth - 1) for square in scan(moves))
