"""Tests of ``kiosk solve``."""

from __future__ import annotations

import json

import pytest

from kiosk.cli import main

PARITY = "--X--XXXX-XXXOOOOOOOOOOOOOXOOXXOOOOXOXXOOOXOXXXOOXXXXXOOXXXXXXXO"


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["solve", *args])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


@pytest.mark.parametrize("color", ["white", "O"])
def test_score_and_line(capsys: pytest.CaptureFixture[str], color: str) -> None:
    code, out, err = run(capsys, PARITY, "--to-move", color, "--json")
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert result.pop("seconds") >= 0
    assert result.pop("nodes") > 0
    assert result == {"score": 0, "line": ["a1", "b2", "b1", "d1", "e1"]}


def test_in_words_with_a_pass(capsys: pytest.CaptureFixture[str]) -> None:
    """A line in which White passes and Black turns the last white disc is printed with the pass."""
    code, out, err = run(capsys, "X" * 60 + "-OXX", "--to-move", "white")
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
def test_unusable_input_is_refused(capsys: pytest.CaptureFixture[str], args: tuple[str, ...], message: str) -> None:
    code, out, err = run(capsys, *args, "--json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
