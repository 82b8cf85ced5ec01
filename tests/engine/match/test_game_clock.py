"""Tests of the clock: time is charged exactly from edge to edge, and each flag falls at its instant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matches.steps import B, S, W, press, started

from engine.match import IllegalEvent, Seat, step
from engine.match.game_clock import Clock
from engine.match.match_events_and_effects import Tick


@given(st.lists(st.tuples(st.sampled_from([*Seat, None]), st.integers(0, 10**13)), max_size=40))
def test_charged_and_remaining_time_total_the_main_time(runs: list[tuple[Seat | None, int]]) -> None:
    clock, at_ns, charged, running = Clock.new(10**12, 5), 5, dict.fromkeys(Seat, 0), None
    fell: dict[Seat, int] = {}
    for seat, for_ns in runs:
        clock, running = clock.run(seat, at_ns), seat
        at_ns += for_ns
        if running is not None:
            before = charged[running]
            charged[running] += for_ns
            if before < 10**12 <= charged[running]:
                fell[running] = at_ns - for_ns + 10**12 - before
        for side in Seat:
            assert clock.remaining_ns(side, at_ns) == 10**12 - charged[side]
            assert clock.flag_at_ns(side, at_ns) == fell.get(side)
    assert clock.remaining_ns(Seat.LEFT, 0) + clock.remaining_ns(Seat.RIGHT, 0) >= 2 * 10**12 - sum(charged.values())


def test_a_late_reported_edge_is_charged_at_its_own_time() -> None:
    """An edge may be older than the last tick, but not than the last switch of the clock."""
    state, _ = step(started(), Tick(9 * S))
    state, _ = step(state, press(B, 8))
    assert state.remaining_ns(B, 9 * S) == 1192 * S
    with pytest.raises(IllegalEvent):
        step(state, press(W, 7))
