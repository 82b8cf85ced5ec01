"""The board engine: legal moves, moves, perft and replay, compared with every other engine importable here, in one run;
and move diagnosis: its time and accuracy, by kind of error.

``python -m benchmarks.board [--runs 5] [--few 40] [--shallower 0]`` prints JSON. Every figure is the median of several
runs, in processor time, so that other programs on the machine matter little. ``ratio`` is ours to the best peer's.
Games are the three years of WTHOR in ``tests/data``.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from boards.move_errors import MOVE_ERRORS, AlteredBoard, FaultyTurn, spoil
from known_answers import DATA

from benchmarks._other_engines import NAMES, Engine, creversi_batch, engines
from engine.board import batch_replay, bitboard_numpy, perft_numpy
from engine.board.illegal_move_diagnosis_and_challenge import diagnose
from engine.board.position import Position
from engine.board.transcript import plies

SMALLEST = ("--runs", "1", "--few", "1", "--shallower", "3")
RUNS = 5
#: games whose positions are checked one by one, and games that the slow engines replay
FEW = 40


def seconds(work: Callable[[], object]) -> float:
    """Return the median processor time of one run of ``work``."""

    def once() -> float:
        began = process_time()
        work()
        return process_time() - began

    return median(once() for _ in range(RUNS))


def games() -> Any:
    """Return a table of moves, a row per game."""
    tables = [batch_replay.wtb_columns(path.read_bytes()) for path in sorted((DATA / "games").glob("*.wtb"))]
    return np.concatenate([table[0] for table in tables if table])


def compare(figures: dict[str, float], best_of_ours: float | None = None) -> dict[str, float]:
    """Return the figures of each engine, and the ratio of ours to the best peer's."""
    peers = [figure for name, figure in figures.items() if not name.startswith("ours")]
    ours = best_of_ours or max(figure for name, figure in figures.items() if name.startswith("ours"))
    rounded = {name: float(f"{figure:.4g}") for name, figure in figures.items()}
    return {**rounded, **({"ratio": round(ours / max(peers), 2)} if peers else {})}


def one_by_one(all_engines: list[Engine], positions: list[tuple[Position, int]]) -> dict[str, Any]:
    """Return legal-move generations and moves per second."""
    legal, moves = {}, {}
    for engine in all_engines:
        boards = [(engine.board(position), square) for position, square in positions]
        legal[engine.name] = len(boards) / seconds(lambda e=engine, b=boards: [e.legal(board) for board, _ in b])  # type: ignore[misc]
        moves[engine.name] = len(boards) / seconds(lambda e=engine, b=boards: [e.play(*board) for board in b])  # type: ignore[misc]
    return {"legal_moves_per_s": compare(legal), "moves_per_s": compare(moves)}


def perft_leaves(all_engines: list[Engine], shallower: int) -> dict[str, float]:
    figures = {}
    for engine in all_engines:
        deep = engine.deepest - shallower
        leaves = engine.perft(deep)
        if leaves != perft_numpy.perft(Position.start(), deep):
            raise SystemExit(f"{engine.name} counts differently")
        figures[engine.name] = leaves / seconds(lambda e=engine, d=deep: e.perft(d))  # type: ignore[misc]
    for name, depth, merge in (("ours_breadth_first", 9, False), ("ours_breadth_first_merged", 10, True)):
        depth -= shallower
        leaves = perft_numpy.perft(Position.start(), depth, merge=merge)
        figures[name] = leaves / seconds(lambda d=depth, m=merge: perft_numpy.perft(Position.start(), d, merge=m))  # type: ignore[misc]
    return compare(figures)


def replays(all_engines: list[Engine], table: Any) -> dict[str, float]:
    figures = {}
    few = [[int(square) for square in row if square != bitboard_numpy.NO_SQUARE] for row in table[: 5 * FEW]]
    for engine in all_engines:
        figures[engine.name] = len(few) / seconds(lambda e=engine: [e.replay(game) for game in few])  # type: ignore[misc]
    figures["ours_bulk"] = len(table) / seconds(lambda: batch_replay.replay(table))
    if batch := creversi_batch():
        figures["creversi_python_batch"] = len(table) / seconds(lambda: batch[1](table))
    return compare(figures)


