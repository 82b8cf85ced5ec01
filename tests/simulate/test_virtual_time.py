"""Tests of virtual time: a loop in which nothing is due, or in which no time passes, is an error."""

from __future__ import annotations

import asyncio

import pytest
from simulate.drifting_clock import DriftingClock, run

from kiosk.demo.virtual_time_loop_and_connection import START_NS, DeadlockError, VirtualTime


def test_a_wait_takes_its_virtual_time_and_no_real_time() -> None:
    time = VirtualTime()

    async def main() -> None:
        await asyncio.sleep(3600)

    run(time, main)
    assert time.now_ns() - START_NS == 3600 * 10**9


def test_a_deadlock_is_an_error() -> None:
    async def main() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(DeadlockError, match="nothing is due"):
        run(VirtualTime(), main)


def test_an_endless_loop_in_one_instant_is_an_error() -> None:
    async def main() -> None:
        while True:
            await asyncio.sleep(0)

    with pytest.raises(DeadlockError, match="no time passes"):
        run(VirtualTime(), main)


def test_a_crystal_drifts_independently_of_the_wall_clock() -> None:
    time = VirtualTime()
    crystal = DriftingClock(time)
    crystal.too_fast_ppm = -50
    crystal.ahead_ns = 10**15
    time.pass_s(1000)
    assert crystal.now_ns() - START_NS == 1000 * 10**9 - 50_000_000
    assert crystal.wall_ns() - time.wall_ns() == 10**15


@pytest.mark.parametrize("ppm", [-100, -7, 0, 100])
def test_a_wait_with_a_slow_clock_ends_once_and_not_early(ppm: int) -> None:
    """Without this, every tick of a table on a slow crystal would be three."""
    time = VirtualTime()
    crystal = DriftingClock(time)
    crystal.too_fast_ppm = ppm
    time.pass_s(4321.000_000_7)
    due_ns = crystal.now_ns() + 500_000_001
    time.pass_s(crystal.real_s(500_000_001))
    assert 0 <= crystal.now_ns() - due_ns <= max(2_000, 500_000_001 * ppm // 1_000_000)
