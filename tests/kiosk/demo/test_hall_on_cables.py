"""Test of a hall whose tables have no network, only serial cables to the head."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.tournament import is_over
from kiosk.records.event_file import from_dict


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_an_event_over_serial_cables_alone(tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "kiosk", "demo", "--carrier", "serial", "--tables", "2", "--players", "4",
        "--format", "knockout", "--speed", "max", "--exit", "--out", str(tmp_path / "out"),
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    event = json.loads((tmp_path / "out" / "event.json").read_text(encoding="utf-8"))
    assert is_over(from_dict(event))
    for number in (1, 2):
        config = (tmp_path / "out" / "hall" / f"table-{number}" / "table.toml").read_text(encoding="utf-8")
        assert "serial = " in config
        assert "ws://" not in config
