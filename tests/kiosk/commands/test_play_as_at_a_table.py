"""Tests that edges, unread squares and late readings have the same effect in ``kiosk play`` as at a real table."""

from __future__ import annotations

from typing import Any

import pytest
from matches.games import after, changed
from matches.scripts import BOARD, F5, Line, play

WHITE_STARTS: Line = {"at": 0, "press": "white"}
F5D6 = after("f5d6")
LATE: Line = {"at": 0, "arbiter": {"action": "late_start", "absent": "white"}}


def contact(line: str, at: float, held: float) -> list[Line]:
    return [{"at": at, "edge": line, "level": 1}, {"at": round(at + held, 6), "edge": line, "level": 0}]


def in_order(*contacts: list[Line]) -> list[Line]:
    return sorted((edge for one in contacts for edge in one), key=lambda edge: edge["at"])


def edged(*lines: Line) -> dict[str, Any]:
    """Play a script whose presses are edges of the lines; both lines are inactive at 0."""
    return play(*contact("white", 0, 0.1), *lines, {"at": 30, "hold": "black"})


@pytest.mark.parametrize("held", [0.00006, 0.0025, 0.012])
@pytest.mark.parametrize("line", ["black", "white"])
def test_a_press_shorter_than_the_debounce_time_is_no_move(line: str, held: float) -> None:
    """Black's time runs on during the spike."""
    out = edged(*contact(line, 10, held))
    assert out["remaining_ms"] == {"black": 1_170_000, "white": 1_200_000}


@pytest.mark.parametrize("first", ["black", "white"])
@pytest.mark.parametrize("apart", [0.0001, 0.001, 0.02])
def test_of_two_buttons_pressed_at_once_the_moving_player_s_counts(first: str, apart: float) -> None:
    later = {"black": "white", "white": "black"}[first]
    out = edged(*in_order(contact(first, 10, 0.2), contact(later, 10 + apart, 0.2)))
    begun_s = 10 if first == "black" else 10 + apart
    assert abs(out["remaining_ms"]["black"] - 1000 * (1200 - begun_s)) <= 1
    assert out["running"] is None and out["remaining_ms"]["white"] < 1_181_000, "White's time ran from there"


def test_a_reply_soon_after_a_move_counts() -> None:
    out = edged(*in_order(contact("black", 10, 0.1), contact("white", 10.05, 0.1)))
    assert out["remaining_ms"] == {"black": 1_170_050, "white": 1_199_950}


def test_an_unread_square_is_filled_in_if_the_rules_allow_one_value() -> None:
    blind = changed(F5, e5="?", a1="?")
    out = play(WHITE_STARTS, {"at": 5, "board": blind}, {"at": 6, "press": "black"}, setup=BOARD)
    assert (out["transcript"], out["findings"], out["rejected"]) == ("f5", [], [])


def test_an_ambiguous_reading_makes_no_finding() -> None:
    """The turn counts as not read and is resolved by the reading of the next turn."""
    hidden = changed(F5, e5="?", f5="?")
    turns = [
        {"at": 5, "board": hidden},
        {"at": 6, "press": "black"},
        {"at": 8, "board": F5D6},
        {"at": 9, "press": "white"},
    ]
    out = play(WHITE_STARTS, *turns, setup=BOARD)
    assert (out["transcript"], out["findings"]) == ("f5d6", [])


def test_a_reading_with_too_many_unread_squares_is_refused() -> None:
    out = play(WHITE_STARTS, {"at": 5, "board": "?" * 64}, setup=BOARD)
    assert [line["line"] for line in out["rejected"]] == [3]


def test_a_press_is_answered_by_the_last_reading_before_it_even_when_it_is_asked_again() -> None:
    """A spike on White's line is cancelled after the board of the next turn was read."""
    spark = contact("white", 10.01, 0.0004)
    lines = in_order(contact("black", 10, 0.2), spark, [{"at": 10.015, "board": changed(F5, d6="O")}])
    out = play(*contact("white", 0, 0.1), {"at": 9, "board": F5}, *lines, {"at": 20, "board": F5D6},
               {"at": 20, "press": "white"}, setup=BOARD)  # fmt: skip
    assert (out["transcript"], out["findings"]) == ("f5d6", [])


@pytest.mark.parametrize(("pressed", "arrived", "left_s"), [(0.5, 200, 1000.5), (100, 200, 1100), (900, 1000, 200)])
def test_only_a_press_that_follows_the_order_sets_the_late_players_start(
    pressed: float, arrived: int, left_s: float
) -> None:
    """M43-12.2: a press two minutes or more after the order does not set it, and the arbiter is notified of a late
    press."""
    out = play(LATE, {"at": pressed, "press": "black"}, {"at": arrived, "arrive": True}, setup=BOARD)
    assert out["remaining_ms"]["white"] == round(left_s * 1000)
    told = [text for text in out["shown_to_arbiter"] if "after the order" in text]
    assert len(told) == (pressed >= 1)
