"""Bitboards as numpy columns: legal moves and flips of many boards at once.

- A board is two unsigned 64-bit numbers; a column is an array of such numbers, one per board.
- Bit 8·row + column is a square, a1 the lowest; boards smaller than 8×8 are centred.
- Results equal those of ``variant_rules`` for each single board.
- Only this module and its users import numpy, to keep the start of a table fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.board.board_geometry import Geometry, scan
from engine.board.color import Color
from engine.board.position import Position

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


# Batch replay of many games in lock-step, for whole game databases.
#
# Each game's result equals that of ``transcript.replay``. All games take their next move at once; those that cannot (an
# omitted pass, or the end of the game) are handled separately.

#: Games replayed in one batch: their columns fit into the processor's cache.
_TOGETHER = 16384
_WTB = np.dtype([("players", "<u2", 3), ("black_discs", "u1"), ("theoretical", "u1"), ("moves", "u1", 60)])
_WTB_HEADER = 16
_NO_CODE = 255
_SQUARES = {10 * row + column + 11: 8 * row + column for row in range(8) for column in range(8)} | {0: NO_SQUARE}
_SQUARE_OF_CODE = bytes(_SQUARES.get(code, _NO_CODE) for code in range(256))


@dataclass(frozen=True, slots=True)
class BatchResult:
    """Results of many games, one number per game.

    - ``illegal``: the number of the first illegal move, from 1, or 0; ``moves``: the number of moves before it, or of
      all.
    - ``is_over``, ``black`` and ``white`` (the score, empties to the winner) describe the position after these moves.
    """

    moves: NDArray[np.int64]
    illegal: NDArray[np.int64]
    is_over: NDArray[np.bool_]
    black: NDArray[np.int64]
    white: NDArray[np.int64]


def wtb_columns(data: bytes) -> tuple[NDArray[np.uint8], NDArray[np.uint8]] | None:
    """Return the moves of a ``.wtb`` file, one row per game (8·row + column, ``NO_SQUARE`` after the last), and Black's
    discs.

    Return None if the file is malformed; ``wthor.read_wtb`` then raises the detailed error.
    """
    if len(data) < _WTB_HEADER or (len(data) - _WTB_HEADER) % _WTB.itemsize or data[12] not in (0, 8):
        return None
    games = np.frombuffer(data, _WTB, offset=_WTB_HEADER)
    if int.from_bytes(data[4:8], "little") != len(games) or (games["black_discs"] > 64).any():
        return None
    moves = np.frombuffer(data.translate(_SQUARE_OF_CODE), _WTB, offset=_WTB_HEADER)["moves"]
    none = moves == NO_SQUARE
    if (moves == _NO_CODE).any() or (none[:, :-1] & ~none[:, 1:]).any():
        return None
    return moves, games["black_discs"]


def replay(moves: NDArray[np.uint8], start: Position | None = None) -> BatchResult:
    """Replay games given as rows of squares (8·row + column, ``NO_SQUARE`` after the last) without passes.

    :raises ValueError: if the board of ``start`` does not fit into 64 bits, or its rules are not Othello's.
    """
    start = start or Position.start()
    if not (fits_64_bits(start.geometry) and start.rules.are_othello and start.rules.supply is None):
        raise ValueError("only boards of at most 8x8 with the rules of Othello can be replayed in bulk")
    parts = [_replay(moves[first : first + _TOGETHER], start) for first in range(0, len(moves), _TOGETHER)]
    if not parts:
        parts = [_replay(moves, start)]
    return BatchResult(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _replay(moves: NDArray[np.uint8], start: Position) -> tuple[NDArray[np.int64] | NDArray[np.bool_], ...]:
    games, plies = moves.shape
    geometry = start.geometry
    playable = to_column_bits(geometry, geometry.playable)
    own = np.full(games, to_column_bits(geometry, start.own), np.uint64)
    enemy = np.full(games, to_column_bits(geometry, start.enemy), np.uint64)
    passes = np.zeros(games, np.int64)
    illegal = np.zeros(games, np.int64)
    todo = np.ascontiguousarray(moves.T)
    squares = np.empty(games, np.intp)
    work = flips_workspace(games)

    for ply, codes in enumerate(todo):
        squares[:] = codes
        bits = BITS.take(squares)
        occupied = bits & (own | enemy)
        turned = flips(own, enemy, squares, work)
        stuck = np.flatnonzero(((turned == 0) & (bits != 0)) | (occupied != 0))
        if stuck.size:
            # The pass is implied where the side to move has no move and the other side turns discs there.
            turned[stuck] = flips(enemy[stuck], own[stuck], squares[stuck])
            passes_here = (turned[stuck] != 0) & (occupied[stuck] == 0)
            passes_here &= legal_moves(own[stuck], enemy[stuck], playable) == 0
            passing, illegal_games = stuck[passes_here], stuck[~passes_here]
            own[passing], enemy[passing] = enemy[passing], own[passing]
            passes[passing] += 1
            if illegal_games.size:
                illegal[illegal_games] = ply + 1
                turned[illegal_games] = bits[illegal_games] = 0
                todo[ply:, illegal_games] = NO_SQUARE
        own |= turned | bits
        enemy ^= turned
        own, enemy = enemy, own

    played = (todo != NO_SQUARE).sum(axis=0, dtype=np.uint8).astype(np.int64)
    is_over = _is_over(own, enemy, playable)
    black_to_move = (plies + passes + (start.to_move is Color.WHITE)) % 2 == 0
    black = count(np.where(black_to_move, own, enemy)).astype(np.int64)
    white = count(np.where(black_to_move, enemy, own)).astype(np.int64)
    size = geometry.size
    score = np.where(black > white, size - white, np.where(black < white, black, size // 2))
    return played, illegal, is_over, score, size - score


def _is_over(own: Column, enemy: Column, playable: int) -> NDArray[np.bool_]:
    over: NDArray[np.bool_] = (own | enemy) == np.uint64(playable)
    left = np.flatnonzero(~over)  # few games end before the board is full
    own, enemy = own[left], enemy[left]
    over[left] = (legal_moves(own, enemy, playable) | legal_moves(enemy, own, playable)) == 0
    return over


# Breadth-first perft: all positions of a depth at once, each stored once with the number of lines that lead to it.
#
# The counts equal those of ``perft.perft``. Positions that are mirror images of one another are merged, as far as the
# board's shape allows.

#: Positions expanded in one batch; a larger batch only needs more memory.
_AT_ONCE = 1_000_000


def can_count(position: Position) -> bool:
    """Return whether this ``perft`` supports a position: at most 8x8 squares, and Othello's rules without a supply."""
    rules = position.rules
    return fits_64_bits(rules.geometry) and rules.are_othello and rules.supply is None


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
