"""Othello system pairing of one pool (PAIRING.md 1, for M40P-4 to 9, M40P17-1 to 6 and M40P9-1 to 6).

- Priorities: as few second byes as possible, then as few rematches, then as few large differences in wins. The rest is
  settled from the provisional top: each player meets the lowest (or highest) opponent that keeps all this.
- The answer is unique, whatever exact solver is used.
- The costs are wider than any machine word: they are minimised in chunks that the solver can hold, and pairs that no
  optimum uses are dropped between the chunks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from engine.tournament.event_model import WIN
from engine.tournament.min_cost_matching import WIDEST, MatchingError, Pair, min_cost_matching
from engine.tournament.pairing_history_and_constraints import Constraints, History

# Costs of Othello system pairings: the readings of AMB-17, a pool in rank order, and the cost of a pair of ranks.
#
# The terms are exactly those of PAIRING.md 1, in its order: second byes, rematches, differences, then digits.

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


def ranked_pool_of(history: History, order: Sequence[str]) -> RankedPool:
    """Return the past of players given in rank order, as the Othello system needs it."""
    records = {name: history.records[name] for name in order}
    return RankedPool(
        tuple(order),
        {name: record.score // WIN for name, record in records.items()},
        frozenset(frozenset(pair) for pair in history.meetings if records.keys() >= set(pair)),
        frozenset(name for name, record in records.items() if record.byes),
        history.wishes,
    )


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
        other = None if low == self._dummy else self._players[low]
        return self._wishes.allows_entry(self._players[high], other)

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


Counts = tuple[int, ...]

#: up to this many undecided players a solve costs less than the search for evident pairs
FEW = 100


@dataclass(frozen=True, slots=True)
class PoolPairing:
    """Pairs in rank order, the higher player first. ``cost`` is (second byes, rematches, pairs with the largest
    possible difference, …, pairs with a difference of 1); see ``CostTable`` for the other readings. ``requested``: byes
    that the operator set."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None
    cost: tuple[int, ...]
    requested: tuple[str, ...] = ()


def pair_pool(pool: RankedPool, rules: OthelloSystemRules = USUAL) -> PoolPairing:
    """Return the one pairing of a pool that the rules allow."""
    requested = tuple(name for name in pool.players if name in pool.wishes.byes)
    pool = replace(pool, players=tuple(name for name in pool.players if name not in requested))
    pairs = _Search(CostTable(pool, rules)).run()
    size = len(pool.players)
    names = tuple((pool.players[i], pool.players[j]) for i, j in pairs if j < size)
    bye = next((pool.players[i] for i, j in pairs if j == size), None)
    return PoolPairing(names, bye, cost_of(pool, names, bye, rules), requested)


def cost_of(
    pool: RankedPool, pairs: Sequence[tuple[str, str]], bye: str | None, rules: OthelloSystemRules
) -> tuple[int, ...]:
    """Return the cost of any pairing of a pool, as ``PoolPairing.cost``; tuples compare from the left."""
    table = CostTable(pool, rules)
    counts = [table.counts(*pair) for pair in _ranks(pool, pairs, bye)]
    return tuple(sum(count[criterion] for count in counts) for criterion in range(table.width))


def next_choice(
    pool: RankedPool, pairs: Sequence[tuple[str, str]], bye: str | None, without: str, rules: OthelloSystemRules
) -> tuple[str, ...] | None:
    """Return whom a player would meet if not his opponent in the best pairing: (the other,), () for the bye. None if
    that would cost more, or somebody above him would have to change.

    :param pairs: the best pairing of the pool
    :param without: the higher of a pair, or the player with the bye
    """
    found = _Search(CostTable(pool, rules)).next_after(_ranks(pool, pairs, bye), pool.players.index(without))
    return None if found is None else pool.players[found : found + 1]


def _ranks(pool: RankedPool, pairs: Sequence[tuple[str, str]], bye: str | None) -> list[Pair]:
    """Return the ranks of the players of each pair, the higher first; the dummy is below all."""
    rank = {name: index for index, name in enumerate(pool.players)}
    matched = [_sorted_pair(rank[one], rank[other]) for one, other in pairs]
    return matched if bye is None else [*matched, (rank[bye], len(rank))]


def player_without_pair(order: Sequence[str], pairs: Sequence[tuple[str, str]]) -> str | None:
    paired = {name for pair in pairs for name in pair}
    return next((name for name in order if name not in paired), None)


