"""Schedule of Python's garbage collector in the head.

With 500 tables a full collection would delay acknowledgements. The objects that survive one are therefore frozen, so
the next one examines only newer objects, and it is due soon. All objects are examined while no clock runs.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: age at which frozen garbage is collected while no clock runs, and in any case
ALL_S, LATEST_S = 600.0, 1800.0
#: number of younger collections before a full one, which then takes a few milliseconds
OFTEN = 2


class GcPolicy:
    """The collection schedule of a head. ``stands``: whether no clock runs, so that a full collection delays
    nothing."""

    def __init__(self, stands: Callable[[], bool], monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._stands, self._monotonic_s = stands, monotonic_s
        self._collected_s = 0.0

    @contextmanager
    def frozen(self) -> Iterator[None]:
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

    def collect_if_due(self) -> None:
        """Collect all objects if that is due; called now and then, where a collection may stop everything else."""
        waits_s = self._monotonic_s() - self._collected_s
        if waits_s >= LATEST_S or (waits_s >= ALL_S and self._stands()):
            self._collect_all()

    def _collect_all(self) -> None:
        gc.unfreeze()
        gc.collect()
        self._collected_s = self._monotonic_s()


@contextmanager
def collection_paused() -> Iterator[None]:
    """Turn collection off while a head loads its store: what it loads stays, so collections would find nothing."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _freeze(phase: str, info: dict[str, int]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
