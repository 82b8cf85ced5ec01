"""One table on virtual time: the table program without its threads, and the physical board."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random

from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.power_failure_pin_and_supply_status import SystemStatus
from hardware.reading_stability_filter import SquareFault, StabilityFilter, StableReading
from hardware.real_and_simulated_time import NS_PER_MS, NS_PER_S, TimeBase
from hardware.sensor_board_protocol import SensorFrame
from hardware.simulated_pins_and_buttons import SimulatedFactory
from kiosk.demo.simulated_game_plan_and_board import GamePlan, PhysicalBoard
from kiosk.demo.simulated_players import SimulatedPlayers
from kiosk.demo.virtual_time_loop_and_connection import SHORTEST_WAIT_NS, VirtualTime
from kiosk.link.link_messages import Assignment
from kiosk.link.transport_interfaces import Transport
from kiosk.table.journal.journal_and_link_outbox import ACK_S, Journal
from kiosk.table.journal.journal_storage_and_sd_card_alarms import Storage
from kiosk.table.loop.button_processing_and_inbox import Inbox, Item
from kiosk.table.table_assembly import Environment, TableApp, build_table
from kiosk.table.table_config import BoardConfig, ButtonsConfig, HeadAddress, ScreenConfig, TableConfig

SETTLE_MS = 200
#: seconds for a request to the sensor board over its wire
ASK_S = 0.02
#: seconds for one write and sync of a card
SYNC_S = (0.004, 0.040)
RETRY_S = 1.0
FREE_MB = 16_000


class _Inbox(Inbox):
    """Inbox that wakes the loop."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def put(self, item: Item, block: bool = True, timeout: float | None = None) -> None:
        super().put(item)
        self._wake()

    put_nowait = put


class SensorTwin:
    """The sensor board's end of the serial port, which sends frames to the real stability filter."""

    def __init__(self, time: VirtualTime, cells: str) -> None:
        self._time = time
        self.cells = cells
        self._since_ns = 0
        self._stability = StabilityFilter(SETTLE_MS)
        self._sink: Callable[[StableReading | SquareFault], None] = lambda item: None
        self._sequence = 0

    def plug_in(
        self, config: BoardConfig, time_base: TimeBase, sink: Callable[[StableReading | SquareFault], None]
    ) -> SensorTwin:
        self._stability, self._sink, self._base = StabilityFilter(config.settle_ms), sink, time_base
        asyncio.get_running_loop().call_later(ASK_S, self._report_board, None)
        return self

    def set(self, cells: str) -> None:
        if cells != self.cells:
            self.cells, self._since_ns = cells, self._time.now_ns()
            self._report_board(None)
            asyncio.get_running_loop().call_later(SETTLE_MS / 1000 + 0.001, self._report_board, None)

    def ask(self, number: int) -> None:
        asyncio.get_running_loop().call_later(ASK_S, self._report_board, number)

    def ask_again(self, number: int) -> bool:
        return False

    def trouble(self) -> None:
        return None

    def start(self) -> None:
        pass

    def close(self) -> None:
        self._sink = lambda item: None

    def _report_board(self, answers: int | None) -> None:
        stable_ms = (self._time.now_ns() - self._since_ns) // NS_PER_MS
        self._sequence = (self._sequence + 1) % 65536
        for item in self._stability.feed(
            SensorFrame(self._sequence, answers, stable_ms, self.cells, self._base.now_ns())
        ):
            self._sink(item)


class _DiskWriter:
    """Journal writer that writes when the simulated disk is ready."""

    def __init__(self, chance: Random, journal: Journal) -> None:
        self._chance, self._journal = chance, journal
        self._due: asyncio.TimerHandle | None = None
        self._failures = 0
        self._stopped = False

    def start(self) -> None:
        asyncio.get_running_loop().call_soon(self._journal.report_alarms)
        self.wake()

    def wake(self) -> None:
        if self._due is None and not self._stopped:
            waits_s = self._chance.uniform(*SYNC_S) if self._journal.has_work else ACK_S
            self._due = asyncio.get_running_loop().call_later(waits_s, self._write)

    def stop(self) -> None:
        self._stopped = True
        if self._due is not None:
            self._due.cancel()

    def join(self, timeout_s: float) -> bool:
        self.stop()
        return all(self._journal.write_some() for _ in range(3))

    def _write(self) -> None:
        self._due = None
        if self._journal.write_some():
            self._failures = 0
            if self._journal.has_news:
                self.wake()
            return
        self._failures += 1
        retry_s = 0.0 if self._failures == 1 else RETRY_S
        self._due = asyncio.get_running_loop().call_later(retry_s, self._write)


