"""Exact minimum-cost perfect matching on integers of any width.

- The answer is optimal, or an error is raised; there is no heuristic and no silent overflow.
- The solver is rustworkx's blossom algorithm in 128-bit integers, which verifies its answer by its dual solution
  (measured: exact to 125 bits of cost, an error above). Wider costs, as 32 teams have with 14 rounds, use networkx's
  in Python integers.
- Lexicographic criteria should be solved one after another: see ``othello_system_pairing``,
  which split wide costs into chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from engine.tournament.event_model import TournamentError

# Edge pruning for matchings: the pairs that a cheapest pairing can use.
#
# - Prices of players and of odd groups that no pair undercuts (a feasible dual solution) add up to a lower bound of
#   every pairing. A pair whose cost exceeds its prices by more than the gap between that bound and a known pairing is
#   in no cheapest pairing, so leaving it out changes nothing.
# - Costs are doubled inside, so that halves of two prices stay integers.

Pair = tuple[int, int]
Solve = Callable[[int, Mapping[Pair, int]], tuple[Pair, ...]]
#: with larger costs sums might exceed 64 bits
MOST_BITS = 46
#: pairs up to half of this above their prices are tried first
NEAR = 2000
#: this many pairs of each player, of those that cost no more than their prices, are tried before all
FEW = 60


def prune_edges(
    count: int, costs: Mapping[Pair, int], solve: Solve
) -> tuple[list[Pair], tuple[Pair, ...] | None] | None:
    """Return the pairs that a cheapest perfect matching of 0 … count - 1 may use, and one such matching if the bound
    proves it; None if the pairs cannot be determined.

    :param costs: from 0, of ``MOST_BITS`` at most; a pair that is missing is not allowed
    :param solve: any solver of perfect matchings; it raises ValueError where there is none
    """
    never = 4 * max(costs.values()) + 4
    ends = np.array(list(costs), dtype=np.int64)
    above = np.full((count, count), never, dtype=np.int64)
    values = np.fromiter(costs.values(), dtype=np.int64, count=len(costs))
    above[ends[:, 0], ends[:, 1]] = above[ends[:, 1], ends[:, 0]] = values
    prices = _prices(above)
    above = 2 * above - prices[:, None] - prices
    bound = int(prices.sum()) + _price_odd_groups(above)
    reduced = above[ends[:, 0], ends[:, 1]]
    few = reduced <= 0
    few &= _pseudo_random_numbers(ends) % (1 + few.sum() // (FEW * count)) == 0
    near = [few, *(reduced <= NEAR * 8**step for step in range(16) if NEAR * 8**step < 2 * never)]
    for some in near:
        try:
            found = solve(count, {(i, j): costs[i, j] for i, j in ends[some].tolist()})
        except ValueError:
            continue
        gap = 2 * sum(costs[pair] for pair in found) - bound
        if gap and some is few:
            continue
        return [(i, j) for i, j in ends[reduced <= gap].tolist()], None if gap else found
    return None


def _pseudo_random_numbers(ends: Any) -> Any:
    """Return a pseudo-random number for each pair, independent of its order and the same on every machine."""
    number = ends[:, 0] * 0x9E3779B1 + ends[:, 1] * 0x85EBCA77
    number = (number ^ (number >> 15)) % (1 << 31) * 0x2C1B3C6D
    return (number ^ (number >> 17)) % (1 << 31)


def _prices(costs: Any) -> Any:
    """Return a price of every player, doubled, so that no two players' prices exceed what they cost together: those of
    the cheapest assignment of everybody to an opponent (the Hungarian method)."""
    count = len(costs)
    column = costs.min(axis=0)
    row = (costs - column).min(axis=1)
    row_of = np.full(count, -1)
    column_of = np.full(count, -1)
    for i in range(count):
        free = np.flatnonzero((costs[i] - row[i] - column == 0) & (row_of < 0))
        if len(free):
            row_of[free[0]], column_of[i] = i, free[0]
    for start in np.flatnonzero(column_of < 0).tolist():
        _assign(costs, row, column, row_of, column_of, start)
    return row + column


def _assign(costs: Any, row: Any, column: Any, row_of: Any, column_of: Any, start: int) -> None:
    """Assign a column to one more row along the shortest path, and update the prices."""
    far = 1 << 62
    distance = costs[start] - row[start] - column
    before = np.full(len(costs), start)
    open_ = np.ones(len(costs), dtype=bool)
    passed: list[int] = []
    while True:
        last = int(np.where(open_, distance, far).argmin())
        length = distance[last]
        open_[last] = False
        if row_of[last] < 0:
            break
        passed.append(last)
        at = row_of[last]
        through = length + costs[at] - row[at] - column
        shorter = open_ & (through < distance)
        distance = np.where(shorter, through, distance)
        before[shorter] = at
    row[start] += length
    shift = length - distance[passed]
    row[row_of[passed]] += shift
    column[passed] -= shift
    while True:
        at = before[last]
        row_of[last] = at
        column_of[at], last = last, column_of[at]
        if at == start:
            return


def _price_odd_groups(above: Any) -> int:
    """Subtract in place, for each odd group of near players, the cost of its cheapest pair to the outside from all of
    these pairs, and return the sum over all groups. An odd group has at least one player who meets somebody outside."""
    total = 0
    while odd := [group for group in _groups(above <= 0) if group.sum() % 2]:
        for group in odd:
            out, back = np.ix_(group, ~group), np.ix_(~group, group)
            price = int(above[out].min())
            above[out] -= price
            above[back] -= price
            total += price
    return total


def _groups(near: Any) -> Iterator[Any]:
    """Yield the connected groups of players as masks."""
    left = np.ones(len(near), dtype=bool)
    while left.any():
        group = np.zeros(len(near), dtype=bool)
        new = np.zeros(len(near), dtype=bool)
        new[left.argmax()] = True
        while new.any():
            group |= new
            new = near[new].any(axis=0) & ~group
        left &= ~group
        yield group


#: from this many players on, excluding unusable pairs first saves time
MANY = 150
#: the solver multiplies weights by small factors inside 128 bits
WIDEST = 1 << 120


class MatchingError(TournamentError):
    """No perfect matching exists."""


def min_cost_matching(count: int, costs: Mapping[Pair, int]) -> tuple[Pair, ...]:
    """Return pairs that cover 0 … count - 1, each once, at the smallest total cost.

    :param costs: the cost of each allowed pair ``(i, j)`` with i < j, any integer; a pair that is missing is forbidden
    :raises MatchingError: if ``count`` is odd, or the allowed pairs cannot cover everybody
    """
    if count == 0:
        return ()
    if count % 2:
        raise MatchingError.saying("{count} players cannot be paired without a bye; add the bye first", count=count)
    if not costs:
        raise MatchingError.saying("no pair is allowed; lift a forbidden pair")
    usable, found = _prune(count, costs)
    return _solve(count, usable) if found is None else found


def pruned_costs(count: int, costs: Mapping[Pair, int]) -> Mapping[Pair, int]:
    """Return the costs without pairs that no cheapest matching uses, as far as that can be determined quickly."""
    return _prune(count, costs)[0]


def _prune(count: int, costs: Mapping[Pair, int]) -> tuple[Mapping[Pair, int], tuple[Pair, ...] | None]:
    """Return (the costs of the pairs that a cheapest matching may use, one such matching), each as far as it can be
    determined quickly."""
    if count <= MANY or not costs or min(costs.values()) < 0 or max(costs.values()).bit_length() > MOST_BITS:
        return costs, None
    pairs, found = prune_edges(count, costs, _solve) or (costs, None)
    return {pair: costs[pair] for pair in pairs}, found


def _solve(count: int, costs: Mapping[Pair, int]) -> tuple[Pair, ...]:
    low, high = min(costs.values()), max(costs.values())
    wide = (high - low + 1) * (count + 1) >= WIDEST
    pairs = reference_matching(costs) if wide else _solve_by_rustworkx(count, costs)
    if sorted(i for pair in pairs for i in pair) != list(range(count)):
        raise MatchingError.saying("the allowed pairs cannot cover every player; lift a forbidden pair")
    return pairs


def _solve_by_rustworkx(count: int, costs: Mapping[Pair, int]) -> tuple[Pair, ...]:
    import rustworkx as rx  # of the extra head; standings and lists need no solver

    high = max(costs.values())
    graph = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(count))
    graph.add_edges_from([(i, j, high - cost + 1) for (i, j), cost in costs.items()])
    found = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int, verify_optimum=True)
    return tuple(sorted((min(pair), max(pair)) for pair in found))


def reference_matching(costs: Mapping[Pair, int]) -> tuple[Pair, ...]:
    """Return as many pairs as possible at the smallest total, on integers of any width: the reference solver."""
    import networkx as nx  # takes a fifth of a second

    high = max(costs.values())
    graph = nx.Graph()
    graph.add_weighted_edges_from((i, j, high - cost + 1) for (i, j), cost in costs.items())
    found = nx.max_weight_matching(graph, maxcardinality=True)
    return tuple(sorted((min(pair), max(pair)) for pair in found))


def total_cost(pairs: tuple[Pair, ...], costs: Mapping[Pair, int]) -> int:
    """Return the cost of a matching; KeyError if it uses a forbidden pair."""
    return sum(costs[pair] for pair in pairs)
