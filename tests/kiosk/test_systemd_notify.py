"""Tests of systemd notifications: ready once, watchdog, changed status, stopping; and that sending never blocks."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from kiosk.platform_compat import Notifier


def _listener(address: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(address)
    listener.settimeout(5)
    return listener


def test_ready_once_then_alive_and_the_status_when_it_changes(tmp_path: Path) -> None:
    with _listener(str(tmp_path / "s")) as systemd:
        notifier = Notifier({"NOTIFY_SOCKET": str(tmp_path / "s")})
        for status in ("table 7: no game", "table 7: no game", "turn\nREADY=1"):
            notifier.alive(status)
        notifier.stopping()
        heard = [systemd.recv(4096).decode().split("\n") for _ in range(4)]
    assert heard == [
        ["WATCHDOG=1", "READY=1", "STATUS=table 7: no game"],
        ["WATCHDOG=1"],
        ["WATCHDOG=1", "STATUS=turn READY=1"],
        ["STOPPING=1"],
    ]


def test_an_abstract_name_begins_with_a_zero_byte() -> None:
    name = f"othello-{os.getpid()}"
    with _listener("\0" + name) as systemd:
        Notifier({"NOTIFY_SOCKET": "@" + name}).alive()
        assert b"READY=1" in systemd.recv(4096)


def test_without_systemd_nothing_is_sent_and_nothing_fails() -> None:
    Notifier({}).alive("x")
    Notifier({"NOTIFY_SOCKET": "/nowhere/at/all"}).alive("x")


def test_a_full_socket_never_blocks_the_loop(tmp_path: Path) -> None:
    with _listener(str(tmp_path / "s")):
        notifier = Notifier({"NOTIFY_SOCKET": str(tmp_path / "s")})
        for _ in range(5_000):  # more than any socket's queue holds
            notifier.alive("x")
