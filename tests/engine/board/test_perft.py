"""Perft: known counts, and the solved small boards (THY-01)."""

from __future__ import annotations

import csv
import json

import pytest
from shared_data import shared

from engine.board.color import Color
from engine.board.geometry import scan
from engine.board.perft import perft
from engine.board.position import Position

#: The published counts; handicap boards and the octagon from two independent engines.
KNOWN = {
    "8x8": [1, 4, 12, 56, 244, 1396, 8200],
    "6x6": [1, 4, 12, 56, 244, 1364, 7604],
    "4x4": [1, 4, 12, 44, 128, 424, 1256, 3624, 9116, 20044, 36540],
    "10x10": [1, 4, 12, 56, 244, 1396, 8200],
    "88": [1, 4, 12, 56, 244, 1396, 8200],
    "parallel": [1, 4, 14, 68, 292, 1690, 9696],
    "handicap-1": [1, 4, 12, 56, 244, 1396, 8202],
    "handicap-4": [1, 4, 12, 56, 244, 1396, 8228],
}
#: Our variants by the names of perft_variants.json.
SHARED_NAMES = {
    "8x8": "8x8 standard",
    "6x6": "6x6 standard",
    "4x4": "4x4 standard",
    "10x10": "10x10 standard",
    "88": "octagon-88 (10x10 minus 3 cells per corner)",
    "parallel": "8x8 parallel",
    "handicap-1": "8x8 handicap 1 black corner(s), white to move",
    "handicap-2": "8x8 handicap 2 black corner(s), white to move",
    "handicap-3": "8x8 handicap 3 black corner(s), white to move",
    "handicap-4": "8x8 handicap 4 black corner(s), white to move",
}
#: Deepest count taken in the tests; deeper ones are for `kiosk perft`.
MOST_LEAVES = 70_000


@pytest.mark.parametrize("variant", KNOWN)
def test_known_counts(variant: str) -> None:
    start = Position.start(variant)
    assert [perft(start, depth) for depth in range(len(KNOWN[variant]))] == KNOWN[variant]


@pytest.mark.parametrize("variant", SHARED_NAMES)
def test_counts_of_independent_engines(variant: str) -> None:
    table = json.loads(shared("data/board/perft_variants.json").read_text())[SHARED_NAMES[variant]]
    start = Position.start(variant)
    checked = [(depth, perft(start, depth)) for depth, leaves, *_ in table if leaves <= MOST_LEAVES]
    assert checked == [(depth, leaves) for depth, leaves, *_ in table if leaves <= MOST_LEAVES]


@pytest.mark.parametrize(
    ("variant", "column", "depth"), [("8x8", "total_bik", 7), ("6x6", "total", 7)], ids=["8x8", "6x6"]
)
def test_published_tables(variant: str, column: str, depth: int) -> None:
    with shared(f"data/board/perft_{variant}.csv").open() as file:
        table = {int(row["depth"]): int(row[column]) for row in csv.DictReader(file)}
    assert all(perft(Position.start(variant), d) == table[d] for d in range(1, depth + 1))


def test_a_pass_is_a_ply_and_a_finished_game_a_leaf() -> None:
    forced_pass = Position.from_cells("--------------------------XXX--O---XXXOO-----X-O-----X----------", Color.BLACK)
    assert perft(forced_pass, 1) == 1
    assert perft(forced_pass, 2) == 2  # the pass, then c5 or e7
    wiped_out = Position.from_cells("X" + "-" * 63, Color.WHITE)
    assert [perft(wiped_out, depth) for depth in range(4)] == [1, 1, 1, 1]


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="not -1"):
        perft(Position.start(), -1)


def test_white_wins_4x4_by_10() -> None:
    """THY-01: best play ends 3-13, empties to the winner."""
    known: dict[Position, int] = {}

    def value(position: Position) -> int:
        """Black's score less White's with best play."""
        if position in known:
            return known[position]
        if position.is_over:
            black, white = position.final_score()
            result = black - white
        elif moves := scan(position.legal_moves()):
            best = max if position.to_move == "black" else min
            result = best(value(position.play(square)) for square in moves)
        else:
            result = value(position.pass_turn())
        known[position] = result
        return result

    assert value(Position.start("4x4")) == 3 - 13
