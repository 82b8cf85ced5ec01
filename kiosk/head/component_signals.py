"""Signals between components of the head. Handlers receive no state and must re-read it.

A signal that is sent twice, or before a listener is registered, changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Generic, ParamSpec

P = ParamSpec("P")


class Signal(Generic[P]):
    """A list of listeners, called in the order in which they were added. May be called from any thread."""

    def __init__(self) -> None:
        self._listeners: tuple[Callable[P, None], ...] = ()

    def connect(self, listener: Callable[P, None]) -> None:
        self._listeners += (listener,)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        for listener in self._listeners:
            listener(*args, **kwargs)


@dataclass(frozen=True, slots=True)
class Signals:
    """The head's signals; created before every other component.

    ``state_changed``: pages may show something else. ``act_committed``: the desk acted, and automatic steps
    may follow. ``records_received``: a table sent records from which automatic steps may follow. ``orders_queued``:
    commands wait for these tables. None is sent while the desk's lock is held.
    """

    state_changed: Signal[[]] = field(default_factory=Signal)
    act_committed: Signal[[]] = field(default_factory=Signal)
    records_received: Signal[[]] = field(default_factory=Signal)
    orders_queued: Signal[[Collection[int]]] = field(default_factory=Signal)
