"""Tests of ``kiosk solve``."""

from __future__ import annotations

import pytest
from commands.called import Cli

PARITY = "--X--XXXX-XXXOOOOOOOOOOOOOXOOXXOOOOXOXXOOOXOXXXOOXXXXXOOXXXXXXXO"


@pytest.mark.parametrize("color", ["white", "O"])
def test_score_and_line(cli: Cli, color: str) -> None:
    result = cli.json("solve", PARITY, "--to-move", color)
    assert result.pop("seconds") >= 0
    assert result.pop("nodes") > 0
    assert result == {"score": 0, "line": ["a1", "b2", "b1", "d1", "e1"]}


def test_in_words_with_a_pass(cli: Cli) -> None:
    """A line in which White passes and Black turns the last white disc is printed with the pass."""
    code, out, err = cli("solve", "X" * 60 + "-OXX", "--to-move", "white")
    assert (code, err) == (0, "")
    assert out.startswith("-64 -- e8  (")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("-" * 64, "--to-move", "black"), "64 squares are empty"),
        ((PARITY[1:], "--to-move", "black"), "this one has 63"),
        (("?" + PARITY[1:], "--to-move", "black"), "square a1 is unknown"),
        ((PARITY, "--to-move", "red"), "--to-move: one of"),
        ((PARITY, "--to-move", "black", "--variant", "nip-circular"), "cannot be played"),
    ],
)
def test_unusable_input_is_refused(cli: Cli, args: tuple[str, ...], message: str) -> None:
    assert message in cli.refused("solve", *args, "--json")
