"""Tests of the clock: time is charged exactly from edge to edge, and each flag falls at its instant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matches.steps import B, S, W, played, press, started

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


def test_reading_the_clock_charges_nothing() -> None:
    clock = Clock.new(10 * S, 0).run(Seat.LEFT, 0)
    assert clock.remaining_ns(Seat.LEFT, 4 * S) == 6 * S
    assert clock.run(Seat.RIGHT, 3 * S).remaining_ns(Seat.LEFT, 9 * S) == 7 * S


def test_setting_a_time_raises_or_drops_the_flag() -> None:
    clock = Clock.new(10 * S, 0).run(Seat.LEFT, 0)
    assert clock.set_left(Seat.LEFT, 5 * S, 20 * S).flag_at_ns(Seat.LEFT, 20 * S) is None
    assert clock.set_left(Seat.LEFT, -1, 20 * S).flag_at_ns(Seat.LEFT, 20 * S) == 10 * S
    assert clock.set_left(Seat.RIGHT, 0, 20 * S).flag_at_ns(Seat.RIGHT, 20 * S) == 20 * S


def test_a_late_reported_edge_is_charged_at_its_own_time() -> None:
    """An edge may be older than the last tick, but not than the last switch of the clock."""
    state, _ = step(started(), Tick(9 * S))
    state, _ = step(state, press(B, 8))
    assert state.remaining_ns(B, 9 * S) == 1192 * S
    with pytest.raises(IllegalEvent):
        step(state, press(W, 7))


def test_many_quick_presses_lose_no_time() -> None:
    state, at_ns = played("f5"), 1 * S
    for number in range(600):
        at_ns += 1_000_003 + number
        state, _ = step(state, press(W if number % 2 == 0 else B, at_ns / S))
    assert 2 * 1200 * S - state.remaining_ns(B, at_ns) - state.remaining_ns(W, at_ns) == at_ns
