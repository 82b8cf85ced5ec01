"""The Othello system in one pool: PAIRING.md 1, for M40P-4 to 9, M40P17-1 to 6 and M40P9-1 to 6.

The law: as few second byes as possible, then as few rematches, then as few large differences in wins; what is then
still open is settled from the provisional top, each player meeting the lowest (or highest) opponent that keeps all
this. The answer is unique, so an exact solver has no choice. The costs are wider than any machine word: they are
minimised in chunks that the solver can hold, and a choice that no optimum uses is dropped between the chunks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from engine.tournament.constraints import Constraints
from engine.tournament.matching import WIDEST, MatchingError, Pair, cheapest_matching

#: M40P-9: the dummy that an odd pool is completed with has this many wins
DUMMY_WINS = -1


class Direction(StrEnum):
    """Whom the highest undecided player meets. M40P-9, M40P9-6: the lowest possible. M40P17-5: the highest possible."""

    LOWEST = "lowest"
    HIGHEST = "highest"


class Profile(StrEnum):
    """AMB-17: what "equal wins, else a difference of 1, 2, 3" makes fewest: large differences, or unequal pairs."""

    WORST_FIRST = "worst_first"
    SAME_FIRST = "same_first"


class Floater(StrEnum):
    """AMB-17: whether differences are counted over the whole pool, or kept small player by player from the top."""

    LITERAL = "literal"
    TOP_DOWN = "top_down"


@dataclass(frozen=True, slots=True)
class Rules:
    """The named readings under which a pool is paired."""

    direction: Direction = Direction.LOWEST
    profile: Profile = Profile.WORST_FIRST
    floater: Floater = Floater.LITERAL


@dataclass(frozen=True, slots=True)
class RankedPool:
    """Players in provisional rank order, best first, with their wins, who has met whom, who has had a bye, and what the
    operator wishes (colours are not designated here)."""

    players: tuple[str, ...]
    wins: Mapping[str, int]
    met: Collection[frozenset[str]] = field(default_factory=frozenset)
    had_bye: Collection[str] = field(default_factory=frozenset)
    wishes: Constraints = field(default_factory=Constraints)


@dataclass(frozen=True, slots=True)
class PoolPairing:
    """The pairs in rank order, the higher player first. ``cost`` is (second byes, rematches, pairs with the largest
    possible difference, …, pairs with a difference of 1); see ``_count`` for the other readings. ``requested``: byes
    that the operator asked for."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None
    cost: tuple[int, ...]
    requested: tuple[str, ...] = ()


def pair_pool(pool: RankedPool, rules: Rules = Rules()) -> PoolPairing:
    """The one pairing of a pool that the rules allow."""
    requested = tuple(name for name in pool.players if name in pool.wishes.byes)
    pool = replace(pool, players=tuple(name for name in pool.players if name not in requested))
    pairs = _Search(pool, rules).run()
    size = len(pool.players)
    names = tuple((pool.players[i], pool.players[j]) for i, j in pairs if j < size)
    bye = next((pool.players[i] for i, j in pairs if j == size), None)
    return PoolPairing(names, bye, cost_of(pool, names, bye, rules), requested)


def cost_of(pool: RankedPool, pairs: Sequence[tuple[str, str]], bye: str | None, rules: Rules) -> tuple[int, ...]:
    """What any pairing of a pool costs, as ``PoolPairing.cost``; shorter tuples are better from the left."""
    table = _Table(pool, rules)
    rank = {name: index for index, name in enumerate(pool.players)}
    total = [0] * table.width
    matched = [(rank[one], rank[other]) for one, other in pairs] + ([] if bye is None else [(rank[bye], len(rank))])
    for one, other in matched:
        _add(total, table.counts(min(one, other), max(one, other)))
    return tuple(total)


def digits_of(pool: RankedPool, pairs: Sequence[tuple[str, str]], bye: str | None, rules: Rules) -> tuple[int, ...]:
    """PAIRING.md 1, number 4: how far each player, from the top, is from the opponent that his direction wants."""
    table = _Table(pool, rules)
    rank = {name: index for index, name in enumerate(pool.players)}
    digits = [0] * table.size
    for one, other in pairs:
        high, low = sorted((rank[one], rank[other]))
        digits[high] = table.digit(high, low)
    if bye is not None:
        digits[rank[bye]] = table.digit(rank[bye], len(rank))
    return tuple(digits)


class _Table:
    """What a pair of ranks counts for; the dummy of an odd pool is the last rank."""

    def __init__(self, pool: RankedPool, rules: Rules) -> None:
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
        self._kinds: dict[tuple[bool, bool, int], tuple[int, ...]] = {}

    def counts(self, high: int, low: int) -> tuple[int, ...]:
        """The priorities of a pair: M40P-5 second bye, M40P-6 rematch, M40P-7 and 8 difference."""
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
        """0 for the opponent that the direction wants most; under ``top_down`` the difference comes first."""
        steps = self.size - 1 - low if self._rules.direction is Direction.LOWEST else low - high - 1
        if self._rules.floater is Floater.TOP_DOWN:
            return abs(self._wins[high] - self._wins[low]) * self.size + steps
        return steps


