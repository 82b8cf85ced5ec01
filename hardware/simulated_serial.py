"""Simulated serial cable: two ptys and the transfer of bytes between them, with fault injection.

Faults occur only as configured, and those of a seed are the same each time.
"""

from __future__ import annotations

import os
import select
import shutil
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from hardware.simulated_pty import open_simulated_pty

#: bits per byte: one start bit, eight data bits and one stop bit
_BITS_A_BYTE = 10
_CHUNK = 1024


@dataclass(slots=True)
class WireFaults:
    """Fault probabilities for each byte; they may be changed while the wire runs. ``cut``: nothing passes, and neither
    end can detect it."""

    corrupted: float = 0.0
    dropped: float = 0.0
    cut: bool = False


class Noise:
    """Random changes and losses of bytes, each with its probability."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.errors = 0

    def distort(self, data: bytes, faults: WireFaults) -> bytes:
        rate = faults.corrupted + faults.dropped
        if rate <= 0:
            return data
        spoiled = bytearray(data)
        dropped: list[int] = []
        at = self._gap(rate)
        while at < len(spoiled):
            self.errors += 1
            if self._random.random() * rate < faults.dropped:
                dropped.append(at)
            else:
                spoiled[at] ^= self._random.randrange(1, 256)
            at += 1 + self._gap(rate)
        for index in reversed(dropped):
            del spoiled[index]
        return bytes(spoiled)

    def _gap(self, rate: float) -> int:
        """Return the number of good bytes before the next bad one."""
        return int(self._random.expovariate(rate))


class SimulatedWire:
    """Cable between ``left`` and ``right``, two device paths that any serial program can open; it runs until ``close``.
    ``unplug`` pulls one end: its device disappears, and the other end receives nothing.

    :param baud: speed of the cable; None: unlimited.
    """

    def __init__(self, baud: int | None = None) -> None:
        self.faults = WireFaults()
        self._baud = baud
        self._noise = Noise(0)
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

    def unplug(self, end: str | None = None) -> None:
        """Pull an end, by default the left one."""
        self._pull(end or self.left)

    def replug(self, end: str | None = None) -> None:
        self._plug(end or self.left)

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
            data = self._read(source)
            if not data or self.faults.cut:
                continue
            if self._baud is not None:
                time.sleep(len(data) * _BITS_A_BYTE / self._baud)
            data = self._noise.distort(data, self.faults)
            while data and not self._closing.is_set():
                sent = self._write(target, data)
                if sent is None:
                    break  # no device at that end: the bytes are lost
                data = data[sent:]
                if not sent:
                    time.sleep(0.001)  # the reader is slower than the wire

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
