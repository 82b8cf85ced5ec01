"""The roll call of a head that starts: every table is heard out before anything is done by itself.

The law: a head that starts may know less than its tables, because it was restored from an older backup or lost its
disk. What it would publish or seat then, tables may have played already; so it first lets every table hand in what it
has. A table that says nothing holds the hall up for a short while only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from engine.text import say

#: a table is back this long after its head at the latest (docs/faults.md, row 10)
ROLL_CALL_S = 15.0

WAITING = say("Waiting for the tables to send their records; automatic steps are paused until then (15 s at most).")


class RollCall:
    """``wait_s`` 0: nobody is waited for. ``heard_out``: whether the head has all that a table has."""

    def __init__(
        self,
        wait_s: float,
        heard_out: Callable[[int], bool],
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._until_s = monotonic_s() + wait_s
        self._heard_out = heard_out
        self._monotonic_s = monotonic_s
        self._over = wait_s <= 0

    def over(self, tables: Collection[int]) -> bool:
        """Once it is, it stays so. ``tables``: those that have a key."""
        if not self._over:
            self._over = self._monotonic_s() >= self._until_s or all(map(self._heard_out, tables))
        return self._over
