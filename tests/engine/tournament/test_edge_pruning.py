"""Edge pruning for matchings: every pair that an optimum uses is kept, and the total is unchanged."""

from __future__ import annotations

import itertools
import random

import networkx
import pytest
from oracles.othello_system import matchings

from engine.tournament.lots_and_leagues import LotDraw
from engine.tournament.min_cost_matching import Pair, _solve, min_cost_matching, prune_edges, total_cost


def random_costs(rng: random.Random, count: int) -> dict[Pair, int]:
    """Return costs of players in groups, as by score: low within a group, forbidden or high for a few pairs."""
    group = [rng.randrange(3) for _ in range(count)]
    costs = {}
    for i, j in itertools.combinations(range(count), 2):
        if rng.random() < 0.9:
            costs[i, j] = 20_000 * abs(group[i] - group[j]) + rng.choice((0, 0, 20, 105, 5_000_000))
    return costs


@pytest.mark.parametrize("seed", range(60))
def test_pruning_keeps_every_pair_of_every_optimum(seed: int):
    rng = random.Random(seed)
    count = rng.choice((6, 8))
    costs = random_costs(rng, count)
    possible = [m for m in matchings(tuple(range(count))) if all(pair in costs for pair in m)]
    if not possible:
        return
    best = min(total_cost(m, costs) for m in possible)
    found = prune_edges(count, costs, _solve)
    assert found is not None
    remaining, optimum = found
    assert {pair for m in possible if total_cost(m, costs) == best for pair in m} <= set(remaining)
    assert optimum is None or total_cost(optimum, costs) == best


@pytest.mark.parametrize("seed", range(3))
def test_the_cost_of_a_large_field_equals_that_of_networkx(seed: int):
    rng = random.Random(seed)
    costs = random_costs(rng, 152)
    graph = networkx.Graph()
    graph.add_weighted_edges_from((i, j, cost) for (i, j), cost in costs.items())
    peer = tuple((min(pair), max(pair)) for pair in networkx.min_weight_matching(graph))
    assert total_cost(min_cost_matching(152, costs), costs) == total_cost(peer, costs)


def test_lots_drawn_ahead_equal_those_drawn_in_order():
    lots, same = LotDraw(7, 3), LotDraw(7, 3)
    ahead = [lots.ahead(index) for index in range(5)]
    assert ahead == [same.next64() for _ in range(5)]
    lots.skip(5)
    assert lots.next64() == same.next64()
