"""Waiting for another thread or process. The time is only for giving up: no test passes because it is over."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(true: Callable[[], object], seconds: float = 20) -> None:
    """Polls until ``true()`` holds."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"it did not get there within {seconds:g} s"
        time.sleep(0.005)
