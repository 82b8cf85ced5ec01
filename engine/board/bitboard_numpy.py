"""Bitboards as numpy columns: legal moves and flips of many boards at once.

- A board is two unsigned 64-bit numbers; a column is an array of such numbers, one per board.
- Bit 8·row + column is a square, a1 the lowest; boards smaller than 8×8 are centred.
- Results equal those of ``variant_rules_and_move_generation`` for each single board.
- Only this module and its users import numpy, to keep the start of a table fast.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.board.board_geometry import Geometry, scan

#: One number per board: a set of squares.
Column: TypeAlias = NDArray[np.uint64]
#: One number per board: a square, or ``NO_SQUARE``.
Squares: TypeAlias = NDArray[np.intp]

NO_SQUARE = 64
_ONE = np.uint64(1)
#: Right, lower left, down and lower right are lines of growing bits. With the rows turned upside down, so are their
#: opposites, except left.
_RISING = ((0, 1), (1, -1), (1, 0), (1, 1))
_MIRRORED = ((1, -1), (1, 0), (1, 1))


def _ray(square: int, row_step: int, column_step: int) -> int:
    row, column = divmod(square, 8)
    ray = 0
    while 0 <= (row := row + row_step) < 8 and 0 <= (column := column + column_step) < 8:
        ray |= 1 << 8 * row + column
    return ray


def _rays(directions: tuple[tuple[int, int], ...], rows: int) -> Column:
    """Return the rays of every square and of ``NO_SQUARE``; ``rows`` 56 turns the rows upside down."""
    return np.array([[*(_ray(square ^ rows, *step) for square in range(64)), 0] for step in directions], np.uint64)


_RISING_RAYS = _rays(_RISING, 0)
_MIRRORED_RAYS = _rays(_MIRRORED, 56)
_LEFT_RAYS = _rays(((0, -1),), 0)[0]
BITS: Column = np.array([*(1 << square for square in range(64)), 0], np.uint64)
_NOT_A, _NOT_H, _ALL = 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F, 2**64 - 1
#: The four steps of growing bits, one row each, and the squares that they and their opposites reach without crossing
#: the edge.
_STEPS: Column = np.array([[1], [7], [8], [9]], np.uint64)
_UP: Column = np.array([[_NOT_A], [_NOT_H], [_ALL], [_NOT_A]], np.uint64)
_DOWN: Column = np.array([[_NOT_H], [_NOT_A], [_ALL], [_NOT_H]], np.uint64)


def fits_64_bits(geometry: Geometry) -> bool:
    """Return whether a board fits into 64 bits."""
    return geometry.columns <= 8 and geometry.rows <= 8


def to_column_bits(geometry: Geometry, squares: int) -> int:
    """Return a set of squares of a geometry as a number of a column."""
    down, right = (8 - geometry.rows) // 2, (8 - geometry.columns) // 2
    bits = 0
    for square in scan(squares):
        row, column = divmod(square, geometry.stride)
        bits |= 1 << 8 * (row + down) + column + right
    return bits


def count(squares: Column) -> NDArray[np.uint8]:
    """Return the number of squares in each set."""
    counts: NDArray[np.uint8]
    if hasattr(np, "bitwise_count"):  # numpy 2
        counts = np.bitwise_count(squares)
    else:
        counts = np.unpackbits(squares.reshape(-1, 1).view(np.uint8), axis=1).sum(axis=1, dtype=np.uint8)
    return counts


def legal_moves(own: Column, enemy: Column, playable: int = 2**64 - 1) -> Column:
    """Return the empty squares of each board on which ``own`` flanks a disc of ``enemy`` (OTH-05)."""
    rising, falling = enemy & _UP, enemy & _DOWN
    run, back = own << _STEPS, own >> _STEPS
    run &= rising
    back &= falling
    for _ in range(5):
        run |= (run << _STEPS) & rising
        back |= (back >> _STEPS) & falling
    run <<= _STEPS
    run &= _UP
    back >>= _STEPS
    back &= _DOWN
    run |= back
    reached: Column = np.bitwise_or.reduce(run, axis=0)
    return reached & ~(own | enemy) & np.uint64(playable)


def flips_workspace(boards: int) -> Column:
    """Return a work array for repeated calls of ``flips`` on that many boards. Allocating it anew costs a quarter of
    the time."""
    return np.empty((3, len(_RISING), boards), np.uint64)


def flips(own: Column, enemy: Column, squares: Squares, work: Column | None = None) -> Column:
    """Return the discs that each board's move turns (OTH-06), 0 where it turns none.

    The caller must know whether the square is empty. ``work``: an array of ``flips_workspace`` for as many boards.
    """
    work = flips_workspace(len(squares)) if work is None else work
    gaps = ~enemy
    turned = _forward(_RISING_RAYS, squares, gaps, own, work)
    turned |= _leftward(_LEFT_RAYS.take(squares), gaps, own)
    mirrored = _forward(_MIRRORED_RAYS, squares, gaps.byteswap(True), own.byteswap(), work[:, 1:])
    turned |= mirrored.byteswap(True)
    return turned


def _forward(table: Column, squares: Squares, gaps: Column, own: Column, work: Column) -> Column:
    """Return flips along rays of growing bits: the lowest bit that is not an enemy disc ends the line, and flanks it if
    it is ``own``."""
    rays, ends, lowest = work
    np.take(table, squares, axis=1, out=rays, mode="clip")
    np.bitwise_and(rays, gaps, out=ends)
    np.negative(ends, out=lowest)
    lowest &= ends
    lowest &= own
    np.maximum(lowest, _ONE, out=lowest)  # no flanking disc: 1 - 1 gives no flips
    lowest -= _ONE
    lowest &= rays
    turned: Column = np.bitwise_or.reduce(lowest, axis=0)
    return turned


def _leftward(rays: Column, gaps: Column, own: Column) -> Column:
    """Return flips along rays within a row, of falling bits: the highest bit that is not an enemy disc ends the
    line."""
    ends = rays & gaps
    for shift in (1, 2, 4):
        ends |= ends >> np.uint64(shift)
    ends ^= ends >> _ONE
    ends &= own
    ends &= rays
    ends <<= _ONE
    np.negative(ends, out=ends)
    ends &= rays
    return ends