class _PlayerTiming:
    """Waits of the players at this table."""

    def __init__(self, place: VirtualTable) -> None:
        self._place = place

    async def sleep(self, duration_ns: int) -> None:
        await asyncio.sleep(max(0, duration_ns) / NS_PER_S)

    async def change(self, seen: int, timeout_s: float | None) -> int:
        table = self._place.table
        if table is not None and table.program.version == seen:
            loop = asyncio.get_running_loop()
            changed = loop.create_future()
            self._place.watching.append(changed)
            done = None if timeout_s is None else loop.call_later(timeout_s, _wake, changed)
            await changed
            if done is not None:
                done.cancel()
        return -1 if table is None else table.program.version


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class VirtualTable:
    """One numbered table in the hall. ``table`` None: it is off; the discs stay where they are. ``clock``: of its
    machine; ``storage``: its disk.
    """

    players = SimulatedPlayers

    def __init__(
        self,
        number: int,
        time: VirtualTime,
        seed: str,
        key_file: Path,
        wire: Transport,
        plan_for: Callable[[Assignment], GamePlan],
    ) -> None:
        self.number = number
        self.time = self.clock = time
        self.storage = Storage()
        self.wire = wire
        self.table: TableApp | None = None
        self.presses = 0
        self.watching: list[asyncio.Future[None]] = []
        self.plan_for = plan_for
        self._chance = Random(f"{seed}/table {number}")
        self._world = PhysicalBoard()
        self._twin = SensorTwin(time, self._world.cells)
        self._config = TableConfig(
            table=number,
            data=key_file.parent,
            head=HeadAddress(url="ws://head/link", key_file=key_file),
            buttons=ButtonsConfig(arbiter=22, stuck_s=3600),
            board=BoardConfig(source="sensor", settle_ms=SETTLE_MS),
            screen=ScreenConfig(enabled=False),
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._due: asyncio.Handle | None = None
        self._writer: _DiskWriter | None = None

    def switch_on(self) -> None:
        # edges in the future are delivered at once
        factory = SimulatedFactory(self.clock, sleep=lambda duration_s: None)
        environment = Environment(
            inbox=lambda: _Inbox(self._schedule_work),
            monotonic_s=self.time.monotonic_s,
            wall_ns=self.clock.wall_ns,
            uniform=self._chance.uniform,
            writer=self._make_writer,
            board=self._twin.plug_in,
            transports=lambda head: [self.wire],
            machine=SystemStatus,
            free_mb=lambda data: FREE_MB,
        )
        self.table = table = build_table(
            self._config, time_base=self.clock, factory=factory, storage=self.storage, environment=environment
        )
        buttons, timing = self._config.buttons, _PlayerTiming(self)
        self._hands = hands = self.players(
            table.program, self.clock, factory, buttons, self._twin, None, self.plan_for, timing
        )
        hands.world = self._world
        assert table.link is not None
        table.journal.start()
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(table.link.keep_connected()), loop.create_task(hands.play())]
        self._schedule_work()

    def kill(self) -> None:
        """End the program at once."""
        self._world = self._hands.world
        if self.table is not None and self.table.link is not None:
            self.table.link.end()
        for task in self._tasks:
            task.cancel()
        self._tasks = []
        if self._writer is not None:
            self._writer.stop()
        if self._due is not None:
            self._due.cancel()
            self._due = None
        self._twin.close()
        self.table = None

    def failed(self) -> BaseException | None:
        """Return the unexpected error that ended a part of this table."""
        for task in self._tasks:
            if task.done() and not task.cancelled() and (error := task.exception()) is not None:
                return error
        return None

    def _make_writer(self, journal: Journal) -> _DiskWriter:
        self._writer = _DiskWriter(self._chance, journal)
        return self._writer

    def _schedule_work(self) -> None:
        if isinstance(self._due, asyncio.TimerHandle):
            self._due.cancel()
            self._due = None
        if self._due is None:
            self._due = asyncio.get_running_loop().call_soon(self._work)

    def _work(self) -> None:
        self._due = None
        if self.table is None:
            return
        program = self.table.program
        before = program.version
        if program.inbox.empty():
            program.work(None)
        while not program.inbox.empty():
            item = program.inbox.get()
            self.presses += isinstance(item, ButtonEdge) and item.pressed
            program.work(item)
        if program.version != before:
            watching, self.watching = self.watching, []
            for each in watching:
                _wake(each)
        if self._due is None:
            wait_s = max(SHORTEST_WAIT_NS / NS_PER_S, program.wait_s())
            self._due = asyncio.get_running_loop().call_later(wait_s, self._work)
