"""Costs of Othello system pairings: the readings of AMB-17, a pool in rank order, and the cost of a pair of ranks.

The terms are exactly those of PAIRING.md 1, in its order: second byes, rematches, differences, then digits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.tournament.pairing_constraints import Constraints

#: M40P-9: the dummy that an odd pool is completed with has this many wins
DUMMY_WINS = -1


class Direction(StrEnum):
    """Which opponent the highest undecided player meets. M40P-9, M40P9-6: the lowest possible. M40P17-5: the highest
    possible."""

    LOWEST = "lowest"
    HIGHEST = "highest"


class Profile(StrEnum):
    """AMB-17: what "equal wins, else a difference of 1, 2, 3" minimises: large differences, or unequal pairs."""

    WORST_FIRST = "worst_first"
    SAME_FIRST = "same_first"


class Floater(StrEnum):
    """AMB-17: whether differences are counted over the whole pool, or kept small player by player from the top."""

    LITERAL = "literal"
    TOP_DOWN = "top_down"


@dataclass(frozen=True, slots=True)
class OthelloSystemRules:
    """Named readings under which a pool is paired."""

    direction: Direction = Direction.LOWEST
    profile: Profile = Profile.WORST_FIRST
    floater: Floater = Floater.LITERAL


USUAL = OthelloSystemRules()

#: a reduced pool: (wins, rank) of a few players; rank None: a player who has met nobody
Sketch = tuple[tuple[int, int | None], ...]
#: the most players of equal wins that a sketch keeps unchanged
CROWD = 12


@dataclass(frozen=True, slots=True)
class RankedPool:
    """Players in provisional rank order, best first, with their wins, meetings, byes, and the constraints (colours are
    not designated here)."""

    players: tuple[str, ...]
    wins: Mapping[str, int]
    met: Collection[frozenset[str]] = field(default_factory=frozenset)
    had_bye: Collection[str] = field(default_factory=frozenset)
    wishes: Constraints = field(default_factory=Constraints)


class CostTable:
    """Costs of pairs of ranks; the dummy of an odd pool is the last rank."""

    def __init__(self, pool: RankedPool, rules: OthelloSystemRules) -> None:
        players = pool.players
        rank = {name: index for index, name in enumerate(players)}
        odd = len(players) % 2
        self.size = len(players) + odd
        self._rules = rules
        self._wins = [pool.wins[name] for name in players] + [DUMMY_WINS] * odd
        self._dummy = len(players) if odd else -1
        self._had_bye = {rank[name] for name in pool.had_bye if name in rank}
        met = (sorted(rank[name] for name in pair) for pair in pool.met if all(name in rank for name in pair))
        self._met = {(low, high) for low, high in met}
        self.spread = max(self._wins) - min(self._wins) if self._wins else 0
        self.width = 2 if rules.floater is Floater.TOP_DOWN else 2 + self.spread
        self._wishes = pool.wishes
        self._players = players
        self._kinds: dict[tuple[bool, bool, int], tuple[int, ...]] = {}

    def counts(self, high: int, low: int) -> tuple[int, ...]:
        """Return the priorities of a pair: M40P-5 second bye, M40P-6 rematch, M40P-7 and 8 difference."""
        difference = abs(self._wins[high] - self._wins[low])
        kind = (low == self._dummy and high in self._had_bye, (high, low) in self._met, difference)
        if kind not in self._kinds:
            second_bye, rematch, _ = kind
            self._kinds[kind] = (int(second_bye), int(rematch), *self._count(difference))
        return self._kinds[kind]

    def _count(self, difference: int) -> tuple[int, ...]:
        if self._rules.floater is Floater.TOP_DOWN:
            return ()
        levels = range(1, self.spread + 1)
        if self._rules.profile is Profile.WORST_FIRST:
            return tuple(int(difference == level) for level in reversed(levels))
        # most equal pairs first, then most with a difference of 1, …: fewest pairs that are 1, 2, … or more apart
        return tuple(int(difference >= level) for level in levels)

    def digit(self, high: int, low: int) -> int:
        """Return 0 for the opponent that the direction prefers most, higher for others; under ``top_down`` the
        difference comes first."""
        steps = self.size - 1 - low if self._rules.direction is Direction.LOWEST else low - high - 1
        if self._rules.floater is Floater.TOP_DOWN:
            return abs(self._wins[high] - self._wins[low]) * self.size + steps
        return steps

    def wins(self, rank: int) -> int:
        return self._wins[rank]

    def allowed(self, high: int, low: int) -> bool:
        """Return whether the constraints allow a pair of ranks."""
        if not self._wishes:
            return True
        if low == self._dummy:
            return self._wishes.allows_bye(self._players[high])
        return self._wishes.allows(self._players[high], self._players[low])

    def sketch(self, ranks: Iterable[int], target: tuple[int, ...]) -> Sketch | None:
        """Return (wins, rank or None) of these ranks, with every group of equal wins reduced to a few players who have
        met nobody, so that a bound on their cost is found quickly.

        No matching that costs ``target`` takes more players out of a group than it has pairs of unequal wins, so the
        rest of a group is enough for it. Under ``top_down`` the target does not give that number: return None.
        """
        if self._rules.floater is Floater.TOP_DOWN:
            return None
        unequal = sum(target[2:]) if self._rules.profile is Profile.WORST_FIRST else sum(target[2:3])
        crowd = max(CROWD, unequal)
        groups: dict[int, list[int]] = {}
        for rank in ranks:
            groups.setdefault(self._wins[rank], []).append(rank)
        drawn: list[tuple[int, int | None]] = []
        for wins, members in groups.items():
            if len(members) > crowd + 1:
                drawn += [(wins, None)] * (crowd + (len(members) - crowd) % 2)
            else:
                drawn += [(wins, rank) for rank in members]
        return tuple(drawn)

    def sketched(self, one: tuple[int, int | None], other: tuple[int, int | None]) -> tuple[int, ...]:
        """Return ``counts`` of two players in a sketch."""
        if one[1] is not None and other[1] is not None:
            return self.counts(min(one[1], other[1]), max(one[1], other[1]))
        return (0, 0, *self._count(abs(one[0] - other[0])))
