"""FAULTS.md 6 on the journal with real files in a real process: errors injected by strace."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kiosk.table.journal.segment_files_and_recovery import recover

#: appends, waits now and then until all is saved, and prints a line for every saved mark
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
        while durable <= n:  # on a slow machine the writer would save all in one commit
            journal.tick(time.monotonic_ns())
            time.sleep(0.001)
sys.exit(0 if journal.close() else 3)
"""


@pytest.mark.fault(6, "EIO of the real fdatasync (strace)")
def test_an_error_of_the_real_fdatasync_is_survived(tmp_path: Path) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed; it injects the error")
    journal = tmp_path / "journal"
    inject = ["-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=3"]
    completed = subprocess.run(
        [strace, "-f", "-o", tmp_path / "trace", *inject, sys.executable, "-c", CHILD, journal, "200"],
        capture_output=True,
        check=False,
    )
    if b"ptrace" in completed.stderr or b"PTRACE" in completed.stderr:
        pytest.skip("strace may not trace here")
    assert completed.returncode == 0, completed.stderr
    assert "EIO" in (tmp_path / "trace").read_text()
    assert len(list(journal.glob("*.journal"))) == 2
    found = recover(journal)
    assert len(found.entries) == int(completed.stdout.split()[-1]) == 201
