"""Breadth-first perft: all positions of a depth at once, each stored once with the number of lines that lead to it.

The counts equal those of ``perft.perft``. Positions that are mirror images of one another are merged, as far as the
board's shape allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.board.bitboard_numpy import BITS, Column, Squares, count, fits_64_bits, flips, legal_moves, to_column_bits
from engine.board.position import Position

#: Positions expanded in one batch; a larger batch only needs more memory.
_AT_ONCE = 1_000_000


def can_count(position: Position) -> bool:
    """Return whether this ``perft`` supports a position: at most 8x8 squares, and Othello's rules without a supply."""
    return fits_64_bits(position.geometry) and position.rules.are_othello


def perft(position: Position, depth: int, *, merge: bool = True) -> int:
    """Return the number of lines of ``depth`` plies. A pass is a ply; a game that is over counts as one leaf.

    ``merge`` False counts every line separately, for comparison with engines that do.

    :raises ValueError: if ``can_count`` returns False, or ``depth`` is negative.
    """
    if not can_count(position):
        raise ValueError("only boards of at most 8x8 with the rules of Othello can be counted breadth first")
    if depth < 0:
        raise ValueError(f"the depth of a perft is 0 or more, not {depth}")
    geometry = position.geometry
    playable = to_column_bits(geometry, geometry.playable)
    symmetries = [image for image in range(8) if _image(_column(playable), image)[0] == playable]
    level = PerftLayer(
        _column(to_column_bits(geometry, position.own)), _column(to_column_bits(geometry, position.enemy)), _column(1)
    )
    return _leaves(level, depth, playable, symmetries if merge else [])


@dataclass(frozen=True, slots=True)
class PerftLayer:
    """The positions of one depth from their mover's view, and the number of lines that lead to each."""

    own: Column
    enemy: Column
    lines: Column

    def __getitem__(self, boards: slice | NDArray[np.bool_] | Squares) -> PerftLayer:
        return PerftLayer(self.own[boards], self.enemy[boards], self.lines[boards])


def _leaves(level: PerftLayer, left: int, playable: int, symmetries: list[int]) -> int:
    if left == 0:
        return _sum(level.lines)
    if level.own.size > _AT_ONCE:
        parts = range(0, level.own.size, _AT_ONCE)
        return sum(_leaves(level[first : first + _AT_ONCE], left, playable, symmetries) for first in parts)
    moves = legal_moves(level.own, level.enemy, playable)
    can_move = moves != 0
    if left == 1:
        return _sum(level.lines[can_move] * count(moves[can_move])) + _sum(level.lines[~can_move])
    over = ~can_move
    over[over] = legal_moves(level.enemy[over], level.own[over], playable) == 0
    passing = level[~can_move & ~over]

    boards, squares = _expand(moves)
    following = level[boards]
    turned = flips(following.own, following.enemy, squares)
    level_after = PerftLayer(
        np.concatenate([following.enemy ^ turned, passing.enemy]),
        np.concatenate([following.own | turned | BITS.take(squares), passing.own]),
        np.concatenate([following.lines, passing.lines]),
    )
    leaves = _sum(level.lines[over])
    if symmetries and level_after.own.size:
        level_after = _merge(level_after, symmetries)
    return leaves + _leaves(level_after, left - 1, playable, symmetries)


def _column(board: int) -> Column:
    return np.array([board], np.uint64)


def _sum(lines: Column) -> int:
    return int(lines.sum())


def _expand(moves: Column) -> tuple[Squares, Squares]:
    """Return every move of every board as two arrays: the board's index and the square."""
    pairs = list(_moves_by_square(moves))
    return np.concatenate([boards for boards, _ in pairs]), np.concatenate([squares for _, squares in pairs])


def _moves_by_square(moves: Column) -> Iterator[tuple[Squares, Squares]]:
    for square in range(64):
        boards = np.flatnonzero(moves & BITS[square])
        yield boards, np.full(boards.size, square, np.intp)


def _merge(level: PerftLayer, symmetries: list[int]) -> PerftLayer:
    """Merge equal positions and mirror images, adding up their line counts."""
    own, enemy = level.own, level.enemy
    for image in symmetries[1:]:
        other_own, other_enemy = _image(level.own, image), _image(level.enemy, image)
        smaller = (other_own < own) | ((other_own == own) & (other_enemy < enemy))
        own, enemy = np.where(smaller, other_own, own), np.where(smaller, other_enemy, enemy)
    order = np.lexsort((enemy, own))
    own, enemy = own[order], enemy[order]
    is_new = np.ones(own.size, np.bool_)
    is_new[1:] = (own[1:] != own[:-1]) | (enemy[1:] != enemy[:-1])
    first = np.flatnonzero(is_new)
    return PerftLayer(own[first], enemy[first], np.add.reduceat(level.lines[order], first))


def _image(boards: Column, image: int) -> Column:
    """Return one of the eight images of a square board; 0 is the board itself."""
    if image & 1:
        boards = boards.byteswap()
    if image & 2:
        for shift, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
            here, low = np.uint64(shift), np.uint64(mask)
            boards = (boards >> here) & low | (boards & low) << here
    if image & 4:  # the diagonal from a1 to h8
        for shift, mask in ((28, 0x0F0F0F0F00000000), (14, 0x3333000033330000), (7, 0x5500550055005500)):
            here = np.uint64(shift)
            swap = (boards ^ boards << here) & np.uint64(mask)
            boards = boards ^ swap ^ swap >> here
    return boards
