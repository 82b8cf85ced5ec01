"""Scaled game time of a table with simulated players, one process per table.

A player's clock measures his actions, and hardly the load of the computer. Time runs at full speed while a player
intends to think or move, and at a sixteenth of that while he waits for the display; otherwise a table that gets the
processor late would lose minutes at every press, and flags would fall unplanned.
"""

from __future__ import annotations

import threading

from hardware.real_and_simulated_time import ScaledTime

#: factor by which waiting for the display is slower than thinking; never slower than real time
SLOWER = 16


class ScaledTableTime:
    """Scaled time. ``speed``: how many times faster than real time the players are."""

    def __init__(self, speed: float) -> None:
        self._fast = ScaledTime(speed)
        self._slower = max(1, min(SLOWER, int(speed)))
        self._lock = threading.Lock()
        # start of the last thought in full-speed time and in game time, and its end in game time
        self._thought = (self._fast.start_ns, self._fast.start_ns, self._fast.start_ns)

    def now_ns(self) -> int:
        return self._at(self._fast.now_ns())

    def real_s(self, duration_ns: int) -> float:
        """Return the real seconds of a duration at full speed, after which a player waiting for the display checks
        again.
        """
        return self._fast.real_s(duration_ns)

    def note_busy(self, duration_ns: int) -> None:
        """Note that a player is busy for this long from now on."""
        with self._lock:
            fast_ns = self._fast.now_ns()
            now_ns = self._at(fast_ns)
            self._thought = (fast_ns, now_ns, now_ns + max(duration_ns, 0))

    def _at(self, fast_ns: int) -> int:
        began_ns, from_ns, until_ns = self._thought
        over_ns = from_ns + fast_ns - began_ns - until_ns
        return until_ns + (over_ns if over_ns < 0 else over_ns // self._slower)