def legal_moves_of_columns(positions: list[tuple[Position, int]]) -> dict[str, float]:
    """Return boards per second for legal moves of many boards at once."""
    some = [position for position, _ in positions] * 4
    own = np.array([bitboard_numpy.to_column_bits(position.geometry, position.own) for position in some], np.uint64)
    enemy = np.array([bitboard_numpy.to_column_bits(position.geometry, position.enemy) for position in some], np.uint64)
    figures = {"ours": len(some) / seconds(lambda: bitboard_numpy.legal_moves(own, enemy))}
    if batch := creversi_batch():
        figures["creversi_python_batch"] = len(some) / seconds(lambda: batch[0](own, enemy))
    return compare(figures)


def named(board: FaultyTurn) -> tuple[bool, bool]:
    """Return whether the actual error is named first, and whether it is first or among the ties."""
    diagnosis = diagnose(board.before, board.after)
    accounts = [diagnosis.findings, *(tie.findings for tie in diagnosis.ties)]
    right = [{(str(found.kind), found.squares) for found in account} == board.expected for account in accounts]
    return right[0], any(right)


def diagnoses(positions: list[Position]) -> dict[str, dict[str, float]]:
    """Return by kind of error: microseconds for one diagnosis, and the shares of ``named``."""
    choice = random.Random(20)

    def kind(move_error: Callable[[AlteredBoard], None]) -> dict[str, float]:
        boards = [board for position in positions if (board := spoil(position, move_error, choice))]
        answers = [named(board) for board in boards]
        took = seconds(lambda: [diagnose(board.before, board.after) for board in boards])
        return {
            "us": round(took / len(boards) * 1e6, 1),
            "boards": len(boards),
            "exactly": round(sum(first for first, _ in answers) / len(boards), 4),
            "exactly_or_tied": round(sum(tied for _, tied in answers) / len(boards), 4),
        }

    return {move_error.__name__: kind(move_error) for move_error in MOVE_ERRORS}


def hard_boards_us(positions: list[Position]) -> dict[str, float]:
    """Return microseconds for one diagnosis of boards with unread squares, and of boards that no turn leads to."""
    choice = random.Random(21)

    def hide(cells: str, hidden: int) -> str:
        unread = choice.sample(range(64), hidden)
        return "".join("?" if index in unread else cell for index, cell in enumerate(cells))

    def spoilt(position: Position) -> str:
        board = spoil(position, choice.choice(MOVE_ERRORS), choice)
        return board.after if board else position.cells()

    cases = {
        "5_unread": [(position, hide(spoilt(position), 5)) for position in positions],
        "20_unread": [(position, hide(spoilt(position), 20)) for position in positions],
        "60_unread": [(position, hide(spoilt(position), 60)) for position in positions],
        "another_game": [(position, choice.choice(positions).cells()) for position in positions],
        "anything": [(position, "".join(choice.choices("XO-?", k=64))) for position in positions],
    }
    return {
        name: round(seconds(lambda b=boards: [diagnose(*board) for board in b]) / len(boards) * 1e6, 1)  # type: ignore[misc]
        for name, boards in cases.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    global RUNS, FEW
    parser.add_argument("--runs", type=int, default=RUNS, help="of which each figure is the median")
    parser.add_argument("--few", type=int, default=FEW, help="games whose positions are looked at one by one")
    parser.add_argument("--shallower", type=int, default=0, help="plies left out of each perft")
    arguments = parser.parse_args()
    RUNS, FEW = arguments.runs, arguments.few
    all_engines = list(engines())
    table = games()
    transcripts = [
        [NAMES[square] for square in row if square != bitboard_numpy.NO_SQUARE] for row in table[:: len(table) // FEW]
    ]
    reached: list[tuple[Position, int]] = []
    for moves in transcripts:
        before = Position.start()
        for move, after in plies(moves):
            if move is not None:
                reached.append((before, NAMES.index(move)))
            before = after
    legal = [(position.play(square // 8 * 9 + square % 8).cells(), position) for position, square in reached]
    figures = {
        "games": {"from": "WTHOR", "number": len(table)},
        "peers": [engine.name for engine in all_engines[1:]],
        **one_by_one(all_engines, reached),
        "legal_moves_of_columns_per_s": legal_moves_of_columns(reached),
        "perft_leaves_per_s": perft_leaves(all_engines, arguments.shallower),
        "replay_games_per_s": replays(all_engines, table),
        "diagnosis_of_a_legal_move_us": round(
            seconds(lambda: [diagnose(position, cells) for cells, position in legal]) / len(legal) * 1e6, 1
        ),
        "diagnosis": diagnoses([position for position, _ in reached]),
        "diagnosis_of_hard_boards_us": hard_boards_us([position for position, _ in reached]),
        "runs": RUNS,
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
