"""FAULTS.md 19: a table program that hangs or is killed, under a real systemd (tests/systemd/prove_in_nspawn.sh)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

PROOF = Path(__file__).parents[1] / "systemd" / "prove_in_nspawn.sh"
#: FAULTS.md 19
RESTART_MS = 8000


@pytest.mark.fault(19, "hung and killed under systemd: back after {hung_ms} ms (hung) and {killed_ms} ms (killed)")
def test_a_hung_and_a_killed_table_come_back(
    times: Callable[[int, int], int], record_property: Callable[[str, object], None]
) -> None:
    if times(0, 1) == 0:
        pytest.skip("five minutes, a Debian and root: make faults")
    if os.geteuid() != 0:
        pytest.skip("a container with its own systemd needs root")
    if absent := [tool for tool in ("debootstrap", "systemd-nspawn") if shutil.which(tool) is None]:
        pytest.skip(f"{' and '.join(absent)} not installed (apt: debootstrap systemd-container)")
    run = subprocess.run([PROOF], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    figures = {}
    for name in ("hung", "killed"):
        found = re.search(rf"^table {name} \(\w+\) (\d+) times.* max (\d+)", run.stdout, re.MULTILINE)
        assert found, run.stdout
        figures[name] = int(found[1]), int(found[2])
    record_property("tried", sum(times for times, _ in figures.values()))
    record_property("hung_ms", figures["hung"][1])
    record_property("killed_ms", figures["killed"][1])
    assert figures["hung"][1] < RESTART_MS
    assert figures["killed"][0] >= 50
