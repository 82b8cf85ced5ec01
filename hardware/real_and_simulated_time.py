"""Time bases, real and simulated: the game time now, and the real duration of a wait.

- One time base per table. Its ``now_ns`` is CLOCK_MONOTONIC, the clock with which the kernel stamps button edges, so
  the two can be subtracted; the wall clock is never read.
- Simulated time bases run the same game faster, or are advanced by hand.
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Protocol

NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000


class TimeBase(Protocol):
    """Clock of one table."""

    def now_ns(self) -> int:
        """Return the game time now, in nanoseconds from an arbitrary start; never goes back."""
        ...

    def real_s(self, duration_ns: int) -> float:
        """Return how many real seconds a game time of ``duration_ns`` takes; 0.0 for a duration that is not
        positive."""
        ...


def now_s(time_base: TimeBase) -> float:
    """Return the game time now, in seconds."""
    return time_base.now_ns() / NS_PER_S


class SystemTime:
    """Real time."""

    __slots__ = ()

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def real_s(self, duration_ns: int) -> float:
        return max(duration_ns, 0) / NS_PER_S


class ScaledTime:
    """Simulated game time that runs ``speed`` times as fast as real time, counted in integers so that it does not
    drift.

    ``start_ns`` is the monotonic instant at which both agree; the default is now. Programs that share one scaled time
    must be given the same start. ``speed`` is kept to a thousandth.

    :raises ValueError: if speed is not positive.
    """

    __slots__ = ("_real", "_scale", "start_ns")

    def __init__(self, speed: float, start_ns: int | None = None) -> None:
        ratio = Fraction(speed).limit_denominator(1000)
        if ratio <= 0:
            raise ValueError(f"speed must be 0.001 or more, not {speed}")
        self._scale, self._real = ratio.numerator, ratio.denominator
        self.start_ns = time.monotonic_ns() if start_ns is None else start_ns

    def now_ns(self) -> int:
        return self.start_ns + (time.monotonic_ns() - self.start_ns) * self._scale // self._real

    def real_s(self, duration_ns: int) -> float:
        return max(duration_ns, 0) * self._real / (self._scale * NS_PER_S)


class OffsetTime:
    """``base`` plus a fixed offset. A reboot restarts CLOCK_MONOTONIC; with the offset of the time already passed, game
    time never goes back over a power cut, and the time without power counts for nobody. ``offset_ns`` is also added to
    the edges' own stamps."""

    __slots__ = ("_base", "offset_ns")

    def __init__(self, base: TimeBase, offset_ns: int) -> None:
        self._base = base
        self.offset_ns = offset_ns

    def now_ns(self) -> int:
        return self._base.now_ns() + self.offset_ns

    def real_s(self, duration_ns: int) -> float:
        return self._base.real_s(duration_ns)


class ManualTime:
    """Simulated time that is advanced by hand; waiting for it takes no real time."""

    __slots__ = ("_now_ns",)

    def __init__(self, now_ns: int = 0) -> None:
        self._now_ns = now_ns

    def now_ns(self) -> int:
        return self._now_ns

    def real_s(self, duration_ns: int) -> float:
        return 0.0

    def advance(self, duration_ns: int) -> None:
        """Advance the time.

        :raises ValueError: if it would go back.
        """
        if duration_ns < 0:
            raise ValueError(f"time does not go back: advance({duration_ns})")
        self._now_ns += duration_ns
