"""The simulated head: one that may lose its disk, be restored from its last backup, or run on two machines."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec
from simulate.drifting_clock import DriftingClock
from simulate.simulated_cables import Cable, CablePort
from simulate.venue_links import VenueLink

from kiosk.demo.virtual_time_head_and_arbiter import VirtualHead, end_program
from kiosk.demo.virtual_time_loop_and_connection import VirtualTime
from kiosk.head.backup.non_database_files_and_config import CONFIG
from kiosk.head.backup.restore import restore
from kiosk.head.backup.signed_backup_creation import back_up
from kiosk.head.federation.federation_push_thread_and_outbox import Pusher
from kiosk.head.federation.player_list_transfer import VenueListCopy
from kiosk.head.head_config import FederationConfig, HeadConfig, load_config
from kiosk.head.program.head_application import HeadApplication
from kiosk.head.store import Store
from kiosk.link.endpoints.head_serial_ports import SerialPorts


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


class SimulatedHead(VirtualHead):
    """The simulated head. ``crystal``: its clocks. ``lives``: the names of all lives of its store."""

    def __init__(
        self,
        time: VirtualTime,
        directory: Path,
        keys: dict[int, bytes],
        events: Sequence[Mapping[str, object]],
        line: VenueLink | None = None,
    ) -> None:
        """Set up a head. ``line``: to the federation it sends to."""
        self.crystal = DriftingClock(time)
        super().__init__(self.crystal, directory, keys, events)
        if line is not None:
            self.config = msgspec.structs.replace(self.config, federation=line.config)
            self.runtime = replace(self.runtime, pusher=partial(_InlinePusher, line=line))
        self._directory = directory
        self.is_backed_up = False
        self.machines = 1
        self._copies = 0
        self.cables: dict[str, Cable] = {}
        self.lives: set[str] = set()

    def switch_on(self) -> None:
        super().switch_on()
        if self.cables:
            assert self.program is not None
            ports = SerialPorts(
                self.program.devices.link,
                list(self.cables),
                open_port=lambda name, baud: CablePort(self.cables[name], 1, baud),
            )
            self.begin(ports.run())

    def start_program(self, config: HeadConfig) -> HeadApplication:
        program = super().start_program(config)
        self.lives.add(program.store.trail)
        return program

    def play_only_at(self, tables: Sequence[int]) -> None:
        """Assign games only to these tables; each division has its own."""
        assert self.program is not None, "it is on"
        desk = self.program.desk
        slugs = list(desk.state.divisions)
        for number, slug in enumerate(slugs):
            desk.divisions.set_tables(slug, tables[number :: len(slugs)])

    def start_second_machine(self) -> HeadApplication:
        """Start a copy of the disk on a second machine, with all its keys. No table connects to it."""
        self._copies += 1
        second = self._directory / f"second-{self._copies}"
        shutil.copytree(self.config.data, second)
        return self.start_program(msgspec.structs.replace(self.config, data=second))

    @staticmethod
    def end_second_machine(program: HeadApplication) -> None:
        """Stop the second machine, as when it is noticed."""
        end_program(program)

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
