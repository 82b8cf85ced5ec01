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
        self._woken: tuple[Callable[P, None], ...] = ()

    def connect(self, listener: Callable[P, None]) -> None:
        self._woken += (listener,)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        for listener in self._woken:
            listener(*args, **kwargs)


@dataclass(frozen=True, slots=True)
class Signals:
    """The head's signals; created before every other component.

    ``changed``: pages may show something else. ``acted``: an act was done at the desk, and automatic steps may follow.
    ``arrived``: a table sent records from which automatic steps may follow. ``ordered``: commands wait for these
    tables.
    """

    state_changed: Signal[[]] = field(default_factory=Signal)
    act_committed: Signal[[]] = field(default_factory=Signal)
    records_received: Signal[[]] = field(default_factory=Signal)
    orders_queued: Signal[[Collection[int]]] = field(default_factory=Signal)
