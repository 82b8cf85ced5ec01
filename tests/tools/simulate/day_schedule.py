"""The simulated world of one day: tables, wires, a head, people and faults, checked against the invariants.

All randomness comes from the seed of the day.
"""

from __future__ import annotations

import asyncio
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from events.event_generator import GeneratorSettings, entries
from simulate.fault_injection import FaultInjector, Faults
from simulate.invariants.all_invariants import AT_THE_END, ON_THE_WAY
from simulate.invariants.history import InvariantHistory, InvariantViolation
from simulate.malicious_table import MaliciousTable
from simulate.scenario_size import ScenarioSize, is_possible
from simulate.simulated_cables import Cable
from simulate.simulated_head import SimulatedHead
from simulate.simulated_network import FaultyWire
from simulate.simulated_staff import LOOK_S, ROUNDS, Operators
from simulate.simulated_table import TableSlot
from simulate.spare_device import enrol
from simulate.venue_links import VenueLink
from tables.saved_records import saved_after

from engine.tournament import Event, champion, is_over, standings
from engine.tournament.formats import FORMATS
from kiosk.demo.simulated_game_plan_and_board import GamePlan, load_records, plan
from kiosk.demo.virtual_time_demo import STILL_MINUTES, VirtualHall, save_table_keys
from kiosk.demo.virtual_time_loop_and_connection import START_NS, VirtualTime
from kiosk.link.enrolment import GrantedKey
from kiosk.link.link_messages import Assignment
from kiosk.link.no_connection_reasons import key_refused
from kiosk.records.event_file import from_dict, to_dict
from kiosk.table.state import LinkState
from kiosk.table.table_assembly import TableApp

#: seconds between checks of the invariants
LAWS_S = 10.0
#: seconds after the last fault within which the hall's rows arrive
ARRIVED_S = 300


@dataclass(slots=True)
class Day:
    """The result of a day. ``name``: of a hall beside the first, whose ``broken`` and ``log`` are the first's."""

    seed: int
    shape: ScenarioSize
    faults: Faults
    broken: list[InvariantViolation] = field(default_factory=list)
    events: dict[str, dict[str, Any]] = field(default_factory=dict)
    presses: int = 0
    fault_count: int = 0
    false_records: int = 0
    virtual_ns: int = 0
    log: list[str] = field(default_factory=list)
    name: str = ""

    @property
    def event(self) -> dict[str, Any]:
        """Return the event of the first division; ``events`` has all by name."""
        return next(iter(self.events.values()), {})


def without_random_edition(text: str) -> str:
    """Return a game's id, or a text with some, without the random editions that a restored head gives."""
    return re.sub(r"(-\d+)\.\d{4}(?=-)", r"\1", text)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The day's schedule: the events before their first round, and the plan of each game."""

    events: Sequence[Mapping[str, object]]
    plan_for: Callable[[Assignment], GamePlan]

    @classmethod
    def of(cls, seed: int, shape: ScenarioSize) -> Schedule:
        records = load_records(None)

        def plan_for(game: Assignment) -> GamePlan:
            name = without_random_edition(game.game)
            number = Random(f"planned_error/{seed}/{name}").randrange(1000)
            return plan(seed, name, number, records)

        chance = Random(f"divisions/{seed}")
        fits = [name for name in FORMATS if is_possible(name, shape.players)]
        formats = [shape.format, *(chance.choice(fits) for _ in range(shape.divisions - 1))]
        events = []
        for number, name in enumerate(formats, start=1):
            event = entries(GeneratorSettings(name, shape.players, seed, ROUNDS), Random(f"entries/{seed}"))
            events.append(event | {"name": f"{event['name']} {number}"})
        return cls(events, plan_for)


