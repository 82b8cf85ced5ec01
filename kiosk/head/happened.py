"""Something happened: how the head's parts wake each other without knowing each other.

The law: nobody is told what happened, only that something did; whoever is woken looks for himself, so a call that comes
twice, or before anybody listens, changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Generic, ParamSpec

P = ParamSpec("P")


class Signal(Generic[P]):
    """Calls everybody it wakes, in the order in which they were added. From any thread."""

    def __init__(self) -> None:
        self._woken: tuple[Callable[P, None], ...] = ()

    def wakes(self, listener: Callable[P, None]) -> None:
        self._woken += (listener,)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        for listener in self._woken:
            listener(*args, **kwargs)


@dataclass(frozen=True, slots=True)
class Happened:
    """Made before every other part. ``changed``: what a page shows may be another. ``acted``: somebody did something
    at the desk, and more may follow. ``arrived``: a table sent what more may follow from. ``ordered``: orders wait
    for these tables."""

    changed: Signal[[]] = field(default_factory=Signal)
    acted: Signal[[]] = field(default_factory=Signal)
    arrived: Signal[[]] = field(default_factory=Signal)
    ordered: Signal[[Collection[int]]] = field(default_factory=Signal)
