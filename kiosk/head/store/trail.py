"""The audit trail in memory, for a page that many look at.

The law: what is shown was read from the store. New entries are read when somebody looks; the whole trail is read again
and verified once a minute, so a change behind the head's back is seen within that time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from kiosk.head.store.chain import Break, OperatorEvent, first_break
from kiosk.head.store.store import Store

VERIFY_S = 60.0


@dataclass(frozen=True, slots=True)
class Seen:
    """The trail at one moment. ``broken``: as of the last verification."""

    events: tuple[OperatorEvent, ...]
    broken: Break | None


class Trail:
    """May be used from any thread."""

    def __init__(self, store: Store, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._monotonic_s = monotonic_s
        self._lock = threading.Lock()
        self._verified_s = -VERIFY_S
        self._seen = Seen((), None)

    def look(self) -> Seen:
        with self._lock:
            if self._monotonic_s() - self._verified_s >= VERIFY_S:
                events = tuple(self._store.operator_events())
                self._seen = Seen(events, first_break(events))
                self._verified_s = self._monotonic_s()
            else:
                known = self._seen.events
                new = tuple(self._store.operator_events(after=len(known)))
                self._seen = Seen(known + new, self._seen.broken)
            return self._seen
