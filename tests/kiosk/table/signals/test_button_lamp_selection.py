"""Tests of the lamps: lit are the buttons whose press is expected, which reveals nothing that players may not know."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tables.states import FINDING, LEFT, RIGHT, all_states

from engine.match.match_value_types import Seat
from kiosk.table.signals.button_lamp_selection import lit_seats

STATES = all_states()
BOTH, NONE = {LEFT, RIGHT}, set[Seat]()


@pytest.mark.parametrize(
    ("name", "seats"),
    [
        ("waiting", NONE),
        ("setup-designated", BOTH),
        ("ready", {RIGHT}),  # M43-5
        ("turn", {LEFT}),
        ("challenge", {RIGHT}),
        ("check", {RIGHT}),
        ("hold", BOTH),
        ("choice", {RIGHT}),
        ("free-play", {RIGHT}),
        ("ended-count", BOTH),
        ("ended-agree", {RIGHT}),
        ("result", {LEFT}),
        ("signed", NONE),
    ],
)
def test_whose_button_is_lit(name: str, seats: set[Seat]) -> None:
    assert lit_seats(STATES[name]) == seats


@pytest.mark.parametrize("name", STATES)
def test_flags_and_findings_light_nothing(name: str) -> None:
    """Promise 3, K-02, K-08: they change no lamp."""
    state = STATES[name]
    if state.match is None:
        return
    left, right = (replace(state.match.clock.side(seat), flag_at_ns=-1) for seat in Seat)
    knowing = replace(state.match, clock=replace(state.match.clock, left=left, right=right), findings=(FINDING,))
    assert lit_seats(replace(state, match=knowing)) == lit_seats(state)
