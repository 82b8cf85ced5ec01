"""Tests of the entry of disc counts by the buttons: every count takes few presses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tables.states import LEFT, RIGHT, SECOND, match, table

from engine.match import Phase, Seat
from kiosk.table.input.gesture_recognition import LONG_NS, RUN_NS, Gesture, HoldRepeat, LongPress, ShortPress
from kiosk.table.input.gesture_responses import respond
from kiosk.table.state import TableState

#: maximum number of presses and holds for any count
MOST_ALONE, MOST_TOGETHER = 5, 3


def pressed(state: TableState, count: int, gesture: Gesture) -> int:
    return respond(replace(state, black_count=count), gesture).state.black_count


def held(state: TableState, count: int, seat: Seat) -> list[int]:
    """Return the count after a button was held, for up to ten seconds, when it would be reported as stuck."""
    counts = [pressed(state, count, LongPress(seat, 0))]
    for _ in range((10 * SECOND - LONG_NS) // RUN_NS):
        counts.append(pressed(state, counts[-1], HoldRepeat(seat, 0)))
    return counts


@pytest.mark.parametrize(
    ("seats", "most"), [([LEFT], MOST_ALONE), ([RIGHT], MOST_ALONE), ([LEFT, RIGHT], MOST_TOGETHER)]
)
def test_every_count_takes_few_presses(seats: list[Seat], most: int) -> None:
    """Either player alone can enter every count, because it wraps; together they add and subtract. A hold counts as
    one press, however long."""
    state = table(match(Phase.ENDED))
    acts, reached = {state.black_count: 0}, [state.black_count]
    for count in reached:
        for seat in seats:
            for after in (pressed(state, count, ShortPress(seat, 0)), *held(state, count, seat)):
                if after not in acts:
                    acts[after] = acts[count] + 1
                    reached.append(after)
    assert set(acts) == set(range(65)) and max(acts.values()) == most