class SimulatedHall(VirtualHall):
    """The world of one day. ``on_look`` is called after every check of the invariants. ``line``: to a federation, in
    which other halls may share ``time``. ``stolen``: tables
    whose key a thief also uses; ``thieves``: the journals that thieves have written.
    """

    head: SimulatedHead
    places: dict[int, TableSlot]  # type: ignore[assignment]

    def __init__(
        self,
        day: Day,
        directory: Path,
        programme: Schedule,
        on_look: Callable[[SimulatedHall], None] = lambda hall: None,
        time: VirtualTime | None = None,
        line: VenueLink | None = None,
    ) -> None:
        seed = day.seed
        self.day, self.line = day, line
        self._on_look = on_look
        time = time or VirtualTime()
        self._tasks: list[asyncio.Task[None]] = []
        self.stolen: set[int] = set()
        self.thieves: set[str] = set()
        self.numbers = numbers = range(1, day.shape.tables + 1)
        malicious_tables = range(numbers.stop, numbers.stop + day.shape.malicious_tables)
        keys = {number: Random(f"key/{seed}/{number}").randbytes(32) for number in (*numbers, *malicious_tables)}
        head = SimulatedHead(time, directory, keys, programme.events, line)
        self.wires: dict[int, FaultyWire | Cable] = {
            n: Cable(Random(f"wire/{seed}/{n}"))
            if n <= day.shape.cables
            else FaultyWire(Random(f"wire/{seed}/{n}"), head.answer)
            for n in numbers
        }
        head.cables = {f"port {n}": wire for n, wire in self.wires.items() if isinstance(wire, Cable)}
        tables = [
            TableSlot(number, time, str(seed), key_file, self.wires[number], programme.plan_for)
            for number, key_file in save_table_keys(directory, {number: keys[number] for number in numbers})
        ]
        super().__init__(seed, time, head, tables)
        self.malicious_tables = [
            MaliciousTable(
                n, keys[n], FaultyWire(Random(f"wire/{seed}/{n}"), head.answer), head, Random(f"liar/{seed}/{n}")
            )
            for n in malicious_tables
        ]
        self.operators = Operators(head, Random(f"operators/{seed}"), self.note)
        self.memory = InvariantHistory()

    def running(self) -> list[tuple[int, TableApp]]:
        """Return the tables that are switched on."""
        return [(number, place.table) for number, place in self.places.items() if place.table is not None]

    def note(self, sentence: str) -> None:
        """Add one line to the day's log."""
        said = without_random_edition(sentence)
        self.day.log.append(f"{self.clock()}  {self.day.name and f'{self.day.name}: '}{said}")

    async def hold(self) -> None:
        """Run until the champion is known, or an invariant is broken."""
        loop = asyncio.get_running_loop()
        injector = self._fault_injector = FaultInjector(self, self.day.faults, self.day.seed)
        self.head.switch_on()
        if self.malicious_tables:
            self.head.play_only_at(self.numbers)
        for place in self.places.values():
            place.switch_on()
        tasks = self._tasks = [loop.create_task(self._staff()), loop.create_task(injector.run())]
        tasks += [loop.create_task(malicious_table.run()) for malicious_table in self.malicious_tables]
        standing, moved_minute = "", 0.0
        state, events = None, dict[str, Event]()
        while not self.day.broken:
            await asyncio.sleep(LAWS_S)
            self._look(ON_THE_WAY)
            self.raise_errors(*tasks)
            program = self.head.program
            if program is None:
                continue
            if program.desk.state is not state:
                state = program.desk.state
                events = {slug: division.whole() for slug, division in state.divisions.items()}
                self.day.events = {slug: to_dict(event) for slug, event in events.items()}
            self._on_look(self)
            if all(is_over(event) or self.operators.ended(event) for event in events.values()):
                break
            moved = self.standing()
            if moved != standing:
                standing, moved_minute = moved, self.minute
            elif self.minute > max(moved_minute, injector.over_at_minute) + STILL_MINUTES:
                self.fail_invariant(
                    "the event reaches its champion", f"nothing has moved for {STILL_MINUTES} minutes: {moved}"
                )

    def mend(self) -> None:
        """End all faults and all actions of people."""
        for task in self._tasks:
            task.cancel()
        self._fault_injector.end_faults()
        if self.head.program is None:
            self.head.switch_on()

    async def close(self) -> None:
        """Let the rows in transit arrive, as far as this needs people; then check everything."""
        until = self.minute + ARRIVED_S / 60
        while self.line is not None and not self.day.broken and self.minute < until:
            self.operators.follow_federation()
            await asyncio.sleep(LOOK_S)
        if not self.day.broken:
            self._look(AT_THE_END)
        self.day.virtual_ns = self.time.now_ns() - START_NS
        self.day.fault_count = self._fault_injector.count
        self.day.false_records = sum(malicious_table.sent for malicious_table in self.malicious_tables)
        self.day.presses = sum(place.presses for place in self.places.values())
        if not self.day.broken:
            for event in map(from_dict, self.day.events.values()):
                winner = champion(event) or standings(event).rows[0].id
                self.note(f"champion {winner}")

    def record_history(self) -> None:
        """Record what is true before a table is switched off."""
        self._look(ON_THE_WAY)

    def was_given(self, number: int, game: str) -> bool | None:
        """Return whether a person at the table finds that it was assigned this game; None: it is off."""
        if number not in self.places:
            return False
        table = self.places[number].table
        if table is None:
            return None
        given = [record.body["assignment"] for record in saved_after(table.journal, 0) if record.type == "assigned"]
        return any(each["game"] == game for each in given)

    async def _staff(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            self.arbiter.answer_calls()
            self.operators.follow_tables(self.was_given)
            self.operators.publish_by_hand(self.minute)
            self.operators.enter_forfeits()
            self.operators.follow_federation()
            self.operators.end_endless_formats()
            for place in self.places.values():
                await self._give_key_again(place)

    async def _give_key_again(self, place: TableSlot) -> None:
        """Enrol a refused device again, as after an old copy of the head's disk, with its keys, was restored: a person
        makes the device forget its key and request another (``kiosk keys forget``).
        """
        program, table = self.head.program, place.table
        if program is None or table is None or place.number in self.stolen or table.program.state.link is LinkState.UP:
            return
        if key_refused(place.number).text not in program.devices.collection.troubles():
            return
        self.record_history()
        epoch, given = table.journal.epoch, list[GrantedKey]()
        place.kill()
        await enrol(program, place.number, given.append, epoch)
        place.take_over(given[0], is_spare=False)
        place.switch_on()
        if given[0].records:
            self.memory.replaced(place.number)
            place.reset_discs()
        self.note(f"table {place.number}: its device has asked for another key")

    def _look(self, invariants: tuple[Callable[[SimulatedHall], str | None], ...]) -> None:
        for invariant in invariants:
            if (text := invariant(self)) is not None:
                self.fail_invariant(invariant.__name__.replace("_", " "), text)

    def fail_invariant(self, invariant: str, text: str) -> None:
        self.note(f"BROKEN: {invariant}: {text}")
        self.day.broken.append(InvariantViolation(invariant, round(self.minute), text))

    def unexpected(self, loop: object, context: dict[str, Any]) -> None:
        """Record an unexpected error in a part of the hall."""
        error = context.get("exception")
        if isinstance(error, Exception):
            self.note("".join(traceback.format_exception(error)))
            self.fail_invariant("nothing ends by an error", f"{type(error).__name__}: {error}")
        else:
            self.note(str(context.get("message")))
