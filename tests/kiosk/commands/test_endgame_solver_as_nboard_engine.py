"""Tests of ``kiosk engine`` by the NBoard protocol: a pass is PA, moves are followed, ``go`` is always answered."""

from __future__ import annotations

from click.testing import CliRunner

from engine.board.color import Color
from engine.board.ggf import GgfGame, write_ggf
from engine.board.position import Position
from kiosk.commands.endgame_solver_as_nboard_engine import engine

#: White to move has no legal move; Black then plays the last square
PASSES = Position.from_cells("-OX" + "X" * 61, Color.WHITE)


def _answers(*lines: str) -> list[str]:
    return CliRunner().invoke(engine, [], input="".join(f"{line}\n" for line in lines)).output.splitlines()


def _set(position: Position) -> str:
    return f"set game {write_ggf([GgfGame(position, ())]).strip()}"


def test_a_pass_is_pa_in_a_line_of_moves_and_as_a_move() -> None:
    assert PASSES.must_pass
    assert _answers(_set(PASSES), "go") == ["=== PA"]
    (hint, _) = _answers(_set(PASSES), "hint 1")
    assert hint.split()[1].startswith("PA") and "--" not in hint


def test_go_is_answered_after_a_pass_and_at_the_start() -> None:
    assert _answers(_set(PASSES), "move PA", "go") == ["=== a1"]
    assert _answers(_set(PASSES), "move PA//1.0", "go") == ["=== a1"]
    (answer,) = _answers("go")
    assert answer.removeprefix("=== ") in ("d3", "c4", "f5", "e6")
    (answer,) = _answers("move d3/0.5/2", "go")
    assert answer.removeprefix("=== ") in ("c3", "c5", "e3")
