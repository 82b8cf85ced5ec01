"""Reproducible lots: a SplitMix64 generator seeded from the event's recorded seed.

Every lot can be drawn again from the event file, on any machine and with any Python version; Python's ``random``
guarantees that only for some methods. SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from engine.tournament.event_model import Event
from engine.tournament.pairing_history_and_constraints import has_withdrawn

T = TypeVar("T")
_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


class LotDraw:
    """Stream of lots. ``seed`` is any whole number >= 0; ``round_`` and ``purpose`` separate independent draws."""

    def __init__(self, seed: int, round_: int = 0, purpose: int = 0) -> None:
        self._state = seed & _MASK
        for part in (seed >> 64, round_, purpose):
            self._state = (self.next64() ^ part) & _MASK

    def next64(self) -> int:
        """Return a number from 0 to 2**64 - 1."""
        number = self.ahead(0)
        self.skip(1)
        return number

    def skip(self, count: int) -> None:
        """Skip so many numbers."""
        self._state = (self._state + count * _STEP) & _MASK

    def ahead(self, index: int) -> int:
        """Return the number that ``next64`` would give after ``index`` others."""
        z = (self._state + (index + 1) * _STEP) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound - 1, all equally likely."""
        limit = (1 << 64) - (1 << 64) % bound
        while (lot := self.next64()) >= limit:
            pass
        return lot % bound

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return a random permutation (Fisher-Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order


def lots_of_entries(event: Event) -> dict[str, int]:
    """Return one lot for every player for the whole event; a larger one is higher (M40K).

    It is the ``lot`` of the entry if everybody present in round 1 has one, else drawn from the recorded seed. A late
    entry at the end of the list changes no other lot; without a lot of its own it is below all who have one.
    """
    drawn = LotDraw(event.options.random_seed or 0, purpose=2)
    lots = {player.id: drawn.next64() for player in event.players}
    own = {player.id: player.lot for player in event.players if player.lot is not None}
    away = event.options.absences.get("1", ())
    there = (player.id for player in event.players if player.id not in away and not has_withdrawn(player, 0))
    if any(name not in own for name in there):
        return lots
    return {name: own.get(name, lot - 2**64) for name, lot in lots.items()}
