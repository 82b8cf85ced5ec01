"""The thread of the automatic steps: it seats queued games and, in automatic mode, publishes rounds.

It is only notified that something changed and derives its work from the state, so a lost or repeated notification
changes nothing, and no table waits for a pairing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from engine.i18n import Text, text_of
from kiosk.head.errors import HeadError
from kiosk.stoppable_thread import StoppableThread

#: interval of the check for refused assignments
TICK_S = 2.0


class AutoAdvanceThread(StoppableThread):
    """A thread that calls ``advance`` once after one or more calls of ``wake``, and ``tick`` when there is none for
    two seconds.
    """

    def __init__(
        self,
        advance: Callable[[], None],
        tick: Callable[[], None] = lambda: None,
        on_trouble: Callable[[Text], None] = lambda sentence: None,
    ) -> None:
        """``on_trouble``: receives why something could not be done; it is tried again with the next wake."""
        super().__init__("head-worker", None)
        self._advance = advance
        self._tick = tick
        self._on_trouble = on_trouble
        self._signal = threading.Event()

    def wake(self) -> None:
        self._signal.set()

    def close(self) -> None:
        """Finish the current work, then stop."""
        self._stopping.set()
        self._signal.set()
        super().close()

    def _run(self) -> None:
        while not self._stopping.is_set():
            signalled = self._signal.wait(TICK_S)
            self._signal.clear()
            if self._stopping.is_set():
                return
            self.turn(signalled)

    def turn(self, signalled: bool) -> None:
        """Run one step: after ``wake``, or because there was none for ``TICK_S``."""
        try:
            (self._advance if signalled else self._tick)()
        except HeadError as error:
            self._on_trouble(text_of(error))
