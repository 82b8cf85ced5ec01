"""The game time of a table whose players are simulated, each table in a process of its own.

The law: a player's clock counts what he does, and hardly how busy the computer is. Time runs at full speed for as long
as a player meant to think or move, and a sixteenth of that while he waits for the display: a table that gets the
processor late would otherwise lose minutes at every press, and flags would fall in games that nobody planned to lose on
time.
"""

from __future__ import annotations

import threading

from hardware.timebase import ScaledTime

#: how many times slower than thought the wait for the display is; never slower than real time
SLOWER = 16


class PacedTime:
    """``speed``: how many times faster than real time the players are."""

    def __init__(self, speed: float) -> None:
        self._fast = ScaledTime(speed)
        self._slower = max(1, min(SLOWER, int(speed)))
        self._lock = threading.Lock()
        #: in full speed's time and in game time: when the last thought began, and in game time when it ends
        self._thought = (self._fast.start_ns, self._fast.start_ns, self._fast.start_ns)

    def now_ns(self) -> int:
        return self._at(self._fast.now_ns())

    def real_s(self, duration_ns: int) -> float:
        """At full speed: whoever waits for the display looks again when it is over."""
        return self._fast.real_s(duration_ns)

    def think(self, duration_ns: int) -> None:
        """From now on somebody at the table is busy for so long."""
        with self._lock:
            fast_ns = self._fast.now_ns()
            now_ns = self._at(fast_ns)
            self._thought = (fast_ns, now_ns, now_ns + max(duration_ns, 0))

    def _at(self, fast_ns: int) -> int:
        began_ns, from_ns, until_ns = self._thought
        over_ns = from_ns + fast_ns - began_ns - until_ns
        return until_ns + (over_ns if over_ns < 0 else over_ns // self._slower)
