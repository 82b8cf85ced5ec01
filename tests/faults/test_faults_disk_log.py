"""FAULTS.md 3, 5 and 9 by power cuts of the real programs: their disk calls are recorded by strace and replayed up to a
random moment, without what was not synced (``tests/tools/faults/disk_log.py``).

The journal is kiosk.table.journal with real files, the store is kiosk.head.store with SQLite. Two mutants must be
caught: one that skips syncs like libeatmydata, and a store with ``synchronous=NORMAL``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from faults.disk_log import Call, Disk, traced

from kiosk.head.errors import HeadError
from kiosk.head.store import Store
from kiosk.table.journal.segment_files_and_recovery import recover

Times = Callable[[int, int], int]
Note = Callable[[str, object], None]

JOURNAL = """
import os, sys, time
from pathlib import Path
from kiosk.table.journal.journal_and_link_outbox import Journal
from kiosk.table.journal.journal_and_link_outbox import JournalCallbacks
if "no-sync" in sys.argv:
    os.fdatasync = lambda fd: None
for start in range(3):
    calls = JournalCallbacks(durable=lambda seq: os.write(1, b"%d\\n" % seq))
    journal = Journal(Path(sys.argv[1]), calls=calls).start()
    for number in range(int(sys.argv[2])):
        journal.append("event", {"n": number, "text": "x" * (number % 300)})
        if number % 3 == 0:
            journal.tick(time.monotonic_ns())
            journal.flush(5)
    journal.close()
"""
STORE = """
import os, sys
from pathlib import Path
import sqlalchemy
from kiosk.head.store import Store
from kiosk.link.link_messages import TableRecord
if "normal" in sys.argv:
    @sqlalchemy.event.listens_for(sqlalchemy.Pool, "checkout")
    def weaken(raw, record, proxy):
        raw.execute("PRAGMA synchronous=NORMAL")
store = Store(Path(sys.argv[1]))
for number in range(1, int(sys.argv[2]) + 1):
    body = {"n": number, "text": "x" * (37 * number % 3000)}
    have, _ = store.commit_records(1, "epoch", [TableRecord(number, "event", body)]).result()
    if number % 10 == 0:
        store.append("note", {"have": have}).result()
    os.write(1, b"%d\\n" % have)
"""


def calls(program: str, tmp_path: Path, count: int, *mutant: str) -> list[Call]:
    folder = tmp_path / "disk"
    folder.mkdir()
    found = traced([sys.executable, "-c", program, str(folder), str(count), *mutant], folder, tmp_path / "trace")
    if isinstance(found, str):
        pytest.skip(found)
    return found


def cuts(found: list[Call], times: int, seed: int, look: Callable[[Path], int | None], tmp_path: Path) -> list[int]:
    """Return for each cut how many of the records reported as saved were lost; -1 if nothing could be read at all."""
    random = Random(seed)
    disk, losses, called = Disk(), [], 0
    for number, moment in enumerate(sorted(random.randrange(len(found)) for _ in range(times))):
        for call in found[called:moment]:
            disk.happen(call)
        called = moment
        left = tmp_path / f"cut-{number}"
        left.mkdir()
        disk.power_cut(left, random)
        lines = disk.output[: disk.output.rfind(b"\n") + 1].split()
        there = look(left)
        losses.append(-1 if there is None else max(0, int(lines[-1]) - there) if lines else 0)
    return losses


def journal_has(folder: Path) -> int | None:
    found = recover(folder)
    assert [entry.seq for entry in found.entries] == list(range(1, len(found.entries) + 1))
    return None if found.damaged else len(found.entries)


def store_has(folder: Path) -> int | None:
    """Return the entries that a head finds at its start, which verifies the audit trail."""
    try:
        store = Store(folder)
    except HeadError:
        return None
    rows = [record.body["n"] for record in store.records(table=1)]
    store.close()
    assert rows == list(range(1, len(rows) + 1))
    return len(rows)


@pytest.mark.fault(3, "power cuts of the real journal's files, by its system calls")
def test_power_cuts_of_the_real_journal(tmp_path: Path, times: Times, record_property: Note) -> None:
    found = calls(JOURNAL, tmp_path, times(40, 300))
    assert set(cuts(found, times(20, 1000), 3, journal_has, tmp_path)) == {0}
    record_property("tried", times(20, 1000))


@pytest.mark.fault(5, "mutant: the real journal without fdatasync, caught")
def test_a_journal_without_fdatasync_is_detected(tmp_path: Path, times: Times) -> None:
    found = calls(JOURNAL, tmp_path, 40, "no-sync")
    assert any(cuts(found, times(20, 200), 3, journal_has, tmp_path))


@pytest.mark.fault(9, "power cuts of the head's store, by its system calls")
def test_power_cuts_of_the_store(tmp_path: Path, times: Times, record_property: Note) -> None:
    found = calls(STORE, tmp_path, times(60, 600))
    assert set(cuts(found, times(20, 1000), 9, store_has, tmp_path)) == {0}
    record_property("tried", times(20, 1000))


@pytest.mark.fault(5, "mutant: SQLite with synchronous=NORMAL, caught")
def test_a_store_with_synchronous_normal_is_detected(tmp_path: Path, times: Times) -> None:
    found = calls(STORE, tmp_path, 60, "normal")
    losses = cuts(found, times(20, 200), 9, store_has, tmp_path)
    assert any(lost > 0 for lost in losses)
    assert -1 not in losses  # commits are lost, the file is not: only a power cut shows it
