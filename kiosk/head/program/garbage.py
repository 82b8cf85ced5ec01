"""When the head's garbage is collected.

The law: no acknowledgement waits until everything in a hall of 500 tables was looked at. What a full collection left is
set apart, so the next one looks only at what was made since, and is soon due; all of it is looked at when no clock
runs.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: what became garbage after it was set apart may wait so long, and while clocks run so long at most
ALL_S, LATEST_S = 600.0, 1800.0
#: full collections are due after so many of the young; what is looked at then takes a few milliseconds
OFTEN = 2


class Garbage:
    """``stands``: whether a collection of everything disturbs nobody now."""

    def __init__(self, stands: Callable[[], bool], monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._stands, self._monotonic_s = stands, monotonic_s
        self._collected_s = 0.0

    @contextmanager
    def set_apart(self) -> Iterator[None]:
        usual = gc.get_threshold()
        gc.set_threshold(*usual[:2], OFTEN)
        gc.callbacks.append(_freeze)
        self._collect_all()
        try:
            yield
        finally:
            gc.callbacks.remove(_freeze)
            gc.set_threshold(*usual)
            gc.unfreeze()

    def look(self) -> None:
        """Now and then, where a collection may stop everything else."""
        waits_s = self._monotonic_s() - self._collected_s
        if waits_s >= LATEST_S or (waits_s >= ALL_S and self._stands()):
            self._collect_all()

    def _collect_all(self) -> None:
        gc.unfreeze()
        gc.collect()
        self._collected_s = self._monotonic_s()


@contextmanager
def collected_later() -> Iterator[None]:
    """While a head takes up what its store has, all that is made stays: looking at it again and again finds nothing."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _freeze(phase: str, info: dict[str, int]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
