"""Tests that edges, unread squares and late readings mean the same in ``kiosk play`` as at a real table."""

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
    """Both lines are at rest at 0."""
    return play(*contact("white", 0, 0.1), *lines, {"at": 30, "hold": "black"})


@pytest.mark.parametrize("held", [0.00006, 0.0025, 0.012])
@pytest.mark.parametrize("line", ["black", "white"])
def test_what_is_gone_before_the_proof_is_no_move(line: str, held: float) -> None:
    """Black's time runs all the while."""
    out = edged(*contact(line, 10, held))
    assert out["remaining_ms"] == {"black": 1_170_000, "white": 1_200_000}


@pytest.mark.parametrize("first", ["black", "white"])
@pytest.mark.parametrize("apart", [0.0001, 0.001, 0.02])
def test_of_two_buttons_pressed_at_once_the_movers_counts(first: str, apart: float) -> None:
    later = {"black": "white", "white": "black"}[first]
    out = edged(*in_order(contact(first, 10, 0.2), contact(later, 10 + apart, 0.2)))
    begun_s = 10 if first == "black" else 10 + apart
    assert abs(out["remaining_ms"]["black"] - 1000 * (1200 - begun_s)) <= 1
    assert out["running"] is None and out["remaining_ms"]["white"] < 1_181_000, "White's time ran from there"


def test_a_reply_of_a_quick_hand_counts() -> None:
    out = edged(*in_order(contact("black", 10, 0.1), contact("white", 10.05, 0.1)))
    assert out["remaining_ms"] == {"black": 1_170_050, "white": 1_199_950}


def test_a_blind_square_is_filled_in_where_the_rules_leave_one_answer() -> None:
    blind = changed(F5, e5="?", a1="?")
    out = play(WHITE_STARTS, {"at": 5, "board": blind}, {"at": 6, "press": "black"}, setup=BOARD)
    assert (out["transcript"], out["findings"], out["rejected"]) == ("f5", [], [])


def test_a_reading_that_could_be_two_things_makes_no_finding() -> None:
    """The turn counts as not read, and is understood with the next one."""
    hidden = changed(F5, e5="?", f5="?")
    turns = [
        {"at": 5, "board": hidden},
        {"at": 6, "press": "black"},
        {"at": 8, "board": F5D6},
        {"at": 9, "press": "white"},
    ]
    out = play(WHITE_STARTS, *turns, setup=BOARD)
    assert (out["transcript"], out["findings"]) == ("f5d6", [])


def test_a_reading_too_blind_to_use_is_refused() -> None:
    out = play(WHITE_STARTS, {"at": 5, "board": "?" * 64}, setup=BOARD)
    assert [line["line"] for line in out["rejected"]] == [3]


def test_a_press_is_answered_by_the_last_reading_before_it_even_when_it_is_asked_again() -> None:
    """A spark on White's line is taken back after the board of the next turn was read."""
    spark = contact("white", 10.01, 0.0004)
    lines = in_order(contact("black", 10, 0.2), spark, [{"at": 10.015, "board": changed(F5, d6="O")}])
    out = play(*contact("white", 0, 0.1), {"at": 9, "board": F5}, *lines, {"at": 20, "board": F5D6},
               {"at": 20, "press": "white"}, setup=BOARD)  # fmt: skip
    assert (out["transcript"], out["findings"]) == ("f5d6", [])


@pytest.mark.parametrize(("pressed", "arrived", "left_s"), [(0.5, 200, 1000.5), (100, 200, 1100), (900, 1000, 200)])
def test_only_a_press_that_follows_the_order_sets_the_late_players_start(
    pressed: float, arrived: int, left_s: float
) -> None:
    """M43-12.2: after two minutes the order stands; the arbiter is told of every moment between order and press."""
    out = play(LATE, {"at": pressed, "press": "black"}, {"at": arrived, "arrive": True}, setup=BOARD)
    assert out["remaining_ms"]["white"] == round(left_s * 1000)
    told = [text for text in out["shown_to_arbiter"] if "after the order" in text]
    assert len(told) == (pressed >= 1)
