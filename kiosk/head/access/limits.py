"""How often somebody may be wrong.

The law: wrong passwords are counted for the name and for the address they come from, and each count makes longer
waits. What is refused while somebody has to wait is not looked at. Nobody keeps an arbiter out by guessing: a device
that was signed in before counts for itself alone, and a name's wait does not concern an address that was wrong fewer
than ``QUIET`` times. Guesses that come together are counted as if they were wrong. A count is forgotten after a quarter
of an hour.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

NS_PER_S = 1_000_000_000

FORGET_S = 15 * 60
#: so many addresses are remembered at most; the one that was quiet longest goes first
_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Limit:
    """``free`` failures cost nothing; each later one doubles the wait, from ``first_s`` to ``longest_s``."""

    free: int
    first_s: int
    longest_s: int

    def wait_s(self, failures: int) -> int:
        over = failures - self.free
        return 0 if over <= 0 else min(self.longest_s, self.first_s << min(over - 1, 20))


PER_ACCOUNT = Limit(free=10, first_s=5, longest_s=60)
PER_ADDRESS = Limit(free=5, first_s=5, longest_s=300)
#: an address that was wrong fewer times does not wait for what others did to a name
QUIET = 3


class Failures:
    """Counts of one kind. May be used from any thread."""

    def __init__(self, limit: Limit, now_ns: Callable[[], int]) -> None:
        self._limit = limit
        self._now_ns = now_ns
        self._counts: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._lock = threading.Lock()

    def wait_s(self, who: str) -> int:
        """How long ``who`` still has to wait."""
        with self._lock:
            count, at_ns = self._present(who)
            left_ns = self._limit.wait_s(count) * NS_PER_S - (self._now_ns() - at_ns)
            return max(0, -(-left_ns // NS_PER_S)) if count else 0

    def count(self, who: str) -> int:
        """How often ``who`` was wrong."""
        with self._lock:
            return self._present(who)[0]

    @contextmanager
    def guess(self, who: str) -> Iterator[int]:
        """While a guess is looked at. Gives the wait instead, if so many others of ``who`` are looked at that he would
        have to wait if all of them were wrong."""
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
        """Counts a failure; gives the wait that follows."""
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
