"""Tests of the watchdog: a hung loop stops feeding it, even if other threads still run (FAULTS.md 19).

systemd's part, the restart in under 8 s, is proved by tests/systemd/prove_in_nspawn.sh.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tables.rig import TableRig
from waiting import HANGS_S, until

from kiosk.link.table_keys import new_keys, save_keys

#: three beats
QUIET_S = 3.0


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(str(tmp_path / "notify"))
    yield listener
    listener.close()


def _received(systemd: socket.socket, within_s: float) -> str | None:
    systemd.settimeout(within_s)
    try:
        return systemd.recv(4096).decode()
    except TimeoutError:
        return None


def _drain(systemd: socket.socket) -> None:
    while _received(systemd, 0.01) is not None:
        pass


@contextmanager
def _program(systemd: socket.socket, side: str, config: Path, *python: str) -> Iterator[subprocess.Popen[str]]:
    """Start a program; ``python``: how Python is called, if not for the command as it is."""
    command = [sys.executable, *(python or ("-m", "kiosk")), side, "--config", str(config)]
    environ = {**os.environ, "NOTIFY_SOCKET": systemd.getsockname()}
    process = subprocess.Popen(
        command, env=environ, cwd=config.parent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _table_config(tmp_path: Path) -> Path:
    (tmp_path / "table.toml").write_text(
        f'table = 7\ndata = "{tmp_path}/data"\n[buttons]\nfactory = "none"\n[screen]\nenabled = false\n'
    )
    return tmp_path / "table.toml"


def _head_config(tmp_path: Path) -> Path:
    save_keys(tmp_path / "keys.json", new_keys([1]))
    (tmp_path / "head.toml").write_text('data = "data"\nkeys = "keys.json"\nhost = "127.0.0.1"\nport = 0\n')
    return tmp_path / "head.toml"


def test_notifications_of_the_table(systemd: socket.socket, tmp_path: Path) -> None:
    with _program(systemd, "table", _table_config(tmp_path)) as table:
        first = _received(systemd, 30)
        assert first == "WATCHDOG=1\nREADY=1\nSTATUS=table 7: setup, no head"
        assert _received(systemd, 10) == "WATCHDOG=1"
        table.send_signal(signal.SIGSTOP)
        _drain(systemd)
        assert _received(systemd, QUIET_S) is None
        table.send_signal(signal.SIGCONT)
        assert _received(systemd, 10) == "WATCHDOG=1"
        table.send_signal(signal.SIGTERM)
        messages = []
        while not messages or messages[-1] not in ("STOPPING=1", None):
            messages.append(_received(systemd, 10))
        assert messages[-1] == "STOPPING=1"
        assert table.wait(HANGS_S) == 0


def test_notifications_of_the_head(systemd: socket.socket, tmp_path: Path) -> None:
    with _program(systemd, "head", _head_config(tmp_path)) as head:
        first = _received(systemd, 30)
        assert first is not None and "READY=1" in first.split("\n")
        assert _received(systemd, 10) == "WATCHDOG=1"
        head.send_signal(signal.SIGSTOP)
        _drain(systemd)
        assert _received(systemd, QUIET_S) is None
        head.send_signal(signal.SIGCONT)
        head.terminate()
        assert head.wait(HANGS_S) == 0


#: a table whose loop feeds the watchdog three times and then waits for ever
HANGS = """
import itertools, threading
from kiosk.platform_compat import Notifier
alive, beats = Notifier.alive, itertools.count(1)
def hang(self, status=""):
    alive(self, status)
    if next(beats) == 3:
        threading.Event().wait()
Notifier.alive = hang
from kiosk.cli import main
main()
"""


def test_the_watchdogs_signal_leaves_the_stacks_in_the_log(systemd: socket.socket, tmp_path: Path) -> None:
    """The stacks are written.

    Python does not stop the threads for it, which a running one may not survive, so the table hangs here.
    """
    with _program(systemd, "table", _table_config(tmp_path), "-c", HANGS) as table:
        assert _received(systemd, 30) is not None
        assert _received(systemd, 10) == _received(systemd, 10) == "WATCHDOG=1"
        assert _received(systemd, QUIET_S) is None
        table.send_signal(signal.SIGABRT)
        _, log = table.communicate(timeout=HANGS_S)
    assert table.returncode == -signal.SIGABRT, log
    assert " in hang\n" in log and "main_loop.py" in log and " in run\n" in log, "where the loop was"


def test_a_hung_loop_stops_feeding_the_watchdog_despite_other_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = TableRig(tmp_path)
    beats: list[float] = []
    hang = threading.Event()
    try:
        rig.table.program.on_beat = lambda: beats.append(time.monotonic())
        until(lambda: len(beats) >= 2, lambda: "an idle loop beats too")
        monkeypatch.setattr(rig.table.program, "_handle", lambda item: hang.wait(30))
        rig.press(17)
        time.sleep(0.2)
        count = len(beats)
        time.sleep(QUIET_S)
        assert len(beats) == count
    finally:
        hang.set()
        monkeypatch.undo()
        rig.close()
