"""One simulated table, whose power may be cut, whose disk fails, and whose device may be replaced.

Switching it off loses only what its disk had not synced; the discs stay where they are.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from simulate.chouchou_players import ChouChouPlayers
from simulate.drifting_clock import DriftingClock
from simulate.storage_faults import FaultyStorage

from kiosk.demo.simulated_game_plan_and_board import START, GamePlan, PhysicalBoard
from kiosk.demo.virtual_time_loop_and_connection import VirtualTime
from kiosk.demo.virtual_time_table import VirtualTable
from kiosk.link.enrolment import GrantedKey
from kiosk.link.link_messages import Assignment
from kiosk.link.table_keys import load_key
from kiosk.link.transport_interfaces import Transport
from kiosk.table.device.table_identity_and_takeover import become_table


class TableSlot(VirtualTable):
    """One numbered table in the hall, with whichever device is there."""

    players = ChouChouPlayers
    storage: FaultyStorage

    def __init__(
        self,
        number: int,
        time: VirtualTime,
        seed: str,
        key_file: Path,
        wire: Transport,
        plan_for: Callable[[Assignment], GamePlan],
    ) -> None:
        super().__init__(number, time, seed, key_file, wire, plan_for)
        self.clock = self.crystal = DriftingClock(time)
        self.storage = FaultyStorage()
        self.journal = self._config.data / "journal"

    def cut_power(self) -> None:
        """Cut the power; unsynced data is lost or torn."""
        super().kill()
        self.storage = self.storage.after_power_cut(self._chance)

    def kill(self) -> None:
        """End the program at once; the machine continues."""
        super().kill()
        self.storage = self.storage.after_kill()

    def key(self) -> bytes:
        """Return the key as anyone with access to the disk can read it."""
        assert self._config.head is not None and self._config.head.key_file is not None
        return load_key(self._config.head.key_file, self.number)

    def take_over(self, given: GrantedKey, is_spare: bool = True) -> None:
        """Give this table another key: to a spare with its own disk, or to the same device, which keeps its journal
        unless it is given one.
        """
        assert self._config.head is not None and self._config.head.key_file is not None
        become_table(self._config.data, self._config.head.key_file, given)
        if is_spare or given.records:
            self.storage = FaultyStorage()
        if self.journal.exists():
            for file in sorted(self.journal.iterdir()):
                self.storage.add_file(file, file.read_bytes())
            shutil.rmtree(self.journal)

    def reset_discs(self) -> None:
        """Set the discs as displayed, because the turn since then must be played again."""
        assert self.table is not None
        state = self.table.program.state
        if state.assignment is not None and state.match is not None:
            self._hands.world = PhysicalBoard(state.assignment.game, cells=state.match.turn_board or START)
            self._twin.set(self._hands.world.cells)
