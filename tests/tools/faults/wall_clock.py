"""A replaced wall clock for a whole Python program, set by a file: ``install(file)`` before anything else is imported.

The file holds seconds, which are added to the results of ``time.time``, ``time.time_ns`` and ``datetime``. The
monotonic clock and everything that waits stay as they are. (libfaketime would do it from outside, but its
``clock_nanosleep`` refuses the requests of ``time.sleep`` once the clock has jumped.)
"""

from __future__ import annotations

import datetime
import time
from pathlib import Path


def install(file: Path) -> None:
    true_ns = time.time_ns

    def now_ns() -> int:
        return true_ns() + int(file.read_text(encoding="ascii")) * 1_000_000_000

    class Datetime(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Datetime:
            return cls.fromtimestamp(now_ns() / 1e9, tz)

        @classmethod
        def utcnow(cls) -> Datetime:
            return cls.fromtimestamp(now_ns() / 1e9, datetime.UTC).replace(tzinfo=None)

    time.time_ns = now_ns
    time.time = lambda: now_ns() / 1e9
    datetime.datetime = Datetime  # type: ignore[misc]
