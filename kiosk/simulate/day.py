"""One day of one seed: the hall is set up, plays, is disturbed, and is looked at by the laws.

The law: everything by chance comes from the seed. What goes wrong stops before the day ends, so that the hall can be
asked to reach its champion.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from kiosk.simulate.clock import StandstillError, VirtualTime, run
from kiosk.simulate.faults import Faults
from kiosk.simulate.federation import Federation
from kiosk.simulate.hall import Day, Hall, Programme
from kiosk.simulate.shape import Shape, neighbour

#: of the collector: values made before it looks, and how seldom it looks at older ones
YOUNG = (100_000, 20, 100)
#: between the seeds of the halls under one federation
NEIGHBOUR = 10**9


def hold(seed: int, faults: Faults, shape: Shape | None = None) -> Day:
    """Holds the day of a seed."""
    shape = shape or Shape.of(seed)
    day = Day(seed, shape, faults)
    with tempfile.TemporaryDirectory(prefix="othello-day-", dir=fast()) as name:
        programme, place = Programme.of(seed, shape), Path(name)
        if not shape.venues:
            hold_in(Hall(day, place, programme))
            return day
        time = VirtualTime()
        federation = Federation(time, place / "federation", Random(f"federation/{seed}"), shape.venues)
        halls = [Hall(day, place / "hall", programme, time=time, line=federation.lines[0])]
        for number, line in enumerate(federation.lines[1:], start=2):
            other = Day(
                seed + number * NEIGHBOUR, neighbour(seed, number), faults, day.broken, log=day.log, name=line.venue
            )
            programme = Programme.of(other.seed, other.shape)
            halls.append(Hall(other, place / line.venue, programme, time=time, line=line))
        hold_in(*halls)
        for hall in halls[1:]:
            day.presses += hall.day.presses
            day.troubles += hall.day.troubles
            day.lies += hall.day.lies
    return day


def hold_in(*halls: Hall) -> None:
    """Holds the day of a hall, or of several under one federation."""
    first = halls[0]

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(first.unexpected)
        federation = None if first.line is None else first.line.federation
        if federation is not None:
            federation.switch_on()
        try:
            await asyncio.gather(*(hall.play() for hall in halls))
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

    with _collected_seldom():
        try:
            run(first.time, main)
        except StandstillError as error:
            first.break_law("time goes on", str(error))


@contextlib.contextmanager
def _collected_seldom() -> Iterator[None]:
    """A day makes millions of values that hold each other and few that hold themselves."""
    before = gc.get_threshold()
    gc.set_threshold(*YOUNG)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def fast() -> str | None:
    """A place in memory, where there is one: what is kept of a commit is settled by the world, not by this disk."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
