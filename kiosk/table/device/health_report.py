"""Health report of this table for the head's staff, sent with every ping (``kiosk.link.link_messages.Health``).

It only reads values; an unknown one is None. It runs in the link's thread, so nothing in it may wait.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from hardware.power_failure_pin_and_supply_status import SystemStatus, read_system_status
from kiosk.link.link_messages import Health, TroubleInfo
from kiosk.table.journal.journal_and_link_outbox import Journal, kernel_boot_id
from kiosk.table.journal.segment_files_and_recovery import JournalEntry
from kiosk.table.state import LinkState, TableState

if TYPE_CHECKING:
    from hardware.power_failure_pin_and_supply_status import Supply


NS_PER_S = 1_000_000_000


def free_mb(data: Path) -> int | None:
    try:
        return shutil.disk_usage(data).free // 1_000_000
    except OSError:
        return None


@dataclass(eq=False)
class HealthReporter:
    """Reporter, called for each ping. ``via`` names the transport to the head in use; ``supply`` is the last report of
    the Pi's firmware, None where there is none.
    """

    _journal: Journal
    _data: Path
    _state: Callable[[], TableState]
    _now_ns: Callable[[], int]
    _via: Callable[[], str]
    _supply: Callable[[], Supply | None] = lambda: None
    _wall_ns: Callable[[], int] = time.time_ns
    _machine: Callable[[], SystemStatus] = read_system_status
    _free_mb: Callable[[Path], int | None] = free_mb

    def __post_init__(self) -> None:
        self._boots, self._starts = boots_and_starts(self._journal.recovered.entries, kernel_boot_id())
        self._program = metadata.version("othello-kiosk")

    def __call__(self) -> Health:
        state, machine, supply = self._state(), self._machine(), self._supply()
        since_ns = self._journal.unsynced_since_ns
        celsius = machine.celsius if supply is None or supply.celsius is None else supply.celsius
        return Health(
            game=None if state.assignment is None else state.assignment.game,
            phase=None if state.match is None else str(state.match.phase),
            revision=None if state.match is None else state.match.revision,
            last_seq=self._journal.last_seq(),
            unsynced=self._journal.unsynced,
            unsynced_s=None if since_ns is None else max(0, self._now_ns() - since_ns) // NS_PER_S,
            unsaved=max(0, self._journal.appended - self._journal.last_seq()),
            troubles=[TroubleInfo(trouble.kind, trouble.text) for trouble in state.troubles],
            edge_source=state.edge_source,
            program=self._program,
            carrier=self._via(),
            wall_ms=self._wall_ns() // 1_000_000,
            boots=self._boots,
            starts=self._starts,
            temperature_c=None if celsius is None else round(celsius),
            under_voltage=None if supply is None else supply.low_voltage,
            under_voltage_seen=None if supply is None else supply.low_since_start,
            battery_percent=machine.battery_percent,
            voltage_mv=machine.voltage_mv,
            disk_free_mb=self._free_mb(self._data),
        )


def boots_and_starts(entries: Iterable[JournalEntry], boot_id: str) -> tuple[int, int]:
    """Return the number of starts of the machine and of the program, including this one, as far as the journal goes
    back.
    """
    ids = [str(entry.body.get("boot_id")) for entry in entries if entry.type == "boot"]
    return len({*ids, boot_id}), len(ids) + 1


def status_line(state: TableState) -> str:
    """Return a line for ``systemctl status`` and for logs, such as
    ``table 7: turn, head connected, 2 records not yet at the head``.
    """
    link = {LinkState.UP: "head connected", LinkState.DOWN: "head out of reach", LinkState.NONE: "no head"}[state.link]
    parts = ["no game" if state.match is None else str(state.match.phase).lower(), link]
    if state.unsynced and state.has_head:
        parts.append(f"{state.unsynced} records not yet at the head")
    if state.troubles:
        parts.append("trouble: " + ", ".join(trouble.kind for trouble in state.troubles))
    return f"table {state.table}: {', '.join(parts)}"