class _Search:
    """Lexicographic minimum over all perfect matchings, a few criteria at a time."""

    def __init__(self, pool: RankedPool, rules: Rules) -> None:
        self._table = _Table(pool, rules)
        size = self._table.size
        self._left = list(range(size))
        edges = [(i, j) for i in range(size) for j in range(i + 1, size) if _allowed(pool, i, j)]
        self._edges: dict[Pair, tuple[int, ...]] = {(i, j): self._table.counts(i, j) for i, j in edges}
        #: the criteria whose optimum is known and not 0: later solves must keep it
        self._held: list[int] = []
        self._best: dict[int, int] = {}

    def run(self) -> list[Pair]:
        if not self._left:
            return []
        todo = list(range(self._table.width))
        while todo:
            todo = self._settle(todo)
        decided: list[Pair] = []
        while self._left:
            decided += self._decide_top()
        self._check(decided)
        return sorted(decided)

    def _settle(self, todo: list[int]) -> list[int]:
        """Finds the optimum of the next criteria, drops the pairs that no optimum uses; returns the criteria left."""
        base = len(self._left) // 2 + 1
        room = max(1, _digits_below(base, self._widest()) - len(self._held))
        criteria, rest = [*self._held, *todo[:room]], todo[room:]
        weight = {counts: _weight(counts, criteria, base) for counts in set(self._edges.values())}
        chosen = self._solve({pair: weight[counts] for pair, counts in self._edges.items()})
        for criterion in criteria:
            self._best[criterion] = sum(self._edges[pair][criterion] for pair in chosen)
        self._drop()
        return rest

    def _drop(self) -> None:
        """Forgets the pairs that would spend what every optimum saves."""
        spared = [criterion for criterion, best in self._best.items() if not best]
        useful = {counts: not any(counts[c] for c in spared) for counts in set(self._edges.values())}
        self._edges = {pair: counts for pair, counts in self._edges.items() if useful[counts]}
        self._held = sorted(criterion for criterion, best in self._best.items() if best)

    def _decide_top(self) -> list[Pair]:
        """The final pairs of as many of the highest undecided players as one solve can hold."""
        base = len(self._left) // 2 + 1
        weight = {counts: _weight(counts, self._held, base) for counts in set(self._edges.values())}
        table = self._table
        widest = max(table.digit(high, low) for high, low in self._edges)
        bits = max(1, widest.bit_length())
        players = max(1, ((self._widest() // (max(weight.values()) + 1)).bit_length() - 1) // bits)
        top = {player: players - 1 - index for index, player in enumerate(self._left[:players])}
        costs: dict[Pair, int] = {}
        for (high, low), counts in self._edges.items():
            cost = weight[counts] << (bits * players)
            costs[high, low] = cost + (table.digit(high, low) << (bits * top[high])) if high in top else cost
        decided = [pair for pair in self._solve(costs) if pair[0] in top]
        for pair in decided:
            for criterion in self._held:
                self._best[criterion] -= self._edges[pair][criterion]
        gone = {player for pair in decided for player in pair}
        self._left = [player for player in self._left if player not in gone]
        self._edges = {p: counts for p, counts in self._edges.items() if p[0] not in gone and p[1] not in gone}
        self._drop()
        return decided

    def _solve(self, costs: Mapping[Pair, int]) -> list[Pair]:
        place = {player: index for index, player in enumerate(self._left)}
        found = cheapest_matching(len(place), {(place[i], place[j]): cost for (i, j), cost in costs.items()})
        return [(self._left[i], self._left[j]) for i, j in found]

    def _widest(self) -> int:
        """The largest cost of a pair with which the solver stays inside its integers."""
        return WIDEST // (len(self._left) + 1) - 2

    def _check(self, pairs: Sequence[Pair]) -> None:
        """Counts the answer again: everybody once, and nothing spent that the first solves had saved."""
        players = sorted(player for pair in pairs for player in pair)
        if players != list(range(self._table.size)) or any(self._best.values()):
            raise MatchingError("the pairing does not cost what its own optimum costs; report this event file")


def _allowed(pool: RankedPool, high: int, low: int) -> bool:
    """Whether the operator's wishes leave a pair of ranks."""
    if not pool.wishes:
        return True
    if low == len(pool.players):
        return pool.wishes.allows_bye(pool.players[high])
    return pool.wishes.allows(pool.players[high], pool.players[low])


def _weight(counts: tuple[int, ...], criteria: Sequence[int], base: int) -> int:
    value = 0
    for criterion in criteria:
        value = value * base + counts[criterion]
    return value


def _digits_below(base: int, bound: int) -> int:
    """How many digits in ``base`` a number may have to stay below ``bound``."""
    digits = 0
    while (bound := bound // base) > 0:
        digits += 1
    return digits


def _add(total: list[int], counts: Sequence[int]) -> None:
    for index, count in enumerate(counts):
        total[index] += count
