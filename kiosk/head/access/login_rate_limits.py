"""Rate limits for wrong passwords and codes.

- Wrong passwords are counted by name and by address; each failure lengthens the wait. While somebody has to wait,
  nothing is checked.
- Guessing cannot lock an arbiter out: a device that was signed in before is counted separately, and the wait of a
  name does not apply to an address with fewer than ``QUIET`` failures.
- Concurrent guesses are counted as if they were wrong.
- A count is forgotten after a quarter of an hour.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

NS_PER_S = 1_000_000_000

FORGET_S = 15 * 60
#: most addresses remembered; the one quiet for longest is dropped first
_KEPT = 4096


@dataclass(frozen=True, slots=True)
class BackoffPolicy:
    """A backoff policy: ``free`` failures cost nothing; each later one doubles the wait, from ``first_s`` to
    ``longest_s``.
    """

    free: int
    first_s: int
    longest_s: int

    def wait_s(self, failures: int) -> int:
        over = failures - self.free
        return 0 if over <= 0 else min(self.longest_s, self.first_s << min(over - 1, 20))


PER_ACCOUNT = BackoffPolicy(free=10, first_s=5, longest_s=60)
PER_ADDRESS = BackoffPolicy(free=5, first_s=5, longest_s=300)
#: an address with fewer failures does not wait for failures of others on the same name
QUIET = 3


class FailureCounter:
    """Failure counts of one kind. May be used from any thread."""

    def __init__(self, limit: BackoffPolicy, now_ns: Callable[[], int]) -> None:
        self._limit = limit
        self._now_ns = now_ns
        self._counts: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._lock = threading.Lock()

    def wait_s(self, who: str) -> int:
        """Return how long ``who`` still has to wait, in seconds."""
        with self._lock:
            count, at_ns = self._present(who)
            left_ns = self._limit.wait_s(count) * NS_PER_S - (self._now_ns() - at_ns)
            return max(0, -(-left_ns // NS_PER_S)) if count else 0

    def count(self, who: str) -> int:
        """Return the number of failures of ``who``."""
        with self._lock:
            return self._present(who)[0]

    @contextmanager
    def guess(self, who: str) -> Iterator[int]:
        """Count a guess as pending while it is checked. Yield the wait in seconds instead, if ``who`` would have to
        wait in case all pending guesses were wrong.
        """
        with self._lock:
            free = max(self._limit.free - self._present(who)[0], 0)
            wait_s = self._limit.first_s if self._running[who] > free else 0
            self._running[who] += 1
        try:
            yield wait_s
        finally:
            with self._lock:
                self._running[who] -= 1
                if not self._running[who]:
                    del self._running[who]

    def add(self, who: str) -> int:
        """Count a failure; return the wait that follows, in seconds."""
        with self._lock:
            count = self._present(who)[0] + 1
            self._counts[who] = count, self._now_ns()
            self._counts.move_to_end(who)
            if len(self._counts) > _KEPT:
                self._counts.popitem(last=False)
            return self._limit.wait_s(count)

    def forget(self, who: str) -> None:
        with self._lock:
            self._counts.pop(who, None)

    def _present(self, who: str) -> tuple[int, int]:
        count, at_ns = self._counts.get(who, (0, 0))
        return (count, at_ns) if self._now_ns() - at_ns < FORGET_S * NS_PER_S else (0, 0)
