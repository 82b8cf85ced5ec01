"""The thread of the automatic steps: it seats queued games and, in automatic mode, publishes rounds.

It is only notified that something changed and derives its work from the state, so a lost or repeated notification
changes nothing, and no table waits for a pairing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from engine.i18n import Text, text_of
from kiosk.head.errors import HeadError

#: interval of the check for refused assignments
TICK_S = 2.0


class AutoAdvanceThread:
    """A thread that calls ``advance`` once after one or more pokes, and ``tick`` when nothing happens
    for two seconds.
    """

    def __init__(
        self,
        advance: Callable[[], None],
        tick: Callable[[], None] = lambda: None,
        on_trouble: Callable[[Text], None] = lambda sentence: None,
    ) -> None:
        """``on_trouble``: receives why something could not be done; it is tried again with the next poke."""
        self._advance = advance
        self._tick = tick
        self._on_trouble = on_trouble
        self._signal = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="head-worker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        self._signal.set()

    def close(self) -> None:
        """Finish the current work, then stop."""
        self._stopping.set()
        self._signal.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            signalled = self._signal.wait(TICK_S)
            self._signal.clear()
            if self._stopping.is_set():
                return
            self.turn(signalled)

    def turn(self, signalled: bool) -> None:
        """Run one step: after a poke, or because nothing happened for ``TICK_S``."""
        try:
            (self._advance if signalled else self._tick)()
        except HeadError as error:
            self._on_trouble(text_of(error))
