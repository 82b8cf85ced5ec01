"""Time bases: integers without drift that never decrease."""

from __future__ import annotations

import time

import pytest

from hardware.real_and_simulated_time import ManualTime, ScaledTime, SystemTime


def test_system_time_is_clock_monotonic_the_clock_of_the_edges() -> None:
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    now = SystemTime().now_ns()
    assert before <= now <= time.clock_gettime_ns(time.CLOCK_MONOTONIC)


@pytest.mark.parametrize(
    ("speed", "real_ns", "game_ns"),
    [
        (1, 7, 7),
        (60, 1_000_000_001, 60_000_000_060),
        (0.5, 1_000_000_001, 500_000_000),
        (1.5, 3, 4),
        (1000, 86_400 * 10**9 + 1, 86_400_000 * 10**9 + 1000),
    ],
)
def test_scaled_time_is_exact_integers(
    monkeypatch: pytest.MonkeyPatch, speed: float, real_ns: int, game_ns: int
) -> None:
    start = 123_456_789_012_345
    monkeypatch.setattr(time, "monotonic_ns", lambda: start + real_ns)
    assert ScaledTime(speed, start).now_ns() == start + game_ns


def test_real_s_is_the_real_time_of_a_game_duration() -> None:
    assert ScaledTime(20).real_s(1_000_000_000) == 0.05
    assert SystemTime().real_s(250_000_000) == 0.25
    assert SystemTime().real_s(-1) == ScaledTime(3).real_s(-1) == 0.0


@pytest.mark.parametrize("speed", [0, -1, 0.0001])
def test_a_speed_that_is_not_positive_is_refused(speed: float) -> None:
    with pytest.raises(ValueError, match="speed"):
        ScaledTime(speed)


def test_manual_time_advances_only_on_request() -> None:
    manual = ManualTime(5)
    manual.advance(7)
    assert manual.now_ns() == 12
    assert manual.real_s(10**12) == 0.0
    with pytest.raises(ValueError, match="back"):
        manual.advance(-1)
