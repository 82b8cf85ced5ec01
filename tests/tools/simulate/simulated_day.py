"""One simulated day of one seed: set-up, play, fault injection and checks of the invariants.

All randomness comes from the seed. Faults stop before the day ends, so that the hall can be required to reach its
champion.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from random import Random

from simulate.day_schedule import Day, Schedule, SimulatedHall
from simulate.drifting_clock import run
from simulate.fault_injection import Faults
from simulate.scenario_size import ScenarioSize, small_hall
from simulate.venue_links import SimulatedFederation

from kiosk.demo.virtual_time_demo import collected_seldom, memory_folder
from kiosk.demo.virtual_time_loop_and_connection import DeadlockError, VirtualTime

#: difference between the seeds of halls in one federation
NEIGHBOUR = 10**9


def run_day(seed: int, faults: Faults, shape: ScenarioSize | None = None) -> Day:
    """Simulate the day of a seed."""
    shape = shape or ScenarioSize.of(seed)
    day = Day(seed, shape, faults)
    with tempfile.TemporaryDirectory(prefix="othello-day-", dir=memory_folder()) as name:
        programme, place = Schedule.of(seed, shape), Path(name)
        if not shape.venues:
            run_halls(SimulatedHall(day, place, programme))
            return day
        time = VirtualTime()
        federation = SimulatedFederation(time, place / "federation", Random(f"federation/{seed}"), shape.venues)
        halls = [SimulatedHall(day, place / "hall", programme, time=time, line=federation.lines[0])]
        for number, line in enumerate(federation.lines[1:], start=2):
            other = Day(
                seed + number * NEIGHBOUR, small_hall(seed, number), faults, day.broken, log=day.log, name=line.venue
            )
            programme = Schedule.of(other.seed, other.shape)
            halls.append(SimulatedHall(other, place / line.venue, programme, time=time, line=line))
        run_halls(*halls)
        for hall in halls[1:]:
            day.presses += hall.day.presses
            day.fault_count += hall.day.fault_count
            day.false_records += hall.day.false_records
    return day


def run_halls(*halls: SimulatedHall) -> None:
    """Simulate the day of a hall, or of several in one federation."""
    first = halls[0]

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(first.unexpected)
        federation = None if first.line is None else first.line.federation
        if federation is not None:
            federation.switch_on()
        try:
            await asyncio.gather(*(hall.hold() for hall in halls))
            for hall in halls:
                hall.mend()
            await asyncio.sleep(60)
            await asyncio.gather(*(hall.close() for hall in halls))
        except Exception as error:  # noqa: BLE001 - whatever ends a part of a hall is what was looked for
            first.unexpected(None, {"exception": error})
        finally:
            if federation is not None:
                federation.kill()
            for hall in halls:
                hall.end()

    with collected_seldom():
        try:
            run(first.time, main)
        except DeadlockError as error:
            first.fail_invariant("time goes on", str(error))
