"""Simulated serial cable: two ptys and the transfer of bytes between them."""

from __future__ import annotations

import os
import select
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from hardware.errors import HardwareError, say

_CHUNK = 1024


class SimulatedWire:
    """Cable between ``left`` and ``right``, two device paths that any serial program can open, until ``close``."""

    def __init__(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="serial-wire-"))
        self.left, self.right = (str(self._directory / name) for name in ("left", "right"))
        self._lock = threading.Lock()
        self._ends: dict[str, tuple[int, int]] = {}
        self._closing = threading.Event()
        self._plug(self.left)
        self._plug(self.right)
        self._threads = [
            threading.Thread(target=self._carry, args=ends, name=f"wire {ends[0]}", daemon=True)
            for ends in ((self.left, self.right), (self.right, self.left))
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End the wire and wait for it."""
        self._closing.set()
        for thread in self._threads:
            thread.join()
        self._pull(self.left)
        self._pull(self.right)
        shutil.rmtree(self._directory)

    def _plug(self, end: str) -> None:
        with self._lock:
            if end not in self._ends:
                self._ends[end] = open_simulated_pty(end)

    def _pull(self, end: str) -> None:
        with self._lock:
            if end in self._ends:
                Path(end).unlink()
                for descriptor in self._ends.pop(end):
                    os.close(descriptor)

    def _carry(self, source: str, target: str) -> None:
        while not self._closing.is_set():
            data = self._pass(self._read(source))
            while data and not self._closing.is_set():
                count = self._write(target, data)
                if count is None:
                    break  # no device at that end: the bytes are lost
                data = data[count:]
                if not count:
                    time.sleep(0.001)  # the reader is slower than the wire

    def _pass(self, data: bytes) -> bytes:
        """Return what arrives of the data."""
        return data

    def _read(self, end: str) -> bytes:
        with self._lock:
            far = self._ends.get(end, (-1,))[0]
            # A duplicate stays valid during an ``unplug`` in between, so that the number cannot refer to another file.
            far = os.dup(far) if far >= 0 else far
        if far < 0:
            time.sleep(0.005)
            return b""
        try:
            ready, _, _ = select.select([far], [], [], 0.05)
            return os.read(far, _CHUNK) if ready else b""
        except OSError:
            return b""  # unplugged in the meantime
        finally:
            os.close(far)

    def _write(self, end: str, data: bytes) -> int | None:
        with self._lock:
            if end not in self._ends:
                return None
            try:
                return os.write(self._ends[end][0], data)
            except BlockingIOError:
                return 0
            except OSError:
                return None


# Ptys that simulate cables, each under a fixed device name.


def open_simulated_pty(device: str) -> tuple[int, int]:
    """Return the far end, which is non-blocking, and the near end, which is what a program that opens ``device`` has.

    :raises HardwareError: if this system has no ptys.
    """
    if sys.platform != "win32":
        import tty

        far, near = os.openpty()
        tty.setraw(near)
        os.set_blocking(far, False)
        Path(device).symlink_to(os.ttyname(near))
        return far, near
    raise HardwareError(say("this system has no ptys; simulate cables on Linux or macOS"))
