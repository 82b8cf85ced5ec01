"""The cheapest pairing by plain search, for as many players as that is possible.

The law: ``cheapest`` is exact and slow, ``improvement`` is quick and finds only what two pairs can gain by an exchange.
Both prove what they say: a pairing that is reported as too dear is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

#: up to here every pairing is looked at
EXACT = 14

Cost = Callable[[int, int], int]


def cheapest(count: int, cost: Cost) -> int:
    """The smallest total cost of a perfect matching of 0 … count - 1; ``count`` is even."""
    best: dict[int, int] = {0: 0}

    def solve(left: int) -> int:
        if left not in best:
            first = (left & -left).bit_length() - 1
            rest = left & ~(1 << first)
            others = (j for j in range(first + 1, count) if rest >> j & 1)
            best[left] = min(cost(first, j) + solve(rest & ~(1 << j)) for j in others)
        return best[left]

    return solve((1 << count) - 1)


def improvement(pairs: Sequence[tuple[int, int]], cost: Cost) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Two pairs whose players would be cheaper in another arrangement; None if no exchange of two pairs gains."""
    price = [cost(*sorted(pair)) for pair in pairs]
    for x, (a, b) in enumerate(pairs):
        for y in range(x):
            c, d = pairs[y]
            now = price[x] + price[y]
            for one, other in (((a, c), (b, d)), ((a, d), (b, c))):
                if cost(*sorted(one)) + cost(*sorted(other)) < now:
                    return pairs[y], pairs[x]
    return None
