"""Tests of handicap games (OTH-HC-1 to 3): Black discs in corners, White first, Black's button starts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matches.games import START
from matches.steps import READ, B, W, after, press, pressed

from engine.board.color import Color
from engine.board.position import Position
from engine.match import IllegalEvent, MatchState, Phase, new_match, step
from engine.match.rule_sets_and_options import RuleSetError, read_options


def handicap(discs: int) -> MatchState:
    return new_match(replace(READ, options={"handicap": discs}))


@pytest.mark.parametrize("discs", [1, 2, 3, 4])
def test_the_start_is_that_of_the_variant(discs: int) -> None:
    """Journals of earlier versions give the number of corners."""
    start = Position.start(f"handicap-{discs}")
    named = new_match(replace(READ, options={"variant": f"handicap-{discs}"}))
    assert named == replace(handicap(discs), setup=named.setup)
    assert handicap(discs).board == start.cells() and start.to_move is Color.WHITE


def test_black_starts_the_clock_and_white_moves() -> None:
    state = handicap(2)
    with pytest.raises(IllegalEvent, match="Black presses"):
        step(state, press(W, 1))
    state = after(state, press(B, 1))
    assert (state.phase, state.side, state.running(), state.to_move) == (Phase.TURN, W, W, W)


def test_turns_are_judged_and_recorded_with_white_first() -> None:
    state = after(handicap(1), press(B, 1))
    position = Position.from_cells(state.board or "", W)
    square = position.geometry.square("f4")
    state = pressed(state, W, 2, position.play(square).cells())
    assert (state.transcript, state.side, state.findings) == ("f4", B, ())
    wrong = pressed(after(handicap(1), press(B, 1)), W, 2, START)
    assert wrong.findings and wrong.side is B, "the corner disc is gone"


def test_a_handicap_of_0_is_an_ordinary_game() -> None:
    assert handicap(0) == replace(new_match(READ), setup=replace(READ, options={"handicap": 0}))
    with pytest.raises(RuleSetError):
        read_options({"handicap": 5})
