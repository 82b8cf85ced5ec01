"""Cache of the commands that wait for their tables, because every table asks for its own every two seconds.

``of`` always returns what the store contains. The cache is updated after each commit, before anybody is notified. After
a failed commit it is cleared, and a result that was read during a change is not cached.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar


class Order(Protocol):
    """A command to a table."""

    @property
    def id(self) -> str: ...
    @property
    def table(self) -> int: ...


T = TypeVar("T", bound=Order)


class PendingCommandCache(Generic[T]):
    def __init__(self, read: Callable[[int], tuple[T, ...]]) -> None:
        """``read``: returns the unanswered commands of a table from the store, in the order they were queued."""
        self._read = read
        self._known: dict[int, tuple[T, ...]] = {}
        self._changes = 0
        self._lock = threading.Lock()

    def of(self, table: int) -> tuple[T, ...]:
        with self._lock:
            if table in self._known:
                return self._known[table]
            changes = self._changes
        found = self._read(table)
        with self._lock:
            if self._changes == changes:
                self._known[table] = found
        return found

    def cached_commands(self, table: int) -> tuple[T, ...] | None:
        """Return the same without reading the store; None if that is needed."""
        with self._lock:
            return self._known.get(table)

    def add(self, orders: Iterable[T]) -> None:
        """Add commands that were committed."""
        with self._lock:
            self._changes += 1
            for order in orders:
                if order.table in self._known:
                    self._known[order.table] += (order,)

    def remove(self, table: int, ids: frozenset[str]) -> None:
        """Remove commands to which the table's answers were committed."""
        with self._lock:
            self._changes += 1
            if table in self._known:
                self._known[table] = tuple(order for order in self._known[table] if order.id not in ids)

    def forget(self) -> None:
        """Clear the cache, because it is unknown what was committed."""
        with self._lock:
            self._changes += 1
            self._known.clear()
