"""The count of discs by the buttons: no figure is far."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tables.states import LEFT, RIGHT, match, table

from engine.match import Seat
from engine.match.model import Phase
from kiosk.table.hands.conduct import respond
from kiosk.table.hands.gestures import Long, Short

#: the most acts, presses and holds, that any count takes
MOST_ALONE, MOST_TOGETHER = 14, 6


@pytest.mark.parametrize(
    ("seats", "most"), [([LEFT], MOST_ALONE), ([RIGHT], MOST_ALONE), ([LEFT, RIGHT], MOST_TOGETHER)]
)
def test_every_count_is_few_acts_away(seats: list[Seat], most: int) -> None:
    """Either player comes to every count alone, since it goes round; together they add and take away."""
    state = table(match(Phase.ENDED))
    acts, reached = {state.black_count: 0}, [state.black_count]
    for count in reached:
        for gesture in (kind(seat, 0) for seat in seats for kind in (Short, Long)):
            after = respond(replace(state, black_count=count), gesture).state.black_count
            if after not in acts:
                acts[after] = acts[count] + 1
                reached.append(after)
    assert set(acts) == set(range(65)) and max(acts.values()) == most
