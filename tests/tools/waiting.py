"""Waiting for another thread or process. The time is only for giving up: no test passes because it is over."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(true: Callable[[], object], seconds: float = 20) -> None:
    """Polls until ``true()`` holds, the longer it takes the less often: asking is what keeps the other one busy."""
    began = time.monotonic()
    while not true():
        waited = time.monotonic() - began
        assert waited < seconds, f"it did not get there within {seconds:g} s"
        time.sleep(min(0.005 + waited / 10, 0.1))
