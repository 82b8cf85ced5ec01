"""The thread that does what follows by itself: seats queued games, publishes rounds in automatic mode.

The law: it is only ever told *that* something happened. What to do it works out from the state, so a lost or repeated
poke changes nothing, and no table waits for a pairing to be computed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class Worker:
    """Calls ``advance`` after every poke, once for many."""

    def __init__(self, advance: Callable[[], None]) -> None:
        self._advance = advance
        self._wanted = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="head-worker", daemon=True)
        self._thread.start()

    def poke(self) -> None:
        self._wanted.set()

    def close(self) -> None:
        """Finishes what it does, then stops."""
        self._stopping = True
        self._wanted.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            if self._stopping:
                return
            self._advance()
