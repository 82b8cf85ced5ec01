"""Tests of ``Board``, and of the examples in its documentation."""

from __future__ import annotations

import doctest
import random
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.color import Color
from engine.board.errors import BadSquare, IllegalMove
from engine.board.position import Position
from engine.board.python_chess_style_board import Board, BoardOutcome

DOCUMENT = Path(__file__).parents[3] / "docs/reference/board.md"
FORCED_PASS = "--------------------------XXX--O---XXXOO-----X-O-----X----------"


def test_documented_examples_run() -> None:
    result = doctest.testfile(str(DOCUMENT), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 40
    assert result.failed == 0


@given(st.integers(0, 2**32), st.sampled_from(["8x8", "6x6", "88", "nip-octagon", "original-32", "othelle"]))
def test_pop_reverts_push(seed: int, variant: str) -> None:
    choice = random.Random(seed)
    board = Board(variant=variant)
    seen = [board.copy()]
    while not board.is_game_over():
        board.push(None if board.must_pass else choice.choice(list(board.legal_moves)))
        seen.append(board.copy())
    assert Board.from_transcript(board.transcript(), variant=variant) == board
    assert board.result() == f"{board.outcome().black}-{board.outcome().white}"  # type: ignore[union-attr]
    while board.move_stack:
        assert board == seen.pop()
        move = board.move_stack[-1]
        assert board.pop() == move
        assert board.is_legal(move)
    assert board == seen.pop() == Board(variant=variant)
    with pytest.raises(IndexError):
        board.pop()


def test_an_illegal_move_changes_nothing() -> None:
    board = Board()
    for move, error in (("a1", IllegalMove), ("d4", IllegalMove), (None, IllegalMove), ("z9", BadSquare)):
        assert not board.is_legal(move)
        with pytest.raises(error):
            board.push(move)
    assert (board, board.move_stack) == (Board(), [])


def test_names_in_upper_case() -> None:
    board = Board()
    assert board.is_legal("F5") and "F5" in board.legal_moves
    board.push("F5")
    assert board.move_stack == ["f5"]


def test_a_pass_is_a_move() -> None:
    board = Board(FORCED_PASS)
    assert board.must_pass and board.is_legal(None) and board.is_legal("--")
    assert not board.legal_moves
    board.push("--")
    assert (board.move_stack, board.turn, board.transcript()) == ([None], Color.WHITE, "--")
    assert board.pop() is None


def test_a_copy_is_independent() -> None:
    board = Board()
    twin = board.copy()
    twin.push("f5")
    assert board == Board() != twin
    assert board.move_stack == []
    assert board != "board"
    with pytest.raises(TypeError):
        hash(board)


def test_outcomes() -> None:
    assert BoardOutcome(32, 32).winner is None
    assert BoardOutcome(30, 34).winner is Color.WHITE
    assert Board().outcome() is None


def test_from_a_board_string() -> None:
    board = Board(FORCED_PASS, Color.WHITE)
    assert (board.cells(), board.turn) == (FORCED_PASS, Color.WHITE)
    assert board.position == Position.from_cells(FORCED_PASS, Color.WHITE)
    with pytest.raises(ValueError, match="a set-up says itself"):
        Board(turn=Color.WHITE)


def test_the_rows_of_a_board_without_corners() -> None:
    rows = str(Board(variant="nip-octagon")).splitlines()
    assert rows[0] == "  a b c d e f g h"
    assert rows[1] == "1     - - - -"
    assert rows[4] == "4 - - - O X - - -"
    assert repr(Board(variant="4x4")) == "<Board -----OX--XO----- black>"
    assert repr(Board(variant="4x4").legal_moves) == "<LegalMoves b1 a2 d3 c4>"


def test_play_and_diagnosis_do_not_import_numpy() -> None:
    """Play and diagnosis do not import numpy, which would slow a table's start."""
    modules = "python_chess_style_board endgame_solver illegal_move_diagnosis_and_challenge perft transcript wthor"
    imports = "; ".join(f"import engine.board.{module}" for module in modules.split())
    code = f"{imports}; import sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_svg_picture() -> None:
    board = Board(variant="nip-octagon")
    board.push("f5")
    picture = ElementTree.fromstring(board._repr_svg_())
    tags = [(element.tag.split("}")[1], element.get("fill"), element.get("r")) for element in picture]
    assert sum(tag == "rect" for tag, _, _ in tags) == 52
    assert tags.count(("circle", "#111", "16")) == 4
    assert tags.count(("circle", "#fff", "16")) == 1
    assert tags.count(("circle", "#d22", "4")) == 1
