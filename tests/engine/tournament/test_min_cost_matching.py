"""Minimum-cost matching: exact on integers of any width, and an error where there is none."""

from __future__ import annotations

import random

import pytest
from oracles.othello_system import matchings

from engine.tournament.lots_and_leagues import LotDraw
from engine.tournament.min_cost_matching import MatchingError, min_cost_matching, reference_matching, total_cost

KNOWN_BELOW = [692, 530, 124, 13, 731, 644, 800, 851]
KNOWN_SHUFFLE = [3, 6, 0, 5, 9, 1, 2, 8, 4, 7]


@pytest.mark.parametrize("seed", range(150))
def test_equals_brute_force(seed: int):
    rng = random.Random(seed)
    count = rng.choice((2, 4, 6, 8))
    width = rng.choice((3, 20, 70, 100))
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count) if rng.random() < 0.85]
    costs = {pair: rng.randrange(-(1 << width), 1 << width) for pair in pairs}
    possible = [m for m in matchings(tuple(range(count))) if all(pair in costs for pair in m)]
    if not possible:
        with pytest.raises(MatchingError):
            min_cost_matching(count, costs)
        return
    assert total_cost(min_cost_matching(count, costs), costs) == min(total_cost(m, costs) for m in possible)


def test_small_differences_count_beside_huge_costs():
    huge = 1 << 100
    costs = {(0, 1): huge + 1, (2, 3): huge, (0, 2): huge, (1, 3): huge, (0, 3): huge, (1, 2): huge + 1}
    assert min_cost_matching(4, costs) == ((0, 2), (1, 3))


@pytest.mark.parametrize("width", [121, 128, 400])
def test_costs_of_any_width_equal_brute_force(width: int):
    """Beyond the solver's 128 bits the same algorithm runs on Python's integers."""
    rng = random.Random(width)
    for _ in range(40):
        count = rng.choice((4, 6, 8))
        costs = {(i, j): rng.randrange(1 << width) for i in range(count) for j in range(i + 1, count)}
        found = min_cost_matching(count, costs)
        assert total_cost(found, costs) == min(total_cost(m, costs) for m in matchings(tuple(range(count))))
    with pytest.raises(MatchingError, match="forbidden"):
        min_cost_matching(4, {(0, 1): 1 << width, (0, 2): 0, (0, 3): 7})


def test_both_paths_find_the_same_total():
    """rustworkx and the Python solver agree in graphs with many odd cycles, missing edges and equal costs."""
    rng = random.Random(8)
    compared = 0
    for _ in range(200):
        count, width = rng.choice((6, 10, 14, 30)), rng.choice((1, 2, 5, 60))
        pairs = [(i, j) for i in range(count) for j in range(i + 1, count) if rng.random() < rng.choice((1, 0.4))]
        costs = {pair: rng.randrange(1 << width) for pair in pairs}
        try:
            quick = min_cost_matching(count, costs)
        except MatchingError:
            assert 2 * len(reference_matching(costs)) < count
            continue
        assert total_cost(reference_matching(costs), costs) == total_cost(quick, costs)
        compared += 1
    assert compared > 150


def test_refusals():
    with pytest.raises(MatchingError, match="bye"):
        min_cost_matching(3, {(0, 1): 1})
    with pytest.raises(MatchingError, match="forbidden"):
        min_cost_matching(4, {(0, 1): 1, (0, 2): 1, (0, 3): 1})
    assert min_cost_matching(0, {}) == ()


def test_recorded_lots_can_be_drawn_again():
    """The lots of known seeds do not change, because recorded events are drawn from them."""
    assert [LotDraw(7, 1).next64() for _ in range(2)] == [LotDraw(7, 1).next64()] * 2
    lots = LotDraw(7, 1)
    assert [lots.below(1000) for _ in range(8)] == KNOWN_BELOW
    assert LotDraw(2**70 + 5, 3).shuffled(range(10)) == KNOWN_SHUFFLE
    assert LotDraw(7, 2).next64() != LotDraw(7, 1).next64() != LotDraw(7, 1, purpose=1).next64()


def test_splitmix64_known_answers():
    """The outputs of SplitMix64 from state 1234567 are the published ones."""
    lots = LotDraw(0)
    lots._state = 1234567
    assert [lots.next64() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_lots_are_fair():
    lots = LotDraw(1)
    counts = [0] * 7
    for _ in range(7000):
        counts[lots.below(7)] += 1
    assert all(850 < count < 1150 for count in counts)
    firsts = [LotDraw(seed).shuffled(range(5))[0] for seed in range(1000)]
    assert all(150 < firsts.count(i) < 250 for i in range(5))
