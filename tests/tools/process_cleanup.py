"""Cleanup of processes that tests start, however the tests end: also by Ctrl-C, SIGTERM or SIGKILL.

A process that runs tests marks its environment; its children inherit the mark, at any depth; and a watcher in its own
session ends all marked processes as soon as that process is gone. This covers every program started, unless it gets
another environment: ``marked()`` belongs there too.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

_MARK = "TESTS_OF"
#: time for a server to close its files
_GRACE_S = 5
_watchers: list[subprocess.Popen[bytes]] = []


def watch() -> None:
    """Mark this process's environment and start its watcher, once."""
    if _watchers or not hasattr(os, "pidfd_open"):
        return
    os.environ[_MARK] = f"{os.getpid()}-{time.time_ns()}"
    command, nowhere = [sys.executable, "-IS", __file__, str(os.getpid()), os.environ[_MARK]], subprocess.DEVNULL
    _watchers.append(subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True))


def marked() -> dict[str, str]:
    """Return the mark, for an environment that is not inherited."""
    return {_MARK: os.environ[_MARK]} if _MARK in os.environ else {}


def _marked_processes(mark: str) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{_MARK}={mark}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
    return [pid for pid in found if pid != os.getpid()]


def _end_when_gone(pid: int, mark: str) -> None:
    with suppress(ProcessLookupError):
        select.select([os.pidfd_open(pid)], [], [])
    deadline, terminated = time.monotonic() + _GRACE_S, set[int]()
    while bearers := _marked_processes(mark):
        late = time.monotonic() > deadline
        for bearer in bearers:
            if late or bearer not in terminated:
                terminated.add(bearer)
                with suppress(ProcessLookupError):
                    os.kill(bearer, signal.SIGKILL if late else signal.SIGTERM)
        time.sleep(0.05)


if __name__ == "__main__":
    _end_when_gone(int(sys.argv[1]), sys.argv[2])
