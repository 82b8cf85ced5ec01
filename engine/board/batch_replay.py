"""Batch replay of many games in lock-step, for whole game databases.

Each game's result equals that of ``transcript.replay``. All games take their next move at once; those that cannot (an
omitted pass, or the end of the game) are handled separately.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.board.bitboard_numpy import (
    BITS,
    NO_SQUARE,
    Column,
    count,
    fits_64_bits,
    flips,
    flips_workspace,
    legal_moves,
    to_column_bits,
)
from engine.board.color import Color
from engine.board.position import Position

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
    if not (fits_64_bits(start.geometry) and start.rules.are_othello):
        raise ValueError("only boards of at most 8x8 with the rules of Othello can be replayed in bulk")
    firsts = range(0, max(1, len(moves)), _TOGETHER)
    parts = [_replay(moves[first : first + _TOGETHER], start) for first in firsts]
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
