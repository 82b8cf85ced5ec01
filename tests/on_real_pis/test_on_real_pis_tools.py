"""Tests of the tools for real Pis: the power is a process that is killed, the serial line a pty."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest
from devices.faulty_cable import FaultyCable

HERE = Path(__file__).parent
TABLE = HERE.parents[0] / "tools" / "tables" / "game_program.py"


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def powered(tmp_path: Path, line: str, program: str) -> tuple[str, str]:
    """Return the commands that switch a program on a line on and off."""
    pid = tmp_path / "pid"
    return f"kill -9 $(cat {pid})", f"{program} >{line} 2>{tmp_path}/log & echo $! >{pid}"


def cut(line: str, off: str, on: str, out: Path, *more: str) -> int:
    told: int = tool("cut_power").main([line, "--off", off, "--on", on, "--out", str(out), *more])
    subprocess.run(off, shell=True, check=False, stderr=subprocess.DEVNULL)
    return told


def test_a_power_cut_loses_nothing_reported_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = os.pathsep.join([str(HERE.parents[1]), str(HERE.parents[0] / "tools")]), tmp_path / "cuts.jsonl"
    program = f"PYTHONPATH={path} exec {sys.executable} {TABLE} {tmp_path}/data 5"
    with closing(FaultyCable()) as wire:
        off, on = powered(tmp_path, wire.left, program)
        told = cut(wire.right, off, on, out, "--cuts", "2", "--longest", "1.5", "--patience", "60", "--pause", "0.2")
    cuts = [json.loads(line) for line in out.read_text().splitlines()]
    assert told == 0, cuts
    assert json.loads(capsys.readouterr().out) == {"tried": 2, "lost": 0, "did_not_come_back": 0}
    assert cuts[-1]["back"] >= cuts[-1]["saved"] > 0


def test_a_table_that_loses_saved_records_is_detected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It reports revision 9 as saved and returns with 4."""
    (tmp_path / "forgets.py").write_text(
        "import time\n"
        "print('boot message')\n"
        'print(\'{"kind": "back", "revision": 4}\\n{"kind": "saved", "revision": 9}\\n{"kind": "sa\', flush=True)\n'
        "time.sleep(100)\n"
    )
    out = tmp_path / "cuts.jsonl"
    with closing(FaultyCable()) as wire:
        off, on = powered(tmp_path, wire.left, f"exec {sys.executable} {tmp_path}/forgets.py")
        told = cut(wire.right, off, on, out, "--cuts", "1", "--longest", "0.5", "--patience", "60", "--pause", "0.2")
    assert told == 1
    assert json.loads(capsys.readouterr().out)["lost"] == 1
    assert json.loads(out.read_text())["lost"] == 5


def test_syncs_are_timed_on_this_disk(tmp_path: Path) -> None:
    sync_times = tool("sync_times")
    took = sync_times.measure(tmp_path, 0.5, every_s=0.01)
    told = sync_times.summary(took)
    assert told["syncs"] == len(took) > 3
    assert told["ms"]["p50"] <= told["ms"]["p99"] <= told["longest_ms"]
    assert told["at_most_ms"]["<=5000"] == len(took)
    assert list(tmp_path.iterdir()) == []
