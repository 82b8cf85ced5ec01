"""Tests of ``kiosk demo`` in a terminal: signing in at its pages, and that none of its processes survives it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import httpx
import pytest
from rich.console import Console
from waiting import HANGS_S, until

from kiosk.demo.hall_processes import DemoHall
from kiosk.demo.run_to_end_at_terminal import _picture


def programs(directory: Path) -> list[str]:
    """Return the running programs that were started with a file of this folder."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = file.read_bytes().replace(b"\0", b" ").decode()
        except OSError:  # the process has ended meanwhile
            continue
        if f"{directory}/" in command:
            found.append(command)
    return found


@contextmanager
def demo(out: Path) -> Iterator[subprocess.Popen[str]]:
    command = [
        sys.executable, "-m", "kiosk", "demo", "--tables", "2", "--players", "4", "--format", "round-robin",
        "--speed", "10", "--out", str(out),
    ]  # fmt: skip
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield run
    finally:
        run.kill()
        run.communicate()


def interrupted_until_it_ends(run: subprocess.Popen[str]) -> str:
    """Send SIGINT every millisecond until the process has ended; return its output."""
    end = time.monotonic() + HANGS_S
    while True:
        assert time.monotonic() < end, "the demo did not end"
        run.send_signal(signal.SIGINT)
        try:
            return run.communicate(timeout=0.001)[0]
        except subprocess.TimeoutExpired:
            pass


def test_the_progress_says_what_its_numbers_count() -> None:
    """Before the first round there are no games to count."""
    hall = create_autospec(DemoHall, instance=True, url="http://head")

    def progress(rounds: list[dict[str, Any]]) -> str:
        console = Console(width=200)
        with console.capture() as shown:
            console.print(_picture(hall, {"name": "Demo", "rounds": rounds}, []))
        return shown.get()

    assert "the first round is being prepared" in progress([])
    games = [{"winner": "p1"}, {"winner": None}, {"bye": "p3"}]
    assert "round 1: 1 of 2 games finished" in progress([{"games": games}])


@pytest.mark.slow
def test_ctrl_c_during_start_leaves_no_program_running(tmp_path: Path) -> None:
    with demo(tmp_path / "out") as run:
        until(lambda: programs(tmp_path / "out" / "hall"))
        said = interrupted_until_it_ends(run)
        assert run.returncode == 130, said
    assert programs(tmp_path / "out" / "hall") == []


@pytest.mark.slow
def test_a_demo_prints_the_sign_in_and_ends_on_sigterm(tmp_path: Path) -> None:
    with demo(tmp_path / "out") as run:
        assert run.stdout is not None
        assert "4 players, 2 tables with a kiosk" in run.stdout.readline()
        told = None
        while told is None:
            line = run.stdout.readline()
            assert line, "the demo ended"
            told = re.search(r"sign in at (\S+)/sign-in as (\S+) with the password (\S+)", line)
        url, name, password = told.groups()
        with httpx.Client(base_url=url, timeout=HANGS_S) as web:
            assert web.get("/audit").status_code == 303
            assert web.post("/sign-in", data={"name": name, "password": password}).status_code == 303
            assert web.get("/audit").status_code == 200
        assert len(programs(tmp_path / "out" / "hall")) == 3
        run.terminate()
        run.communicate(timeout=HANGS_S)
        assert run.returncode == 130
    assert programs(tmp_path / "out" / "hall") == []
