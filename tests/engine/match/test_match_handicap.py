"""Tests of handicap games (OTH-HC-1 to 3): Black discs in corners, White first, Black's button starts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matches.steps import READ, B, W, after, press

from engine.match import IllegalEvent, MatchState, Phase, new_match, step
from engine.match.rule_sets_and_options import RuleSetError, read_options


def handicap(discs: int) -> MatchState:
    return new_match(replace(READ, options={"handicap": discs}))


def test_black_starts_the_clock_and_white_moves() -> None:
    state = handicap(2)
    with pytest.raises(IllegalEvent, match="Black presses"):
        step(state, press(W, 1))
    state = after(state, press(B, 1))
    assert (state.phase, state.side, state.running(), state.to_move) == (Phase.TURN, W, W, W)


def test_a_handicap_of_0_is_an_ordinary_game() -> None:
    assert handicap(0) == replace(new_match(READ), setup=replace(READ, options={"handicap": 0}))
    with pytest.raises(RuleSetError):
        read_options({"handicap": 5})