class _Search:
    """Lexicographic minimum over all perfect matchings, a few criteria at a time.

    ``_edges`` are the pairs that some optimum may still use, ``_partner`` is one optimum of the criteria settled so
    far.
    """

    def __init__(self, table: CostTable) -> None:
        self._table = table
        size = table.size
        self._left = list(range(size))
        edges = [(i, j) for i in range(size) for j in range(i + 1, size) if table.allowed(i, j)]
        self._edges: dict[Pair, Counts] = {(i, j): table.counts(i, j) for i, j in edges}
        self._partner: dict[int, int] = {}
        self._bounds: dict[tuple[Sketch, Counts], bool] = {}
        #: criteria whose optimum is known and not 0, which later solves must keep
        self._held: list[int] = []
        self._best = [0] * table.width

    def run(self) -> list[Pair]:
        if not self._left:
            return []
        todo = list(range(self._table.width))
        while todo:
            todo = self._settle(todo)
        decided: list[Pair] = []
        while self._left:
            pair = self._evident() if len(self._left) > FEW else None
            decided += self._fix([pair] if pair else self._solved_top())
        self._check(decided)
        return sorted(decided)

    def next_after(self, pairs: Sequence[Pair], high: int) -> int | None:
        """Return the rank that a player meets if not the one of these pairs, which are an optimum; None as in
        ``next_choice``."""
        self._partner = dict(pairs) | {j: i for i, j in pairs}
        for pair in pairs:
            self._best = list(_sum(tuple(self._best), self._edges[pair]))
        self._drop(range(self._table.width))
        self._fix([pair for pair in pairs if pair[0] < high])
        if found := self._evident(self._table.digit(high, self._partner[high])):
            return found[1]
        del self._edges[high, self._partner[high]]
        if not self._edges:
            return None
        try:
            self._solved_top()
        except MatchingError:
            return None
        spent = [self._edges[one, other] for one, other in self._partner.items() if one < other]
        return self._partner[high] if [sum(column) for column in zip(*spent, strict=True)] == self._best else None

    def _settle(self, todo: list[int]) -> list[int]:
        """Find the optimum of the next criteria, drop the pairs that no optimum uses and return the criteria left."""
        base = len(self._left) // 2 + 1
        capacity = max(1, _digits_below(base, self._widest()) - len(self._held))
        criteria, rest = [*self._held, *todo[:capacity]], todo[capacity:]
        weight = {counts: _weight(counts, criteria, base) for counts in set(self._edges.values())}
        chosen = self._solve({pair: weight[counts] for pair, counts in self._edges.items()})
        for criterion in criteria:
            self._best[criterion] = sum(self._edges[pair][criterion] for pair in chosen)
        self._drop([criterion for criterion in range(self._table.width) if criterion not in rest])
        return rest

    def _drop(self, settled: Iterable[int]) -> None:
        """Drop the pairs that would exceed the optimum of settled criteria."""
        spared = [criterion for criterion in settled if not self._best[criterion]]
        self._held = [criterion for criterion in settled if self._best[criterion]]
        useless = {counts for counts in set(self._edges.values()) if any(counts[c] for c in spared)}
        if useless:
            self._edges = {pair: counts for pair, counts in self._edges.items() if counts not in useless}

    def _evident(self, beyond: int = -1) -> Pair | None:
        """Return the final pair of the highest undecided player, if it can be determined without solving the whole
        pool: every preferred opponent is excluded by a bound, and the next can be paired with him at no cost. Only
        opponents with a larger digit than ``beyond`` are considered."""
        high = self._left[0]
        ruled_out: set[int] = set()
        for low in self._open_opponents(high):
            if self._table.digit(high, low) <= beyond:
                continue
            counts = self._edges.get((high, low))
            wins = self._table.wins(low)
            if counts is None or wins in ruled_out:
                continue
            if self._swap_partners(high, low):
                return high, low
            target = tuple(best - count for best, count in zip(self._best, counts, strict=True))
            sketch = self._table.sketch([rank for rank in self._left if rank not in (high, low)], target)
            if sketch is None or not self._too_dear(sketch, target):
                return None
            if (wins, None) in sketch and not any(counts[:2]):
                ruled_out.add(wins)  # the sketch is the same for all of them
        return None

    def _too_dear(self, sketch: Sketch, target: Counts) -> bool:
        """Return whether the players of a sketch cost more than the target."""
        if (sketch, target) not in self._bounds:
            self._bounds[sketch, target] = self._lower_bound(sketch) > target
        return self._bounds[sketch, target]

    def _lower_bound(self, sketch: Sketch) -> Counts:
        """Return a lower bound of the cost of a sketch's players."""
        pairs = {(i, j): self._table.sketched(sketch[i], sketch[j]) for j in range(len(sketch)) for i in range(j)}
        criteria, base = range(self._table.width), len(sketch) // 2 + 1
        weight = {counts: _weight(counts, criteria, base) for counts in set(pairs.values())}
        total = (0,) * self._table.width
        if base ** len(criteria) * (len(sketch) + 1) < WIDEST:
            for pair in min_cost_matching(len(sketch), {pair: weight[counts] for pair, counts in pairs.items()}):
                total = _sum(total, pairs[pair])
        return total

    def _open_opponents(self, high: int) -> Sequence[int]:
        """Return the undecided opponents of the highest undecided player, the preferred one first."""
        return sorted(self._left[1:], key=lambda low: self._table.digit(high, low))

    def _swap_partners(self, high: int, low: int) -> bool:
        """Pair the two in the current optimum, if their partners can meet each other, or exchange partners with one
        more pair, at no cost."""
        one, other = self._partner[high], self._partner[low]
        if one == low:
            return True
        gain = _sum(self._edges[_sorted_pair(high, one)], self._edges[_sorted_pair(low, other)])
        counts = self._edges[high, low]
        if self._add_pair_counts(counts, [(one, other)]) == gain:
            self._join([(high, low), (one, other)])
            return True
        for third in self._left:
            fourth = self._partner[third]
            if third in (high, low, one, other):
                continue
            before = _sum(gain, self._edges[_sorted_pair(third, fourth)])
            if self._add_pair_counts(counts, [(one, third), (other, fourth)]) == before:
                self._join([(high, low), (one, third), (other, fourth)])
                return True
        return False

    def _add_pair_counts(self, counts: Counts, pairs: Sequence[Pair]) -> Counts | None:
        """Return the sum of these counts and those of the pairs; None if one of the pairs is in no optimum."""
        for pair in pairs:
            edge = self._edges.get(_sorted_pair(*pair))
            if edge is None:
                return None
            counts = _sum(counts, edge)
        return counts

    def _join(self, pairs: Sequence[Pair]) -> None:
        for one, other in pairs:
            self._partner[one], self._partner[other] = other, one

    def _solved_top(self) -> list[Pair]:
        """Return the final pairs of as many of the highest undecided players as one solve can hold."""
        base = len(self._left) // 2 + 1
        weight = {counts: _weight(counts, self._held, base) for counts in set(self._edges.values())}
        digit = self._table.digit
        bits = max(1, max(digit(high, low) for high, low in self._edges).bit_length())
        players = max(1, ((self._widest() // (max(weight.values()) + 1)).bit_length() - 1) // bits)
        shift = {player: bits * (players - 1 - index) for index, player in enumerate(self._left[:players])}
        costs: dict[Pair, int] = {}
        for (high, low), counts in self._edges.items():
            cost = weight[counts] << (bits * players)
            costs[high, low] = cost + (digit(high, low) << shift[high]) if high in shift else cost
        return [pair for pair in self._solve(costs) if pair[0] in shift]

    def _fix(self, pairs: list[Pair]) -> list[Pair]:
        """Remove decided pairs from the search."""
        criteria = self._held
        for pair in pairs:
            self._best = [best - count for best, count in zip(self._best, self._edges[pair], strict=True)]
        fixed = {player for pair in pairs for player in pair}
        self._left = [player for player in self._left if player not in fixed]
        for pair in [pair for pair in self._edges if pair[0] in fixed or pair[1] in fixed] if len(fixed) > 2 else ():
            del self._edges[pair]
        if len(fixed) == 2:
            for player in fixed:
                for other in (*self._left, *fixed):
                    self._edges.pop(_sorted_pair(player, other), None)
        if not all(self._best[criterion] for criterion in criteria):
            self._drop(range(self._table.width))
        return pairs

    def _solve(self, costs: Mapping[Pair, int]) -> list[Pair]:
        place = {player: index for index, player in enumerate(self._left)}
        found = min_cost_matching(len(place), {(place[i], place[j]): cost for (i, j), cost in costs.items()})
        pairs = [(self._left[i], self._left[j]) for i, j in found]
        self._partner = dict(pairs) | {j: i for i, j in pairs}
        return pairs

    def _widest(self) -> int:
        """Return the largest cost of a pair with which the solver stays inside its integers."""
        return WIDEST // (len(self._left) + 1) - 2

    def _check(self, pairs: Sequence[Pair]) -> None:
        """Verify the answer: everybody is paired once, and the settled criteria are at their optimum."""
        players = sorted(player for pair in pairs for player in pair)
        if players != list(range(self._table.size)) or any(self._best):
            raise MatchingError.saying(
                "the pairing's penalty differs from the computed optimum; report this event file"
            )


def _weight(counts: tuple[int, ...], criteria: Sequence[int], base: int) -> int:
    value = 0
    for criterion in criteria:
        value = value * base + counts[criterion]
    return value


def _digits_below(base: int, bound: int) -> int:
    """Return how many digits in ``base`` a number may have to stay below ``bound``."""
    digits = 0
    while (bound := bound // base) > 0:
        digits += 1
    return digits


def _sum(one: Counts, other: Counts) -> Counts:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _sorted_pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)
