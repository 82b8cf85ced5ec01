"""Tests of gestures, which are recognised from the times of edges alone."""

from __future__ import annotations

from engine.match.match_value_types import Seat
from kiosk.table.input.gesture_recognition import (
    LONG_NS,
    RUN_NS,
    BothPressed,
    ButtonDown,
    ButtonState,
    Gesture,
    HoldRepeat,
    LongPress,
    ShortPress,
)

MS = 1_000_000
LEFT, RIGHT = Seat.LEFT, Seat.RIGHT


def played(*edges: tuple[str, Seat, int]) -> list[Gesture]:
    """Return the gestures of ``("down" | "up", seat, ms)`` edges."""
    fingers, out = ButtonState(), []
    for kind, seat, ms in edges:
        fingers, gestures = fingers.down(seat, ms * MS) if kind == "down" else fingers.up(seat, ms * MS)
        out += gestures
    return out


def test_a_tap_counts_at_its_edge_and_is_short_at_its_release() -> None:
    assert played(("down", LEFT, 0), ("up", LEFT, 150)) == [ButtonDown(LEFT, 0), ShortPress(LEFT, 150 * MS)]


def test_a_press_of_one_second_is_long_and_a_nanosecond_less_is_short() -> None:
    fingers, _ = ButtonState().down(RIGHT, 5)
    assert fingers.up(RIGHT, 5 + LONG_NS)[1] == (LongPress(RIGHT, 5 + LONG_NS),)
    assert fingers.up(RIGHT, 4 + LONG_NS)[1] == (ShortPress(RIGHT, 4 + LONG_NS),)


def test_both_buttons_held_are_one_gesture_up_to_the_second_release() -> None:
    gestures = played(("down", LEFT, 0), ("down", RIGHT, 200), ("up", LEFT, 1200), ("up", RIGHT, 3000))
    assert gestures == [ButtonDown(LEFT, 0), ButtonDown(RIGHT, 200 * MS), BothPressed(1200 * MS, (200 * MS, 0))]


def test_a_quick_reply_during_a_lingering_press_is_not_both() -> None:
    gestures = played(("down", LEFT, 0), ("down", RIGHT, 300), ("up", LEFT, 400), ("up", RIGHT, 500))
    assert gestures == [
        ButtonDown(LEFT, 0),
        ButtonDown(RIGHT, 300 * MS),
        ShortPress(LEFT, 400 * MS),
        ShortPress(RIGHT, 500 * MS),
    ]


def test_a_press_that_switched_the_clock_gives_no_gesture_at_release() -> None:
    fingers, _ = ButtonState().down(LEFT, 0)
    fingers, gestures = fingers.mark_used(LEFT).up(LEFT, 2 * LONG_NS)
    assert gestures == ()
    fingers, _ = fingers.down(LEFT, 3 * LONG_NS)
    assert fingers.up(LEFT, 3 * LONG_NS + 1)[1] == (ShortPress(LEFT, 3 * LONG_NS + 1),), "the next press is a new one"


def test_a_spike_leaves_no_button_pressed() -> None:
    fingers, _ = ButtonState().down(LEFT, 0)
    assert fingers.forget(LEFT).up(LEFT, 10)[1] == ()


def test_a_hold_takes_effect_after_a_second_and_not_at_release() -> None:
    fingers, _ = ButtonState().down(LEFT, 0)
    assert fingers.next_due_ns() == LONG_NS
    assert fingers.held_until(LONG_NS - 1)[1] == ()
    fingers, held = fingers.held_until(LONG_NS)
    assert held == (LongPress(LEFT, LONG_NS),)
    assert not any(isinstance(gesture, ShortPress | LongPress) for gesture in fingers.up(LEFT, 3 * LONG_NS)[1])


def test_a_held_button_repeats_until_it_is_released() -> None:
    """The number of repetitions depends only on how long it was held, whether it is read late or in time, by the
    clock or by the release."""
    fingers, _ = ButtonState().down(LEFT, 0)
    due = (LongPress(LEFT, LONG_NS), HoldRepeat(LEFT, LONG_NS + RUN_NS), HoldRepeat(LEFT, LONG_NS + 2 * RUN_NS))
    seen = []
    for gesture in due:
        assert fingers.next_due_ns() == gesture.at_ns
        fingers, told = fingers.held_until(gesture.at_ns)
        seen += told
    assert tuple(seen) == due
    assert fingers.up(LEFT, LONG_NS + 3 * RUN_NS - 1)[1] == ()
    assert ButtonState().down(LEFT, 0)[0].up(LEFT, LONG_NS + 3 * RUN_NS - 1)[1] == due
    for gone in (fingers.forget(LEFT), fingers.down(RIGHT, 2 * LONG_NS)[0]):
        assert not any(isinstance(gesture, HoldRepeat) for gesture in gone.held_until(9 * LONG_NS)[1])


def test_a_press_that_switched_the_clock_never_repeats() -> None:
    fingers, _ = ButtonState().down(LEFT, 0)
    assert fingers.mark_used(LEFT).held_until(9 * LONG_NS)[1] == ()


def test_both_held_take_effect_together_and_once() -> None:
    fingers, _ = ButtonState().down(LEFT, 0)
    fingers, _ = fingers.down(RIGHT, 900 * MS)
    assert fingers.held_until(LONG_NS)[1] == (), "the first is not long while the other is there"
    fingers, held = fingers.held_until(1_900 * MS)
    assert held == (BothPressed(1_900 * MS, (900 * MS, 0)),)
    fingers, first = fingers.up(LEFT, 4_000 * MS)
    assert (first, fingers.up(RIGHT, 5_000 * MS)[1]) == ((), ())


def test_a_short_press_followed_by_a_hold_is_a_call_and_a_hold_alone_is_not() -> None:
    knocked = played(("down", LEFT, 0), ("up", LEFT, 100), ("down", LEFT, 400), ("up", LEFT, 1_500))
    assert knocked[-1] == LongPress(LEFT, 1_400 * MS, pressed_before=True)
    late = played(("down", LEFT, 0), ("up", LEFT, 100), ("down", LEFT, 1_200), ("up", LEFT, 2_400))
    assert late[-1] == LongPress(LEFT, 2_200 * MS)
    other = played(("down", RIGHT, 0), ("up", RIGHT, 100), ("down", LEFT, 400), ("up", LEFT, 1_500))
    assert other[-1] == LongPress(LEFT, 1_400 * MS)
