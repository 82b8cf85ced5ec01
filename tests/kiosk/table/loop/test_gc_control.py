"""Tests that the interpreter makes no long pause while a clock runs; ``benchmarks.table`` measures them."""

from __future__ import annotations

import subprocess
import sys

from tables.manual_time_table import RIGHT, SECOND, StillTable

from kiosk.table.loop import gc_control, main_loop


def test_full_garbage_collection_waits_until_the_clocks_stop() -> None:
    """In a process of its own, because the settings are process-wide: existing objects are never searched again, old
    ones not automatically, and a thread waits at most a millisecond for the interpreter."""
    code = """
import gc, sys
from kiosk.table.loop import gc_control
gc_control.configure_gc({"ja"})
searched = []
gc.callbacks.append(lambda phase, info: searched.append(info["generation"]) if phase == "start" else None)
assert gc.get_freeze_count() > 10_000 and sys.getswitchinterval() <= 0.001
kept = []
for _ in range(300_000):
    kept.append([])
assert 1 in searched and 2 not in searched, searched
gc_control.collect_if_idle()
assert searched[-1] == 2 and gc.get_count()[2] == 0
gc_control.collect_if_idle()
assert searched.count(2) == 1, "once is enough"
print("whole")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (run.stdout, run.stderr) == ("whole\n", "")


def test_the_loop_collects_garbage_only_while_every_clock_stands(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    table = StillTable()
    tidied: list[bool] = []
    monkeypatch.setattr(main_loop, "collect_if_idle", lambda: tidied.append(table.match.clock.running is None))
    table.table.program._check(0)
    table.presses("lr")
    assert table.match.clock.running is not None
    table.wait(SECOND)
    table.table.program._check(table.time.now_ns())
    table.call(RIGHT)
    table.table.program._check(table.time.now_ns())
    assert len(tidied) >= 2 and all(tidied)
    assert main_loop.collect_if_idle is not gc_control.collect_if_idle
    table.close()
