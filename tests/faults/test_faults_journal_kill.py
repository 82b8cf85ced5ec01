"""FAULTS.md 1 and 6 on the journal with real files and real processes: kill -9, and errors injected by strace."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from kiosk.table.journal.segment_files_and_recovery import recover

#: appends without end, and prints a line for every saved mark
CHILD = """
import os, sys, time
from pathlib import Path
from kiosk.table.journal.journal_and_link_outbox import Journal
from kiosk.table.journal.journal_and_link_outbox import JournalCallbacks

durable = 0

def saved(seq):
    global durable
    durable = seq
    os.write(1, b"%d\\n" % seq)

journal = Journal(Path(sys.argv[1]), calls=JournalCallbacks(durable=saved)).start()
count = int(sys.argv[2])
for n in range(count):
    journal.append("event", {"n": n, "text": "x" * (n % 200)})
    if n % 10 == 0:
        journal.tick(time.monotonic_ns())
        time.sleep(0.001)
        while sys.argv[3:] and durable <= n:  # on a slow machine the writer would save all in one commit
            journal.tick(time.monotonic_ns())
            time.sleep(0.001)
sys.exit(0 if journal.close() else 3)
"""


def last_mark(printed: bytes) -> int:
    lines = printed[: printed.rfind(b"\n") + 1].split()
    return int(lines[-1]) if lines else 0


@pytest.mark.fault(1, "kill -9 of a process that writes its journal")
def test_kill_9_loses_no_record_reported_as_saved(
    tmp_path: Path, times: Callable[[int, int], int], record_property: Callable[[str, object], None]
) -> None:
    random = Random(1)
    kills, killed_in_play, saved_before = times(12, 1000), 0, 0
    for _ in range(kills):
        with subprocess.Popen([sys.executable, "-c", CHILD, tmp_path, "1000000"], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            first = child.stdout.readline()  # it has started
            time.sleep(random.uniform(0, 0.08))
            child.kill()
            marks = first + child.stdout.read()
        claimed = last_mark(marks)
        found = recover(tmp_path)
        assert [entry.seq for entry in found.entries] == list(range(1, len(found.entries) + 1))
        assert len(found.entries) >= claimed > saved_before
        assert not found.damaged
        last_boot = max(i for i, entry in enumerate(found.entries) if entry.type == "boot")
        assert [entry.body["n"] for entry in found.entries[last_boot + 1 :]] == list(
            range(len(found.entries) - last_boot - 1)
        )
        saved_before = claimed
        killed_in_play += child.returncode == -9
        if len(found.entries) > 20_000:  # more than a table has; reading them again would take most of the time
            shutil.rmtree(tmp_path)
            tmp_path.mkdir()
            saved_before = 0
    assert killed_in_play == kills
    record_property("tried", kills)


@pytest.mark.fault(6, "EIO of the real fdatasync (strace)")
def test_an_error_of_the_real_fdatasync_is_survived(tmp_path: Path) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed; it injects the error")
    journal = tmp_path / "journal"
    inject = ["-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=3"]
    completed = subprocess.run(
        [strace, "-f", "-o", tmp_path / "trace", *inject, sys.executable, "-c", CHILD, journal, "200", "wait"],
        capture_output=True,
        check=False,
    )
    if b"ptrace" in completed.stderr or b"PTRACE" in completed.stderr:
        pytest.skip("strace may not trace here")
    assert completed.returncode == 0, completed.stderr
    assert "EIO" in (tmp_path / "trace").read_text()
    assert len(list(journal.glob("*.journal"))) == 2
    found = recover(journal)
    assert len(found.entries) == last_mark(completed.stdout) == 201
