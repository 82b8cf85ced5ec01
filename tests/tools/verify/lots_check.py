"""Lots drawn from an event's recorded seed, implemented a second time (docs/reference/formats.md): SplitMix64.

Without ``random_seed`` the lots are unknown, and the functions return nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from verify.event_parsing import ParsedEvent

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
#: purposes of a draw, as numbered in docs/reference/formats.md
PAIRS, ENTRIES, TEAMS, BRACKET = 0, 2, 4, 6


class RecordedLots:
    """The random numbers of one draw, by their index from 0."""

    def __init__(self, seed: int, round_: int, purpose: int) -> None:
        self._state = seed & _MASK
        for part in (seed >> 64, round_, purpose):
            self._state = self[0] ^ part & _MASK

    def __getitem__(self, index: int) -> int:
        z = (self._state + (index + 1) * _STEP) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)


def lots(event: ParsedEvent, purpose: int, round_: int = 0) -> RecordedLots | None:
    seed = event.options.get("random_seed")
    return None if seed is None else RecordedLots(seed, round_, purpose)


def bounded_number(drawn: RecordedLots, at: int, bound: int) -> tuple[int, int]:
    """Return (a number from 0 to bound - 1, the index where the next begins)."""
    while drawn[at] >= (1 << 64) - (1 << 64) % bound:
        at += 1
    return drawn[at] % bound, at + 1


def shuffled(drawn: RecordedLots, names: Sequence[str]) -> list[str]:
    order, at = list(names), 0
    for last in range(len(order) - 1, 0, -1):
        other, at = bounded_number(drawn, at, last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def lots_of_entries(event: ParsedEvent) -> dict[str, int]:
    """Return a lot for each player, where a larger one is higher: those of the file, or the seed's where the file has
    none. Players who missed round 1 and have none rank below those who have one. If others have none either, it is
    unknown which were drawn when: then only the lots of the missing players are returned.
    """
    own = {name: entry.lot for name, entry in event.entries.items() if entry.lot is not None}
    drawn = lots(event, ENTRIES)
    away = event.options.get("absences", {}).get("1", ())
    first = set(event.rounds[0].players) if event.rounds else set()
    late = {
        name
        for name, entry in event.entries.items()
        if name not in own
        and (name in away or entry.withdrawn_after_round == 0 or (entry.absent and name not in first))
    }
    if drawn is None or (own and len(own) + len(late) < len(event.entries)):
        return own
    below_all = 2**64 if own else 0
    return {name: own.get(name, drawn[index] - below_all) for index, name in enumerate(event.entries)}
