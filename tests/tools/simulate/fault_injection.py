"""Fault injection: which faults happen in a hall, how often, and how they are repaired.

Randomness comes from the seed. Every fault is one that a real hall can have; each ends after a while by itself or is
repaired by people, and all have ended after ``over_at_minute``.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Coroutine
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING

from simulate.malicious_table import MaliciousTable
from simulate.simulated_cables import Cable
from simulate.simulated_network import FaultyWire
from simulate.spare_device import enrol

from hardware.real_and_simulated_time import NS_PER_S

if TYPE_CHECKING:
    from simulate.day_schedule import SimulatedHall
    from simulate.simulated_table import TableSlot
    from simulate.venue_links import VenueLink


class Faults(StrEnum):
    NONE = "none"
    LIGHT = "light"
    HEAVY = "heavy"


#: minutes between two faults, on average, in a hall of eight tables
EVERY_MINUTES = {Faults.LIGHT: 10.0, Faults.HEAVY: 0.7}
#: largest drift of a crystal
DRIFT_PPM = 100
LAST_MINUTES = {Faults.NONE: (0, 0), Faults.LIGHT: (20, 120), Faults.HEAVY: (30, 150)}


class FaultInjector:
    """Injector of faults into a hall. ``count``: faults so far."""

    def __init__(self, hall: SimulatedHall, faults: Faults, seed: int) -> None:
        self._hall = hall
        self._faults = faults
        self._chance = Random(f"faults/{seed}")
        self.over_at_minute = self._chance.uniform(*LAST_MINUTES[faults])
        self.count = 0
        self._active: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        if self._faults is Faults.NONE:
            return
        kinds: tuple[Callable[[], Coroutine[None, None, None]], ...] = (
            self._table_loses_power,
            self._table_is_killed,
            self._head_is_killed,
            self._cable_is_pulled,
            self._one_way,
            self._switch_restarts,
            self._network_is_slow,
            self._disk_fails,
            self._disk_is_full,
            self._whole_hall_loses_power,
            self._operators_act,
            self._wall_clock_jumps,
            self._people_change,
            self._cable_is_noisy,
            self._head_is_lost,
            self._table_is_replaced,
            self._key_is_stolen,
        )
        weights: tuple[int, ...] = (6, 4, 2, 5, 3, 4, 3, 3, 2, 1, 3, 2, 4, 3, 1, 1, 1)
        if self._hall.line is not None:
            kinds = (*kinds, self._federation_suffers, self._disk_is_put_back, self._second_machine_runs)
            weights = (*weights, 6, 2, 1)
        for place in self._hall.places.values():
            place.crystal.too_fast_ppm = self._chance.randint(-DRIFT_PPM, DRIFT_PPM)
        mean_s = 60 * EVERY_MINUTES[self._faults] * 8 / (len(self._hall.places) + 4)
        while True:
            await asyncio.sleep(self._chance.expovariate(1 / mean_s))
            if self._hall.minute > self.over_at_minute or self.count == self._hall.day.shape.fault_limit:
                return
            self.count += 1
            task = asyncio.get_running_loop().create_task(self._chance.choices(kinds, weights)[0]())
            self._active.add(task)
            task.add_done_callback(self._ended)

    def end_faults(self) -> None:
        """End every active fault."""
        for task in self._active:
            task.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._active.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error

    # --- power -----------------------------------------------------------------------------------------------------

    async def _table_loses_power(self) -> None:
        await self._table_off(self._chance.choice(list(self._hall.places)), cut=True)

    async def _table_is_killed(self) -> None:
        await self._table_off(self._chance.choice(list(self._hall.places)), cut=False)

    async def _table_off(self, number: int, cut: bool, off_s: float | None = None) -> None:
        place = self._hall.places[number]
        if place.table is None:
            return
        self._hall.note(f"table {number}: {'its power is cut' if cut else 'its program is killed'}")
        self._hall.record_history()
        if cut:
            place.cut_power()
        else:
            place.kill()
        await asyncio.sleep(off_s or self._chance.uniform(2, 90))
        place.switch_on()
        self._hall.note(f"table {number} is back")

    async def _head_is_killed(self, off_s: float | None = None) -> None:
        if self._hall.head.program is None:
            return
        self._hall.note("the head is killed")
        self._hall.head.kill()
        await asyncio.sleep(off_s or self._chance.uniform(1, 60))
        self._hall.head.switch_on()
        self._hall.note("the head is back")

    async def _whole_hall_loses_power(self) -> None:
        self._hall.note("the whole hall loses its power")
        off_s = self._chance.uniform(5, 300)
        tables = [self._table_off(number, True, off_s + self._chance.uniform(0, 20)) for number in self._hall.places]
        await asyncio.gather(self._head_is_killed(off_s), *tables)

    async def _head_is_lost(self) -> None:
        """Destroy the head with its disk. A spare machine continues from a backup that has every act of the staff, but
        not all records that the tables have sent meanwhile.
        """
        head = self._hall.head
        if head.program is None or head.is_backed_up:
            return
        self._hall.note("the head is backed up")
        head.back_up()
        await asyncio.sleep(self._chance.uniform(5, 300))
        if head.program is None:
            head.is_backed_up = False  # it is being killed right now: no loss this time
            return
        self._hall.note("the head is lost with its disk")
        head.kill()
        await asyncio.sleep(self._chance.uniform(20, 120))
        head.restore()
        self._hall.note("a spare head goes on from the backup")

    async def _table_is_replaced(self) -> None:
        """Destroy a device with its disk; a spare is enrolled over the network."""
        if (place := self._some_networked_table()) is not None:
            await self._replace(place)

    def _some_networked_table(self) -> TableSlot | None:
        """Return a table that is on, and is not being replaced already."""
        hall = self._hall
        numbers = [number for number, wire in hall.wires.items() if not isinstance(wire, Cable)]
        place = hall.places[self._chance.choice(numbers)] if numbers else None
        return None if place is None or place.table is None or place.number in hall.stolen else place

    async def _replace(self, place: TableSlot) -> None:
        hall = self._hall
        hall.note(f"table {place.number}: its device dies")
        hall.record_history()
        place.cut_power()
        await asyncio.sleep(self._chance.uniform(30, 180))
        while (program := hall.head.program) is None:
            await asyncio.sleep(5)
        hall.record_history()
        await enrol(program, place.number, place.take_over)
        hall.memory.replaced(place.number)
        self._keep()
        place.switch_on()
        place.reset_discs()
        hall.note(f"table {place.number}: a spare has taken its place")

    async def _key_is_stolen(self) -> None:
        """Simulate a stolen key of a table in play: the thief reports games of the other tables, and the two devices
        replace each other's connection, until it is noticed and the table gets a new device and key.
        """
        hall = self._hall
        place = self._some_networked_table()
        if place is None:
            return
        number = place.number
        name = f"{hall.day.seed}/{number}/{self.count}"
        wire = FaultyWire(Random(f"thief's wire/{name}"), hall.head.answer)
        thief = MaliciousTable(number, place.key(), wire, hall.head, Random(f"thief/{name}"), is_thief=True)
        hall.stolen.add(number)
        hall.thieves.add(thief.epoch)
        hall.note(f"table {number}: its key is stolen")
        work = asyncio.get_running_loop().create_task(thief.run())
        try:
            await asyncio.sleep(self._chance.uniform(20, 600))
            while place.table is None or hall.head.program is None:
                await asyncio.sleep(5)
            state = hall.head.program.desk.state
            reported = number in {one.table for one in state.notices} | {one.table for one in state.aside}
            if thief.needs_report(hall.head.program) and not reported:
                hall.fail_invariant(
                    "the desk sees that a table sends false records", f"nothing is said of table {number}"
                )
            await self._replace(place)
            hall.stolen.discard(number)
            hall.note(f"table {number}: the thief sent {thief.sent} false records")
        finally:
            work.cancel()

    # --- the federation -------------------------------------------------------------------------------------------

    async def _federation_suffers(self) -> None:
        """Disturb the federation by one of the four faults below."""
        loses, killed = self._line_loses_pushes, self._federation_is_killed
        await self._chance.choice((loses, loses, killed, self._old_push_is_repeated, self._old_push_is_forged))()

    async def _line_loses_pushes(self) -> None:
        line = self._line
        line.loss = self._chance.choice((0.1, 0.5, 1.0))
        self._hall.note(f"the line to the federation loses {line.loss:.0%}")
        try:
            await asyncio.sleep(self._chance.uniform(5, 600))
        finally:
            line.loss = 0.0
            self._hall.note("the line to the federation is well again")

    async def _federation_is_killed(self) -> None:
        federation = self._line.federation
        self._hall.note("the federation's head is killed")
        federation.kill()
        try:
            await asyncio.sleep(self._chance.uniform(1, 300))
        finally:
            if federation.collector is None:
                federation.switch_on()
            self._hall.note("the federation's head is back")

    async def _old_push_is_repeated(self) -> None:
        if self._line.replay_push():
            self._hall.note("somebody sends the federation an old push again")

    async def _old_push_is_forged(self) -> None:
        if self._line.replay_as_copyist():
            self._hall.note("somebody sends the federation an old push in another hall's name")

    @property
    def _line(self) -> VenueLink:
        assert self._hall.line is not None, "else these faults do not happen"
        return self._hall.line

    async def _disk_is_put_back(self) -> None:
        """Copy the head's disk and restore the copy later, when the federation has a newer life of it."""
        if self._hall.head.program is None:
            return
        self._hall.head.take_image()
        await asyncio.sleep(self._chance.uniform(20, 300))
        if self._hall.head.restore_image():
            self._hall.note("a copy of the head's disk is put back")

    async def _second_machine_runs(self) -> None:
        """Start a copy of the head's disk on a second machine, which also sends in the hall's name."""
        head = self._hall.head
        if head.program is None:
            return
        second = head.start_second_machine()
        self._hall.note("a second machine runs with a copy of the head's disk")
        try:
            await asyncio.sleep(self._chance.uniform(20, 600))
        finally:
            head.end_second_machine(second)
            self._hall.note("the second machine is switched off")

    # --- disks -----------------------------------------------------------------------------------------------------

    async def _disk_fails(self) -> None:
        """Make some operations of a card fail with EIO; data of a failed sync is lost."""
        number = self._chance.choice(list(self._hall.places))
        storage = self._hall.places[number].storage
        share = self._chance.choice((0.1, 0.5, 1.0))

        def before(operation: str, count: int) -> None:
            if operation in ("create", "write", "sync", "sync_directory") and self._chance.random() < share:
                raise OSError(errno.EIO, os.strerror(errno.EIO))

        self._hall.note(f"table {number}: its disk fails {share:.0%} of the time")
        storage.before = before
        try:
            await asyncio.sleep(self._chance.uniform(1, 60))
        finally:
            storage.before = lambda operation, count: None
            self._hall.note(f"table {number}: its disk is well again")

    async def _disk_is_full(self) -> None:
        number = self._chance.choice(list(self._hall.places))
        storage = self._hall.places[number].storage
        place = self._hall.places[number].journal
        used = sum(len(storage.read(place / name)) for name in storage.names(place))
        self._hall.note(f"table {number}: its disk is full")
        storage.capacity = used + self._chance.randrange(2_000)
        try:
            await asyncio.sleep(self._chance.uniform(1, 60))
        finally:
            storage.capacity = None
            self._hall.note(f"table {number}: its disk has room again")

    # --- clocks ----------------------------------------------------------------------------------------------------

    async def _wall_clock_jumps(self) -> None:
        """Set a wall clock to another time, as a person or a time server does."""
        machines = {"the head": self._hall.head.crystal}
        machines |= {f"table {number}": place.crystal for number, place in self._hall.places.items()}
        name = self._chance.choice(list(machines))
        jump_s = self._chance.choice((-1, 1)) * self._chance.choice((1, 60, 3_600, 86_400, 400 * 86_400))
        self._hall.note(f"the wall clock of {name} jumps by {jump_s} s")
        machines[name].ahead_ns += jump_s * NS_PER_S

    # --- people ----------------------------------------------------------------------------------------------------

    async def _people_change(self) -> None:
        self._hall.operators.change_players()
        self._keep()

    async def _operators_act(self) -> None:
        if (broken := self._hall.operators.act()) is not None:
            self._hall.fail_invariant("operators do not overwrite each other unseen", broken)
        self._keep()

    def _keep(self) -> None:
        """Mark the backup as containing the staff's acts, because nobody would enter them again."""
        if self._hall.head.program is not None and self._hall.head.is_backed_up:
            self._hall.head.back_up()

    # --- wires -----------------------------------------------------------------------------------------------------

    async def _cable_is_pulled(self) -> None:
        number = self._chance.choice(list(self._hall.wires))
        wire = self._hall.wires[number]
        self._hall.note(f"table {number}: its cable is pulled")
        wire.to_head = wire.to_table = False
        await self._wait_and_plug(number)

    async def _one_way(self) -> None:
        number = self._chance.choice(list(self._hall.wires))
        wire = self._hall.wires[number]
        if self._chance.random() < 0.5:
            wire.to_head = False
        else:
            wire.to_table = False
        self._hall.note(f"table {number}: its cable works in one direction only")
        await self._wait_and_plug(number)

    async def _wait_and_plug(self, number: int) -> None:
        try:
            await asyncio.sleep(self._chance.uniform(1, 120))
        finally:
            wire = self._hall.wires[number]
            wire.to_head = wire.to_table = True
            self._hall.note(f"table {number}: its cable is well again")

    async def _cable_is_noisy(self) -> None:
        """Disturb a serial cable, as by a nearby mains cable. A network delivers no corrupted data."""
        cables = [number for number, wire in self._hall.wires.items() if isinstance(wire, Cable)]
        if not cables:
            return
        number = self._chance.choice(cables)
        cable = self._hall.head.cables[f"port {number}"]
        self._hall.note(f"table {number}: its cable is noisy")
        cable.noise = self._chance.choice((0.02, 0.2, 0.6))
        try:
            await asyncio.sleep(self._chance.uniform(5, 120))
        finally:
            cable.noise = 0.0
            self._hall.note(f"table {number}: its cable is quiet again")

    async def _switch_restarts(self) -> None:
        self._hall.note("the switch is started again: all connections break")
        for wire in self._hall.wires.values():
            wire.reset()

    async def _network_is_slow(self) -> None:
        self._hall.note("the network is slow")
        for wire in self._hall.wires.values():
            wire.slow_down(self._chance.uniform(20, 400))
        try:
            await asyncio.sleep(self._chance.uniform(5, 120))
        finally:
            for wire in self._hall.wires.values():
                wire.slow_down(1)
