"""Tests of the assembly of a table: it only connects parts, and leaves nothing open if one of them is unusable."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from hardware.real_and_simulated_time import SystemTime
from hardware.simulated_pins_and_buttons import SimulatedFactory
from kiosk.errors import InputError
from kiosk.link.errors import KeyFileError
from kiosk.link.table_keys import new_keys, save_keys
from kiosk.table.journal.journal_and_link_outbox import Journal
from kiosk.table.table_assembly import build_table
from kiosk.table.table_config import BoardConfig, ButtonsConfig, HeadAddress, ScreenConfig, TableConfig


def _config(place: Path) -> TableConfig:
    """Return the configuration of a table with a sensor board and a head."""
    return TableConfig(
        table=1,
        data=place / "data",
        buttons=ButtonsConfig(arbiter=22),
        board=BoardConfig(source="sensor", device=str(place / "board")),
        screen=ScreenConfig(enabled=False),
        head=HeadAddress(url="ws://127.0.0.1:9/link", key_file=place / "key.json"),
    )


def test_a_table_is_assembled_without_threads(tmp_path: Path) -> None:
    """The journal, the board, the link and the maintenance client begin with ``run``."""
    save_keys(tmp_path / "key.json", new_keys([1]))
    before = set(threading.enumerate())  # threads of earlier tests, which may end at any moment
    table = build_table(_config(tmp_path), factory=SimulatedFactory(SystemTime()))
    assert set(threading.enumerate()) <= before and table.link is not None
    table.stop()
    table.run()
    assert set(threading.enumerate()) <= before


def test_opened_parts_are_closed_if_a_later_part_is_unusable(tmp_path: Path) -> None:
    """A table without its key file leaves its journal and its pins to the next start."""
    factory = SimulatedFactory(SystemTime())
    with pytest.raises((InputError, KeyFileError)):
        build_table(_config(tmp_path), factory=factory)
    assert Journal(tmp_path / "data" / "journal").close()
    save_keys(tmp_path / "key.json", new_keys([1]))
    table = build_table(_config(tmp_path), factory=factory)
    table.stop()
    table.run()
