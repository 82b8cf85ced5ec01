"""Tests of events as journal bodies, and of an arbiter's orders as CONTRACT.md writes them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from matches.random_matches import any_event
from matches.steps import READ, S, played

from engine.board.color import Color
from engine.match import MatchError, Seat, Setup, new_match
from engine.match.arbiter_order_specs_and_parser import read_order, seconds_to_ns
from engine.match.match_events_and_effects import Action, ArbiterOrder, MatchEventError, Press
from engine.match.rule_sets_and_options import RuleSetError
from kiosk.link.game_replay_and_event_encoding import event_from_dict, event_to_dict


def test_every_event_round_trips_through_the_journal() -> None:
    state, rng = played("f5d6"), random.Random(3)
    for _ in range(500):
        event = any_event(state, rng.randint(0, S), rng)
        assert event_from_dict(event_to_dict(event)) == event


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"type": "press", "at_ns": 1, "seat": "left", "colour": "black"}, "'colour'"),
        ({"type": "press", "at_ns": 1}, "'seat'"),
        ({"type": "press", "at_ns": 1.0, "seat": "left"}, "at_ns"),
        ({"type": "press", "at_ns": True, "seat": "left"}, "at_ns"),
        ({"type": "press", "at_ns": 1, "seat": "middle"}, "seat"),
        ({"type": "pres", "at_ns": 1}, "'pres'"),
        ({"at_ns": 1}, "None"),
        ({"type": "agree", "at_ns": 1, "agree": 1}, "agree"),
        ({"type": "claim", "at_ns": 1, "by": "black", "what": "illegal", "squares": "e5"}, "squares"),
    ],
)
def test_an_invalid_body_is_refused_with_the_reason(body: dict[str, Any], word: str) -> None:
    with pytest.raises(MatchEventError, match=word):
        event_from_dict(body)


def test_an_order_uses_seconds_and_names() -> None:
    body = {"action": "set_time", "black_s": 600, "white_s": 0.1, "reason": "fault"}
    assert read_order(7, body) == ArbiterOrder(7, Action.SET_TIME, "fault", black_ns=600 * S, white_ns=100_000_000)
    assert read_order(7, {"action": "late_start", "absent": "right"}).side is Seat.RIGHT
    result = {"action": "result", "winner": None, "black_discs": 32, "white_discs": 32, "reason": "x"}
    assert read_order(7, result).winner is None
    assert read_order(7, {**result, "winner": "white"}).winner is Color.WHITE


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({}, "None"),
        ({"action": "deduct", "from": "black", "reason": "x"}, "'seconds'"),
        ({"action": "deduct", "from": "green", "seconds": 1}, "from"),
        ({"action": "deduct", "from": "black", "seconds": float("nan")}, "seconds"),
        ({"action": "resume", "loser": "black"}, "'loser'"),
        ({"action": "result", "winner": "black", "black_discs": 40.0, "white_discs": 24}, "black_discs"),
        ({"action": "unrated", "reason": 5}, "reason"),
    ],
)
def test_an_invalid_order_is_refused_with_the_reason(body: dict[str, Any], word: str) -> None:
    with pytest.raises(MatchEventError, match=word):
        read_order(0, body)


def test_seconds_are_converted_exactly() -> None:
    assert seconds_to_ns(1199.999999999) == 1_199_999_999_999
    assert seconds_to_ns(0.1) * 3 == seconds_to_ns(0.3)


@pytest.mark.parametrize(
    ("setup", "word"),
    [
        (Setup(rules="m40", options={"flag_outcome": "draw"}), "flag_outcome"),
        (Setup(rules="go"), "unknown"),
        (Setup(options={"countdown": 5}), "'countdown'"),
        (Setup(options={"countdown_from_s": -5}), "countdown_from_s"),
        (Setup(options={"free_play_floor": 1}), "free_play_floor"),
        (Setup(options={"late_never_came": "win"}), "late_never_came"),
    ],
)
def test_a_set_up_that_cannot_be_played_is_refused(setup: Setup, word: str) -> None:
    with pytest.raises(RuleSetError, match=word):
        new_match(setup)


def test_a_match_needs_time() -> None:
    with pytest.raises(MatchError):
        new_match(Setup(main_ns=0))
    assert new_match(READ).clock.running is None
    assert event_to_dict(Press(1, Seat.LEFT)) == {"type": "press", "at_ns": 1, "seat": "left"}
