"""Stable discs (NOT-03): what is called stable is never turned."""

from __future__ import annotations

import random

import pytest
from boards.random_boards import game, positions
from hypothesis import given

from engine.board.color import Color
from engine.board.geometry import scan
from engine.board.position import Position
from engine.board.stability import stable_discs


def names(position: Position) -> str:
    return " ".join(position.geometry.names(stable_discs(position)))


def test_a_corner_is_stable_and_what_leans_on_it() -> None:
    assert names(Position.from_cells("XXXO----" + "X-------" + "-" * 48, Color.BLACK)) == "a1 b1 c1 a2"
    assert names(Position.from_cells("-XXO----" + "-" * 56, Color.BLACK)) == ""


def test_a_full_board_is_stable() -> None:
    assert stable_discs(Position.from_cells("XO" * 32, Color.BLACK)).bit_count() == 64


def test_the_eight_stars_are_stable() -> None:
    """VAR-07b."""
    start = Position.start("88")
    stars = start.geometry.mask("c1 h1 a3 j3 a8 j8 c10 h10")
    position = Position(start.rules, start.black, start.white | stars, Color.BLACK)
    assert stable_discs(position) & stars == stars


@pytest.mark.slow
@given(positions())
def test_nothing_stable_is_ever_turned(position: Position) -> None:
    stable = stable_discs(position)
    choice = random.Random(1)
    black, white = position.black & stable, position.white & stable
    while not position.is_over:
        moves = scan(position.legal_moves())
        position = position.play(choice.choice(moves)) if moves else position.pass_turn()
        assert (position.black & stable, position.white & stable) == (black, white)
        assert stable & ~stable_discs(position) == 0


def test_late_positions_have_some() -> None:
    assert any(stable_discs(position) for position in game(1))
