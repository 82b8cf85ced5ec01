"""The simulated head: the head program without its threads and its servers.

Every commit is on the disk when the call that wrote it returns, as with SQLite's ``synchronous=FULL``. A head that is
killed, or loses its power, leaves exactly the committed data. A head that loses its disk leaves its last backup.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from kiosk.head.backup.backup_files import CONFIG
from kiosk.head.backup.make_backup import back_up
from kiosk.head.backup.restore import restore
from kiosk.head.desk.automatic_steps_thread import TICK_S, AutoAdvanceThread
from kiosk.head.desk.wait_for_tables_at_start import ROLL_CALL_S
from kiosk.head.federation.player_list_transfer import VenueListCopy
from kiosk.head.federation.push_thread import Pusher
from kiosk.head.head_config import FederationConfig, HeadConfig, TableRulesConfig, load_config
from kiosk.head.program.clocks_and_threads import Runtime
from kiosk.head.program.head_application import HeadApplication
from kiosk.head.store import Store
from kiosk.head.store.store_writer import InlineWriter
from kiosk.link.endpoints.head_serial_ports import SerialPorts
from kiosk.link.table_keys import KeyRing, save_keys
from kiosk.link.transport_interfaces import HeadChannel
from kiosk.msgspec_thread_preparation import warm_up
from kiosk.simulate.drifting_clock import DriftingClock, VirtualTime
from kiosk.simulate.simulated_cables import Cable, CablePort
from kiosk.simulate.venue_links import VenueLink


class _InlineWorker(AutoAdvanceThread):
    """Worker that runs in the event loop."""

    def _start(self) -> None:
        self._due: asyncio.Handle | None = None
        self._plan(False)

    def wake(self) -> None:
        self._plan(True)

    def close(self) -> None:
        if self._due is not None:
            self._due.cancel()

    def _plan(self, poked: bool) -> None:
        if self._due is not None:
            if poked and not isinstance(self._due, asyncio.TimerHandle):
                return
            self._due.cancel()
        loop = asyncio.get_running_loop()
        self._due = loop.call_soon(self._go, True) if poked else loop.call_later(TICK_S, self._go, False)

    def _go(self, poked: bool) -> None:
        self._due = None
        self.turn(poked)
        if self._due is None:
            self._plan(False)


class _InlinePusher(Pusher):
    """Pusher that runs in the event loop."""

    def __init__(
        self,
        store: Store,
        config: FederationConfig,
        on_change: Callable[[], None] = lambda: None,
        players: VenueListCopy | None = None,
        *,
        line: VenueLink,
    ) -> None:
        super().__init__(store, config, on_change, players, client=lambda config: line.client(store))

    def start(self) -> None:
        self._due: asyncio.Handle = asyncio.get_running_loop().call_soon(self._go)

    def close(self) -> None:
        self._due.cancel()

    def _go(self) -> None:
        self._due = asyncio.get_running_loop().call_later(self.turn(), self._go)


class SimulatedHead:
    """The simulated head. ``program`` None: it is off. ``lives``: the names of all lives of its store."""

    def __init__(
        self,
        time: VirtualTime,
        directory: Path,
        keys: dict[int, bytes],
        events: Sequence[Mapping[str, object]],
        rules: str = "",
        line: VenueLink | None = None,
    ) -> None:
        """Set up a head. ``line``: to the federation it sends to."""
        self.crystal = DriftingClock(time)
        self._directory = directory
        self.is_backed_up = False
        self.machines = 1
        self._copies = 0
        directory.mkdir(parents=True, exist_ok=True)
        save_keys(directory / "keys.json", keys)
        names = ["event", *(f"event-{number}" for number in range(2, len(events) + 1))]
        files = [directory / f"{name}.json" for name in names]
        for file, event in zip(files, events, strict=True):
            file.write_text(json.dumps(event), encoding="utf-8")
        self.config = HeadConfig(
            data=directory / "head",
            keys=directory / "keys.json",
            event=[str(file) for file in files] if files[1:] else str(files[0]),
            auto=True,
            table=msgspec.convert({"rules": rules}, warm_up(TableRulesConfig)),
            federation=None if line is None else line.config,
        )
        self._pusher = Pusher if line is None else partial(_InlinePusher, line=line)
        self.cables: dict[str, Cable] = {}
        self._conversations: set[asyncio.Task[None]] = set()
        self.program: HeadApplication | None = None
        self.died: BaseException | None = None
        self.lives: set[str] = set()

    def switch_on(self) -> None:
        self.program = self._started(self.config)
        if self.cables:
            ports = SerialPorts(
                self.program.link, list(self.cables), open_port=lambda name, baud: CablePort(self.cables[name], 1, baud)
            )
            self._begin(ports.run())

    def _started(self, config: HeadConfig) -> HeadApplication:
        time = self.crystal
        machine = Runtime(
            time=time,
            session_ns=time.now_ns,
            wall_ns=time.wall_ns,
            wall_clock=time.wall_clock,
            store_writer=InlineWriter,
            worker=_InlineWorker,
            pusher=self._pusher,
            quick=float("inf"),
            reads_ahead=False,
        )
        assert config.keys is not None, "as it was set up"
        program = HeadApplication(config, KeyRing(config.keys), ROLL_CALL_S, machine)
        self.lives.add(program.store.trail)
        return program

    def play_only_at(self, tables: Sequence[int]) -> None:
        """Assign games only to these tables; each division has its own."""
        assert self.program is not None, "it is on"
        desk = self.program.desk
        slugs = list(desk.state.divisions)
        for number, slug in enumerate(slugs):
            desk.divisions.set_tables(slug, tables[number :: len(slugs)])

    def kill(self) -> None:
        """Kill the program, or cut its power, at once."""
        for conversation in self._conversations:
            conversation.cancel()
        if self.program is not None:
            _end(self.program)
            self.program = None

    def start_second_machine(self) -> HeadApplication:
        """Start a copy of the disk on a second machine, with all its keys. No table connects to it."""
        self._copies += 1
        second = self._directory / f"second-{self._copies}"
        shutil.copytree(self.config.data, second)
        return self._started(msgspec.structs.replace(self.config, data=second))

    @staticmethod
    def end_second_machine(program: HeadApplication) -> None:
        """Stop the second machine, as when it is noticed."""
        _end(program)

    def back_up(self) -> None:
        """Make a backup, which replaces the one before."""
        back_up(self.config, self._directory / "stick")
        self.is_backed_up = True

    def restore(self) -> None:
        """Replace a machine lost with its disk by one that continues from the backup."""
        self.kill()
        self.machines += 1
        folder = self._directory / f"machine-{self.machines}"
        restore(self._directory / "stick", folder)
        self.config = load_config(folder / CONFIG)
        self.is_backed_up = False
        self.switch_on()

    def take_image(self) -> None:
        """Copy the disk."""
        assert self.program is not None, "its store is quiet between two events"
        self._image, self._published = self._directory / "image", self._rounds(self.program)
        self._image_of = self.config.data
        shutil.rmtree(self._image, ignore_errors=True)
        shutil.copytree(self.config.data, self._image)

    def restore_image(self) -> bool:
        """Replace the disk by its copy; not if a round was published meanwhile, which everybody would notice, nor on a
        spare machine, which has a different disk. Return whether it was done.
        """
        if self.program is None or self._rounds(self.program) != self._published or self.config.data != self._image_of:
            return False
        self.kill()
        self.machines += 1
        shutil.rmtree(self.config.data)
        shutil.copytree(self._image, self.config.data)
        self.switch_on()
        return True

    @staticmethod
    def _rounds(program: HeadApplication) -> list[str]:
        """Return the games of all rounds; a round that was taken back and paired again has others."""
        divisions = program.desk.state.divisions.values()
        return [game.id for division in divisions for games in division.rounds for game in games]

    def answer(self, channel: HeadChannel) -> asyncio.Task[None]:
        """Accept a connection.

        :raises ConnectionRefusedError: the head is off.
        """
        if self.program is None:
            raise ConnectionRefusedError("the head is off")
        return self._begin(self.program.link.converse(channel))

    def _begin(self, what: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        conversation = asyncio.get_running_loop().create_task(what)
        self._conversations.add(conversation)
        conversation.add_done_callback(self._ended)
        return conversation

    def _ended(self, conversation: asyncio.Task[None]) -> None:
        self._conversations.discard(conversation)
        if not conversation.cancelled() and (error := conversation.exception()) is not None:
            self.died = self.died or error


def _end(program: HeadApplication) -> None:
    program.worker.close()
    if program.pusher is not None:
        program.pusher.close()
    program.store.close()
