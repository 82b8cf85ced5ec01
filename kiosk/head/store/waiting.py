"""The commands that wait for their tables, remembered, because every table asks for its own every two seconds.

The law: what ``of`` gives is what the store holds. Memory follows each commit before anybody is told of it; after a
commit that failed, and of what was read while something changed, nothing is remembered.
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


class Waiting(Generic[T]):
    def __init__(self, read: Callable[[int], tuple[T, ...]]) -> None:
        """``read``: the unanswered commands of a table from the store, in the order they were given."""
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

    def remembered(self, table: int) -> tuple[T, ...] | None:
        """The same without a look into the store; None if it needs one."""
        with self._lock:
            return self._known.get(table)

    def given(self, orders: Iterable[T]) -> None:
        """These were committed."""
        with self._lock:
            self._changes += 1
            for order in orders:
                if order.table in self._known:
                    self._known[order.table] += (order,)

    def answered(self, table: int, ids: frozenset[str]) -> None:
        """The table's answers to these were committed."""
        with self._lock:
            self._changes += 1
            if table in self._known:
                self._known[table] = tuple(order for order in self._known[table] if order.id not in ids)

    def forget(self) -> None:
        """Nobody knows what was committed."""
        with self._lock:
            self._changes += 1
            self._known.clear()
