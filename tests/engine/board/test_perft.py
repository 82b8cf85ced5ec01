"""Perft: known counts, and the solved small boards (THY-01)."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest
from boards.random_boards import positions
from hypothesis import given
from hypothesis import strategies as st
from known_answers import known, known_json

from engine.board import perft_numpy
from engine.board.board_geometry import scan
from engine.board.color import Color
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
#: The boards of perft_variants.json: the variant they start from, and the set-up and side to move where it differs.
SHARED_BOARDS: dict[str, tuple[str, str | None, Color | None]] = {
    "4x4 standard": ("4x4", None, None),
    "4x4 parallel": ("4x4", "-----OO--XX-----", None),
    "6x6 standard": ("6x6", None, None),
    "6x6 parallel": ("6x6", "-" * 14 + "OO----XX" + "-" * 14, None),
    "8x8 standard": ("8x8", None, None),
    "8x8 parallel": ("parallel", None, None),
    "10x10 standard": ("10x10", None, None),
    "10x10 parallel": ("10x10", "-" * 44 + "OO--------XX" + "-" * 44, None),
    "octagon-88 (10x10 minus 3 cells per corner)": ("88", None, None),
    **{
        f"8x8 handicap {discs} black corner(s), {color} to move": (f"handicap-{discs}", None, color)
        for discs in range(1, 5)
        for color in Color
    },
}
#: Depths to which every line is walked one by one, on boards that can be counted breadth first and on others; and to
#: which they are counted breadth first
PLAIN_DEPTH, ONLY_PLAIN_DEPTH, BREADTH_DEPTH = 7, 8, 9
#: ... for boards of which no deeper counts are known
PUBLISHED_DEPTH = {"4x4 standard": 18, "4x4 parallel": 18}


@pytest.mark.parametrize("variant", KNOWN)
def test_known_counts(variant: str) -> None:
    start = Position.start(variant)
    assert [perft(start, depth) for depth in range(len(KNOWN[variant]))] == KNOWN[variant]


@pytest.fixture(scope="module")
def tables() -> dict[str, list[list[int]]]:
    known: dict[str, list[list[int]]] = known_json("board/perft_variants.json")
    return known


def start_of(board: str) -> Position:
    variant, cells, color = SHARED_BOARDS[board]
    start = Position.start(variant)
    if cells:
        start = Position.from_cells(cells, start.to_move, variant)
    return replace(start, to_move=color or start.to_move)


def test_every_published_board_has_a_test(tables: dict[str, list[list[int]]]) -> None:
    assert tables.keys() == SHARED_BOARDS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("board", SHARED_BOARDS)
def test_counts_of_independent_engines(board: str, tables: dict[str, list[list[int]]]) -> None:
    """Counts agree down to the depth that each way of counting can reach."""
    start = start_of(board)
    deepest = PLAIN_DEPTH if perft_numpy.can_count(start) else ONLY_PLAIN_DEPTH
    known = {depth: leaves for depth, leaves, *_ in tables[board] if depth <= deepest}
    assert {depth: perft(start, depth) for depth in known} == known


@pytest.mark.slow
@pytest.mark.parametrize("board", SHARED_BOARDS)
def test_counts_breadth_first(board: str, tables: dict[str, list[list[int]]]) -> None:
    start = start_of(board)
    if not perft_numpy.can_count(start):
        with pytest.raises(ValueError, match="at most 8x8"):
            perft_numpy.perft(start, 1)
        return
    known = {d: leaves for d, leaves, *_ in tables[board] if d <= PUBLISHED_DEPTH.get(board, BREADTH_DEPTH)}
    assert {depth: perft_numpy.perft(start, depth) for depth in known} == known
    assert perft_numpy.perft(start, 6, merge=False) == known[6]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "column", "depth"), [("8x8", "total_bik", 10), ("6x6", "total", 10)], ids=["8x8", "6x6"]
)
def test_published_tables(variant: str, column: str, depth: int) -> None:
    with known(f"board/perft_{variant}.csv").open() as file:
        table = {int(row["depth"]): int(row[column]) for row in csv.DictReader(file)}
    assert all(perft_numpy.perft(Position.start(variant), d) == table[d] for d in range(1, depth + 1))


def test_counting_in_slices_gives_the_same_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perft_numpy, "_AT_ONCE", 100)
    assert perft_numpy.perft(Position.start(), 8) == 390216


@given(positions(), st.integers(0, 4))
def test_breadth_first_and_depth_first_counts_agree(position: Position, depth: int) -> None:
    assert perft_numpy.perft(position, depth) == perft(position, depth)


def test_a_pass_is_a_ply_and_a_finished_game_a_leaf() -> None:
    forced_pass = Position.from_cells("--------------------------XXX--O---XXXOO-----X-O-----X----------", Color.BLACK)
    assert perft(forced_pass, 1) == 1
    assert perft(forced_pass, 2) == 2  # the pass, then c5 or e7
    wiped_out = Position.from_cells("X" + "-" * 63, Color.WHITE)
    for way in (perft, perft_numpy.perft):
        assert [way(forced_pass, depth) for depth in (0, 1, 2)] == [1, 1, 2]
        assert [way(wiped_out, depth) for depth in range(4)] == [1, 1, 1, 1]


def test_a_negative_depth_is_refused() -> None:
    for way in (perft, perft_numpy.perft):
        with pytest.raises(ValueError, match="not -1"):
            way(Position.start(), -1)


@pytest.mark.slow
def test_white_wins_4x4_by_10() -> None:
    """THY-01: best play ends 3-13, empties to the winner."""
    known: dict[Position, int] = {}

    def value(position: Position) -> int:
        """Return Black's score less White's with best play."""
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
