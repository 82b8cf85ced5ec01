"""Waiting of a restarted head for the records of its tables; no automatic step runs before every table has sent them.

A head that starts may know less than its tables, because it was restored from an older backup or lost its disk; it must
not publish or seat what tables may have played already. A silent table delays the start for a limited time only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from engine.i18n import say

#: time within which every table reconnects after the head's start (docs/rules/FAULTS.md, row 10)
STARTUP_SYNC_S = 15.0

WAITING = say("Waiting for the tables to send their records; automatic steps are paused until then (15 s at most).")


class StartupSync:
    """The waiting of one start. ``wait_s`` 0: no waiting. ``has_sent_all_records``: whether the head has all
    records of a table.
    """

    def __init__(
        self,
        wait_s: float,
        has_sent_all_records: Callable[[int], bool],
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._until_s = monotonic_s() + wait_s
        self._has_sent_all_records = has_sent_all_records
        self._monotonic_s = monotonic_s
        self._over = wait_s <= 0

    def over(self, tables: Collection[int]) -> bool:
        """Check whether the waiting is over; it stays over. ``tables``: those that have a key."""
        if not self._over:
            self._over = self._monotonic_s() >= self._until_s or all(map(self._has_sent_all_records, tables))
        return self._over
