"""Minimum-cost pairing by simple search, for as many players as that is possible.

``cheapest`` is exact and slow; ``cheapest_of_many`` uses rustworkx, whose integers are 128 bits wide; ``improvement``
finds gains from exchanging two pairs, however wide the costs are. A pairing reported as too expensive is proven to be
so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import rustworkx as rx

#: up to this many players every pairing is tried
EXACT = 14
#: up to this many pairs the costs are compared digit by digit
MANY = 64
#: bits that rustworkx adds without overflow
WIDEST = 118

Cost = Callable[[int, int], int]


def cheapest(count: int, cost: Cost) -> int:
    """Return the smallest total cost of a perfect matching of 0 … count - 1; ``count`` is even."""
    costs = {(i, j): cost(i, j) for j in range(count) for i in range(j)}
    best: dict[int, int] = {0: 0}

    def solve(left: int) -> int:
        if left not in best:
            first = (left & -left).bit_length() - 1
            rest = left & ~(1 << first)
            others = (j for j in range(first + 1, count) if rest >> j & 1)
            best[left] = min(costs[first, j] + solve(rest & ~(1 << j)) for j in others)
        return best[left]

    return solve((1 << count) - 1)


def cheapest_of_many(count: int, cost: Cost) -> tuple[int, int]:
    """Return (how many low bits were left out, the smallest total cost of a perfect matching without them)."""
    costs = {(i, j): cost(i, j) for j in range(count) for i in range(j)}
    high = max(costs.values())
    shift = max(0, high.bit_length() + count.bit_length() - WIDEST)
    graph = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(count))
    graph.add_edges_from([(i, j, (high >> shift) - (price >> shift) + 1) for (i, j), price in costs.items()])
    found = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return shift, sum(costs[min(pair), max(pair)] >> shift for pair in found)


def exceeds_optimum(pairs: Sequence[tuple[int, int]], cost: Cost, digit: int = 0) -> bool:
    """Return whether another pairing of this many players is certainly cheaper.

    :param digit: if the costs end in digits, one for each player from the top, the weight of one digit relative to the
        next. As many digits are compared at once as the solver can hold; the pairs of these players are then fixed, and
        left out
    """
    if not digit or len(pairs) > MANY:
        shift, best = cheapest_of_many(2 * len(pairs), cost)
        spent = sum(cost(min(pair), max(pair)) >> shift for pair in pairs)
        # the bits cut off the best pairing are less than one unit for each of its pairs
        return spent > best if not shift else spent >= best + len(pairs)
    left = [(min(pair), max(pair)) for pair in pairs]
    while left:
        names = sorted(name for pair in left for name in pair)
        # settled digits are removed from below the part above all digits
        room = digit ** (2 * len(pairs) - names[0])
        costs = {}
        for i, j in combinations(names, 2):
            above, digits = divmod(cost(i, j), digit ** (2 * len(pairs)))
            costs[i, j] = above * room + digits
        cut, high = 0, max(costs.values())
        while high.bit_length() + len(names).bit_length() > WIDEST:
            cut, high = cut + 1, high // digit
        costs = {pair: price // digit**cut for pair, price in costs.items()}
        if sum(costs[pair] for pair in left) > _cheapest_among(names, costs):
            return True
        rest = [pair for pair in left if pair[0] >= 2 * len(pairs) - cut]
        if len(rest) == len(left):
            return False  # no digit fits beside the part above all digits
        left = rest
    return False


def _cheapest_among(names: Sequence[int], costs: Mapping[tuple[int, int], int]) -> int:
    return cheapest_of_many(len(names), lambda i, j: costs[names[i], names[j]])[1]


def improvement(pairs: Sequence[tuple[int, int]], cost: Cost) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return two pairs whose players would be cheaper in another arrangement; None if no exchange of two pairs
    gains.
    """
    price = [cost(*sorted(pair)) for pair in pairs]
    for x, (a, b) in enumerate(pairs):
        for y in range(x):
            c, d = pairs[y]
            now = price[x] + price[y]
            for one, other in (((a, c), (b, d)), ((a, d), (b, c))):
                if cost(*sorted(one)) + cost(*sorted(other)) < now:
                    return pairs[y], pairs[x]
    return None
