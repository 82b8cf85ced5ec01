"""Gestures are told from edge times alone."""

from __future__ import annotations

from engine.match.model import Seat
from kiosk.table.hands.gestures import LONG_NS, Both, Down, Fingers, Gesture, Long, Short

MS = 1_000_000
LEFT, RIGHT = Seat.LEFT, Seat.RIGHT


def played(*edges: tuple[str, Seat, int]) -> list[Gesture]:
    """The gestures of ``("down" | "up", seat, ms)`` edges."""
    fingers, out = Fingers(), []
    for kind, seat, ms in edges:
        fingers, gestures = fingers.down(seat, ms * MS) if kind == "down" else fingers.up(seat, ms * MS)
        out += gestures
    return out


def test_a_tap_counts_at_its_edge_and_is_short_at_its_release() -> None:
    assert played(("down", LEFT, 0), ("up", LEFT, 150)) == [Down(LEFT, 0), Short(LEFT, 150 * MS)]


def test_a_press_of_one_second_is_long_and_a_nanosecond_less_is_short() -> None:
    fingers, _ = Fingers().down(RIGHT, 5)
    assert fingers.up(RIGHT, 5 + LONG_NS)[1] == (Long(RIGHT, 5 + LONG_NS),)
    assert fingers.up(RIGHT, 4 + LONG_NS)[1] == (Short(RIGHT, 4 + LONG_NS),)


def test_both_buttons_held_together_are_one_gesture_and_the_second_release_says_nothing() -> None:
    gestures = played(("down", LEFT, 0), ("down", RIGHT, 200), ("up", LEFT, 1200), ("up", RIGHT, 3000))
    assert gestures == [Down(LEFT, 0), Down(RIGHT, 200 * MS), Both(1200 * MS, (200 * MS, 0))]


def test_a_quick_reply_while_the_other_finger_rests_is_not_both() -> None:
    gestures = played(("down", LEFT, 0), ("down", RIGHT, 300), ("up", LEFT, 400), ("up", RIGHT, 500))
    assert gestures == [Down(LEFT, 0), Down(RIGHT, 300 * MS), Short(LEFT, 400 * MS), Short(RIGHT, 500 * MS)]


def test_a_press_that_switched_the_clock_means_nothing_more_at_its_release() -> None:
    fingers, _ = Fingers().down(LEFT, 0)
    fingers, gestures = fingers.spend(LEFT).up(LEFT, 2 * LONG_NS)
    assert gestures == ()
    fingers, _ = fingers.down(LEFT, 3 * LONG_NS)
    assert fingers.up(LEFT, 3 * LONG_NS + 1)[1] == (Short(LEFT, 3 * LONG_NS + 1),), "the next press is a new one"


def test_a_disturbance_leaves_no_finger() -> None:
    fingers, _ = Fingers().down(LEFT, 0)
    assert fingers.forget(LEFT).up(LEFT, 10)[1] == ()
