"""Limits on what the holder of one key can make the head store in an hour."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

import msgspec

from kiosk.link.link_messages import TableRecord

_encode = msgspec.json.Encoder().encode
K = TypeVar("K", bound=Hashable)

HOUR_S = 3600.0


class HourlyQuota(Generic[K]):
    """For each key so many rows and bytes at once, and as many again in each hour. May be used from any thread."""

    def __init__(self, rows: float, size: float, monotonic_s: Callable[[], float]) -> None:
        self.rows, self.size = rows, size
        self._monotonic_s = monotonic_s
        self._lock = threading.Lock()
        #: by key, the rows and bytes left, and when that was
        self._left: dict[K, tuple[float, float, float]] = {}
        self._refused_s: dict[K, float] = {}

    def count(self, key: K, sizes: Sequence[int], *, whole: bool = False) -> int:
        """Return how many of the rows with these sizes, from the first on, are within the quota; they are counted.
        ``whole``: all of them or none.
        """
        with self._lock:
            now_s = self._monotonic_s()
            rows, size, at_s = self._left.get(key, (self.rows, self.size, now_s))
            hours = (now_s - at_s) / HOUR_S
            rows = min(self.rows, rows + self.rows * hours)
            size = min(self.size, size + self.size * hours)
            taken, used = 0, 0
            while taken < min(len(sizes), int(rows)) and used + sizes[taken] <= size:
                taken, used = taken + 1, used + sizes[taken]
            if taken < len(sizes):
                self._refused_s[key] = now_s
                if whole:
                    taken, used = 0, 0
            self._left[key] = rows - taken, size - used, now_s
            return taken

    def exceeded(self) -> list[K]:
        """Return the keys of which something was refused in the last hour."""
        with self._lock:
            since_s = self._monotonic_s() - HOUR_S
            return [key for key, at_s in self._refused_s.items() if at_s >= since_s]


def table_quota(monotonic_s: Callable[[], float] = time.monotonic, speed: float = 1) -> HourlyQuota[int]:
    """Return the quota of each table: several times what one sends on a long day. ``speed``: of a demo's game time."""
    return HourlyQuota(20_000 * speed, 16_000_000 * speed, monotonic_s)


def record_sizes(records: Sequence[TableRecord]) -> list[int]:
    """Return the records' sizes in bytes, as they count against the quota."""
    return [len(_encode(record.body)) for record in records]
