"""Perft: counting all lines of play to a depth, the proof of a move generator."""

from __future__ import annotations

from engine.board.flanking import flips, legal_moves
from engine.board.geometry import Geometry, scan
from engine.board.position import Position


def perft(position: Position, depth: int) -> int:
    """How many lines of ``depth`` plies there are. A pass is a ply; a game that is over counts as one leaf."""
    if depth < 0:
        raise ValueError(f"the depth of a perft is 0 or more, not {depth}")
    return _leaves(position.geometry, position.own, position.enemy, depth) if depth else 1


def _leaves(geometry: Geometry, own: int, enemy: int, depth: int) -> int:
    moves = legal_moves(geometry, own, enemy)
    if not moves:
        if depth == 1 or not legal_moves(geometry, enemy, own):
            return 1
        return _leaves(geometry, enemy, own, depth - 1)
    if depth == 1:
        return moves.bit_count()
    leaves = 0
    for square in scan(moves):
        turned = flips(geometry, own, enemy, square)
        leaves += _leaves(geometry, enemy ^ turned, own | turned | 1 << square, depth - 1)
    return leaves
