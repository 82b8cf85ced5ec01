"""The board: time of one diagnosis, perft and replay in plain Python, and the ratio to rust-reversi in the same run.

``python -m benchmarks.board`` prints JSON. Every figure is the median of several runs.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from statistics import median
from time import perf_counter

import rust_reversi

from engine.board.diagnosis import diagnose
from engine.board.perft import perft
from engine.board.position import Position
from engine.board.transcript import replay

RUNS = 5
GAMES = 50
PERFT_DEPTH = 7


def seconds(work: Callable[[], object]) -> float:
    """The median time of one run of ``work``."""

    def once() -> float:
        began = perf_counter()
        work()
        return perf_counter() - began

    return median(once() for _ in range(RUNS))


def random_game(choice: random.Random) -> list[tuple[Position, str]]:
    """The positions of a game, each with the square played."""
    position, played = Position.start(), []
    while not position.is_over:
        names = position.geometry.names(position.legal_moves())
        if names:
            played.append((position, choice.choice(names)))
            position = position.play(position.geometry.square(played[-1][1]))
        else:
            position = position.pass_turn()
    return played


def boards_after(before: Position, move: str, choice: random.Random) -> dict[str, str]:
    """The board after the move, and after what may go wrong with it."""
    square = before.geometry.square(move)
    right = before.play(square)
    index = before.geometry.squares.index(square)
    forgotten = before.cells()[:index] + before.to_move.symbol + before.cells()[index + 1 :]
    cells = list(right.cells())
    disc = choice.choice([i for i, cell in enumerate(cells) if cell != "-"])
    empty = [i for i, cell in enumerate(cells) if cell == "-"]
    if empty:
        target = choice.choice(empty)
        cells[disc], cells[target] = "-", cells[disc]
    return {"legal": right.cells(), "nothing turned": forgotten, "disc displaced": "".join(cells)}


def diagnosis_us(games: list[list[tuple[Position, str]]], choice: random.Random) -> dict[str, float]:
    """Microseconds for one diagnosis, by what happened."""
    cases: dict[str, list[tuple[Position, str]]] = {}
    for before, move in (ply for game in games for ply in game):
        for what, after in boards_after(before, move, choice).items():
            cases.setdefault(what, []).append((before, after))
    return {
        what: round(seconds(lambda boards=boards: [diagnose(*board) for board in boards]) / len(boards) * 1e6, 1)
        for what, boards in cases.items()
    }


def rust_perft(board: rust_reversi.Board, depth: int) -> int:
    """Perft as a Python program gets it from rust-reversi, last ply counted in bulk as ours."""
    if board.is_game_over():
        return 1
    if depth == 1:
        return max(1, board.get_legal_moves().bit_count())
    if board.is_pass():
        passed = board.clone()
        passed.do_pass()
        return rust_perft(passed, depth - 1)
    return sum(rust_perft(child, depth - 1) for child in board.get_child_boards())


def rust_replay(moves: list[str]) -> None:
    board = rust_reversi.Board()
    for move in moves:
        at = "abcdefgh".index(move[0]) + 8 * (int(move[1]) - 1)
        if board.is_pass():
            board.do_pass()
        if not board.is_legal_move(at):
            raise ValueError(move)
        board.do_move(at)


def main() -> None:
    choice = random.Random(1)
    games = [random_game(choice) for _ in range(GAMES)]
    transcripts = [[move for _, move in game] for game in games]
    start = Position.start()
    leaves = perft(start, PERFT_DEPTH)
    if rust_perft(rust_reversi.Board(), PERFT_DEPTH) != leaves:
        raise SystemExit("the two engines count differently")
    ours = leaves / seconds(lambda: perft(start, PERFT_DEPTH))
    rust = leaves / seconds(lambda: rust_perft(rust_reversi.Board(), PERFT_DEPTH))
    replays = GAMES / seconds(lambda: [replay(game) for game in transcripts])
    rust_replays = GAMES / seconds(lambda: [rust_replay(game) for game in transcripts])
    figures = {
        "diagnosis_us": diagnosis_us(games, choice),
        "perft_leaves_per_s": {"depth": PERFT_DEPTH, "ours": round(ours), "rust_reversi": round(rust)},
        "perft_ratio": round(ours / rust, 2),
        "replay_games_per_s": {"ours": round(replays), "rust_reversi": round(rust_replays)},
        "replay_ratio": round(replays / rust_replays, 2),
        "runs": RUNS,
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
