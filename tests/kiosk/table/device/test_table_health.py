"""Tests of the health report that a table sends with every ping."""

from __future__ import annotations

import time
from pathlib import Path

from engine.i18n import say
from kiosk.link.link_messages import Health, clock_offset_ms
from kiosk.table.device.health_report import HealthReporter, boots_and_starts
from kiosk.table.journal.journal_and_link_outbox import Journal, JournalCallbacks
from kiosk.table.journal.segment_files_and_recovery import JournalEntry
from kiosk.table.state import TableState, TableTrouble


def test_the_report_has_the_number_and_age_of_unsent_records(tmp_path: Path) -> None:
    now_ns = 10_000_000_000
    journal = Journal(tmp_path / "journal", calls=JournalCallbacks(now_ns=lambda: now_ns)).start()
    state = TableState(3, troubles=(TableTrouble("board", say("Board")),), edge_source="lgpio")
    tell = HealthReporter(journal, tmp_path, lambda: state, lambda: now_ns, lambda: "serial")
    journal.append("trouble", {"kind": "x", "ja": "", "en": ""}, now_ns)
    assert journal.flush(10)
    assert journal.records_after(0, 10)
    journal.acknowledged(1)
    now_ns += 42_000_000_000
    told = tell()
    assert (told.last_seq, told.unsynced, told.unsynced_s, told.unsaved) == (2, 1, 42, 0)
    assert (told.carrier, told.edge_source, [trouble.kind for trouble in told.troubles]) == (
        "serial",
        "lgpio",
        ["board"],
    )
    assert (told.boots, told.starts) == (1, 1)
    assert told.program and told.disk_free_mb
    assert told.under_voltage is None, "nobody knows it here"
    assert abs(clock_offset_ms(told, time.time_ns() // 1_000_000) or 0) < 10_000
    journal.acknowledged(2)
    assert (tell().unsynced, tell().unsynced_s) == (0, None)
    journal.close()


def test_starts_of_program_and_machine_are_counted_separately() -> None:
    boots = [JournalEntry(n, n, "boot", {"boot_id": name}, 0) for n, name in enumerate("aab", start=1)]
    assert boots_and_starts(boots, "b") == (2, 4)
    assert boots_and_starts(boots, "c") == (3, 4)
    assert boots_and_starts([], "c") == (1, 1)


def test_a_report_of_an_older_table_has_no_wall_clock() -> None:
    assert clock_offset_ms(Health(), 5) is None
    assert clock_offset_ms(Health(wall_ms=7), 5) == 2
