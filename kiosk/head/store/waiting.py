"""The commands that wait for their tables, remembered, because every table asks for its own every two seconds.

The law: what ``of`` gives is what the store holds. A commit that may have changed a table's commands makes them
forgotten before anybody is told of it, and what was read meanwhile is not remembered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Waiting(Generic[T]):
    def __init__(self, read: Callable[[int], T]) -> None:
        self._read = read
        self._known: dict[int, T] = {}
        self._changes = 0
        self._lock = threading.Lock()

    def of(self, table: int) -> T:
        with self._lock:
            if table in self._known:
                return self._known[table]
            changes = self._changes
        found = self._read(table)
        with self._lock:
            if self._changes == changes:
                self._known[table] = found
        return found

    def changed(self, tables: Iterable[int]) -> None:
        """What waits for these tables may be another now."""
        with self._lock:
            self._changes += 1
            for table in tables:
                self._known.pop(table, None)
