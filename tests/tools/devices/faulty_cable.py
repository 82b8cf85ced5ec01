"""A simulated serial cable with faults, which are the same each time for one seed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random

from hardware.simulated_serial_cable import SimulatedWire

#: bits per byte: one start bit, eight data bits and one stop bit
_BITS_A_BYTE = 10


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


class FaultyCable(SimulatedWire):
    """Cable with faults. ``unplug`` pulls one end: its device disappears, and the other end receives nothing.

    :param baud: speed of the cable; None: unlimited.
    """

    def __init__(self, baud: int | None = None) -> None:
        self.faults = WireFaults()
        self._baud = baud
        self._noise = Noise(0)
        super().__init__()

    def unplug(self, end: str | None = None) -> None:
        """Pull an end, by default the left one."""
        self._pull(end or self.left)

    def replug(self, end: str | None = None) -> None:
        self._plug(end or self.left)

    def _pass(self, data: bytes) -> bytes:
        if not data or self.faults.cut:
            return b""
        if self._baud is not None:
            time.sleep(len(data) * _BITS_A_BYTE / self._baud)
        return self._noise.distort(data, self.faults)
