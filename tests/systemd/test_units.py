"""Tests of the units with systemd-analyze. verify exits 0 on unknown keys: its stderr must be empty."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest
from waiting import HANGS_S

SYSTEMD = Path(__file__).parents[2] / "systemd"
UNITS = sorted(SYSTEMD.glob("*.service"))
PATHS = sorted(SYSTEMD.glob("*.path"))
PROGRAMS = ["othello-head.service", "othello-table.service"]

needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


def _settings(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (SYSTEMD / name).read_text().splitlines():
        key, mark, value = line.partition("=")
        if mark and not line.startswith(("#", "[")):
            found.setdefault(key, []).append(value)
    return found


@needs_systemd
@pytest.mark.parametrize("unit", UNITS + PATHS, ids=lambda unit: unit.name)
def test_systemd_reports_no_problem_of_a_unit(unit: Path) -> None:
    ended = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=HANGS_S)
    assert (ended.returncode, ended.stderr) == (0, "")


@needs_systemd
def test_the_units_of_a_machine_have_an_order(tmp_path: Path) -> None:
    """There is no ordering cycle, which systemd breaks by leaving out one of the units at random."""
    wants = tmp_path / "multi-user.target.wants"
    wants.mkdir()
    for unit in UNITS + PATHS:
        shutil.copy(unit, tmp_path)
        if "[Install]" in unit.read_text():
            (wants / unit.name).symlink_to(f"../{unit.name}")
    assert len(list(wants.iterdir())) >= 4
    ended = subprocess.run(
        ["systemd-analyze", "verify", "multi-user.target"],
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "cycle" not in ended.stderr and "othello" not in ended.stderr, ended.stderr


@needs_systemd
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_is_exposed_at_most_2(unit: Path) -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", unit]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=HANGS_S)
    level = re.search(r"Overall exposure level for \S+: ([0-9.]+)", ended.stdout)
    assert level is not None, ended.stdout + ended.stderr
    assert float(level[1]) <= 2.0


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_always_restarted(name: str) -> None:
    settings = _settings(name)
    assert settings["Type"] == ["notify"]
    assert settings["Restart"] == ["always"]
    assert settings["StartLimitIntervalSec"] == ["0"]
    assert settings["User"] == [name.removesuffix(".service")]
    assert settings["StateDirectory"] and settings["WatchdogSec"]
    # lgpio makes a FIFO in the working directory; it must be one the user may write to
    assert settings["WorkingDirectory"] == [f"/run/{settings['RuntimeDirectory'][0]}"]


def test_the_tables_watchdog_allows_a_restart_within_8_s() -> None:
    """FAULTS.md 19: 8 s pass from the hang to the restarted table, of which Python needs 2 s on a slow machine."""
    settings = _settings("othello-table.service")
    assert int(settings["WatchdogSec"][0]) + int(settings["TimeoutAbortSec"][0]) <= 6


def test_every_kind_of_serial_line_is_known_before_the_unit_starts() -> None:
    """systemd drops DeviceAllow=char-NAME of a driver that is not loaded, and would refuse a board plugged in later."""
    loaded = (SYSTEMD / "modules-load.conf").read_text().split()
    for name in PROGRAMS:
        allowed = " ".join(_settings(name)["DeviceAllow"])
        assert "char-ttyACM" in allowed and "cdc_acm" in loaded
        assert "char-ttyUSB" in allowed and "usbserial" in loaded
        assert "systemd-modules-load.service" in " ".join(_settings(name)["After"])


def test_a_camera_may_be_opened() -> None:
    allowed = _settings("othello-table.service")["DeviceAllow"]
    assert {"char-video4linux rw", "char-media rw", "char-dma_heap rw"} <= {*allowed}
    assert "videodev" in (SYSTEMD / "modules-load.conf").read_text().split()


def test_the_machines_own_files_can_be_read() -> None:
    for name in ("journald.conf", "watchdog.conf"):
        parser = RawConfigParser()
        parser.optionxform = str  # type: ignore[method-assign,assignment]
        parser.read(SYSTEMD / name)
        assert len(parser.sections()) == 1
    parser.read(SYSTEMD / "watchdog.conf")
    assert int(parser["Manager"]["RuntimeWatchdogSec"]) < 15, "a Pi's watchdog reaches about 15 s"


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("script", sorted(SYSTEMD.rglob("*.sh")), ids=lambda script: script.name)
def test_shellcheck_reports_nothing(script: Path) -> None:
    ended = subprocess.run(["shellcheck", script], capture_output=True, text=True, timeout=HANGS_S)
    assert ended.returncode == 0, ended.stdout
