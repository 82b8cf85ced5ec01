"""Adapters of other Othello engines that Python programs can import, each with the same four functions.

Only rust-reversi is among the development dependencies; the others are measured where they are installed. Squares are
8·row + column. A peer's own objects are made beforehand, so that only its work is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.perft import perft
from engine.board.position import Position
from engine.board.transcript import replay

NAMES = [f"{column}{row}" for row in range(1, 9) for column in "abcdefgh"]


@dataclass(frozen=True)
class Engine:
    """An engine's functions. ``board``: its object for a position; ``legal``: all legal moves of it, in its own form;
    ``play``: a new object after a move; ``replay``: a whole game, every move checked; ``perft``: from the start;
    ``deepest``: the depth of a perft that takes it about a second at most.
    """

    name: str
    board: Callable[[Position], Any]
    legal: Callable[[Any], object]
    play: Callable[[Any, int], object]
    replay: Callable[[Sequence[int]], object]
    perft: Callable[[int], int]
    deepest: int


def engines() -> Iterator[Engine]:
    """Return our engine first, then every peer that is installed."""
    yield Engine(
        "ours",
        board=lambda position: position,
        legal=lambda position: scan(position.legal_moves()),
        play=lambda position, square: position.play(square // 8 * 9 + square % 8),
        replay=lambda game: replay([NAMES[square] for square in game]),
        perft=lambda depth: perft(Position.start(), depth),
        deepest=7,
    )
    for make in (_rust_reversi, _creversi, _othellopy):
        with suppress(ImportError):
            yield make()


def _rust_reversi() -> Engine:
    import rust_reversi

    turns = {Color.BLACK: rust_reversi.Turn.BLACK, Color.WHITE: rust_reversi.Turn.WHITE}

    def board(position: Position) -> Any:
        peer = rust_reversi.Board()
        peer.set_board_str(position.cells(), turns[position.to_move])
        return peer

    def play(before: Any, square: int) -> Any:
        after = before.clone()
        after.do_move(square)
        return after

    def replay_game(game: Sequence[int]) -> None:
        peer = rust_reversi.Board()
        for square in game:
            if peer.is_pass():
                peer.do_pass()
            if not peer.is_legal_move(square):
                raise ValueError(square)
            peer.do_move(square)

    def leaves(peer: Any, depth: int) -> int:
        if peer.is_game_over():
            return 1
        if depth == 1:
            return max(1, int(peer.get_legal_moves().bit_count()))
        if peer.is_pass():
            passed = peer.clone()
            passed.do_pass()
            return leaves(passed, depth - 1)
        return sum(leaves(child, depth - 1) for child in peer.get_child_boards())

    return Engine(
        "rust_reversi",
        board,
        lambda peer: peer.get_legal_moves_vec(),
        play,
        replay_game,
        lambda depth: leaves(rust_reversi.Board(), depth),
        8,
    )


def _creversi() -> Engine:
    import creversi

    def play(before: Any, square: int) -> Any:
        after = before.copy()
        after.move(square)
        return after

    def replay_game(game: Sequence[int]) -> None:
        position = creversi.Board()
        for square in game:
            if position.puttable_num() == 0:
                position.move_pass()
            if not position.is_legal(square):
                raise ValueError(square)
            position.move(square)

    def leaves(position: Any, depth: int) -> int:
        moves = list(position.legal_moves)
        if moves == [creversi.PASS] or not moves:
            if position.is_game_over() or depth == 1:
                return 1
            return leaves(play(position, creversi.PASS), depth - 1)
        return len(moves) if depth == 1 else sum(leaves(play(position, move), depth - 1) for move in moves)

    return Engine(
        "creversi_python",
        lambda position: creversi.Board(position.cells(), position.to_move is Color.BLACK),
        lambda made: list(made.legal_moves),
        play,
        replay_game,
        lambda depth: leaves(creversi.Board(), depth),
        6,
    )


def _othellopy() -> Engine:
    from othellopy.core import Cell
    from othellopy.players import BeginnerPlayer

    players = {color: BeginnerPlayer(cell) for color, cell in ((Color.BLACK, Cell.BLACK), (Color.WHITE, Cell.WHITE))}
    cells = {"-": Cell.EMPTY, "X": Cell.BLACK, "O": Cell.WHITE}

    def board(position: Position) -> Any:
        text = position.cells()
        return [[cells[cell] for cell in text[row : row + 8]] for row in range(0, 64, 8)], position.to_move

    def play(before: Any, square: int) -> Any:
        rows, color = [list(row) for row in before[0]], before[1]
        player, (row, column) = players[color], divmod(square, 8)
        flips = player.get_flips(rows, row, column)
        if not flips:
            raise ValueError(square)
        for at in [*flips, (row, column)]:
            rows[at[0]][at[1]] = player.color
        return rows, color.opponent

    def replay_game(game: Sequence[int]) -> None:
        position = board(Position.start())
        for square in game:
            if not players[position[1]].is_valid_move(position[0], *divmod(square, 8)):
                position = position[0], position[1].opponent
            position = play(position, square)

    def leaves(position: Any, depth: int) -> int:
        moves = players[position[1]].get_moves(position[0])
        if not moves:
            if depth == 1 or not players[position[1].opponent].get_moves(position[0]):
                return 1
            return leaves((position[0], position[1].opponent), depth - 1)
        return len(moves) if depth == 1 else sum(leaves(play(position, 8 * r + c), depth - 1) for r, c in moves)

    return Engine(
        "othellopy",
        board,
        lambda made: players[made[1]].get_moves(made[0]),
        play,
        replay_game,
        lambda depth: leaves(board(Position.start()), depth),
        5,
    )


def creversi_batch() -> tuple[Callable[[Any, Any], Any], Callable[[Any], None]] | None:
    """Return creversi's numpy functions (compiled by numba where that is installed): legal moves of columns, and the
    replay of a table of games, a row per game, 64 after the last move. None if it is not installed.
    """
    try:
        from creversi._bitboard_np import apply_move_batch, mobility_batch
    except ImportError:
        return None
    import numpy as np

    def replay_games(table: Any) -> None:
        own = np.full(len(table), 0x0000000810000000, np.uint64)
        enemy = np.full(len(table), 0x0000001008000000, np.uint64)
        for squares in np.ascontiguousarray(table.T).astype(np.int64):
            bits = np.where(squares == 64, np.uint64(0), np.uint64(1) << (squares % 64).astype(np.uint64))
            legal = mobility_batch(own, enemy)
            passing = (legal == 0) & (squares != 64)
            own, enemy = np.where(passing, enemy, own), np.where(passing, own, enemy)
            if passing.any():
                legal[passing] = mobility_batch(own[passing], enemy[passing])
            if ((legal & bits) != bits).any():
                raise ValueError("an illegal move")
            own, enemy = apply_move_batch(own, enemy, squares)

    return mobility_batch, replay_games
