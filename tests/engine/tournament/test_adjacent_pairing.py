"""Adjacent pairing: comparison with all possible matchings of random pools."""

from __future__ import annotations

import random

import pytest
from oracles.othello_system import matchings

from engine.tournament.adjacent_pairing import cost_of_neighbours, pair_neighbours
from engine.tournament.event_model import EventError
from engine.tournament.pairing_history_and_constraints import History, PlayerHistory


def past(names: list[str], met: set[tuple[str, str]], byes: set[str]) -> History:
    records = {name: PlayerHistory(byes=int(name in byes)) for name in names}
    return History(3, records, {pair: [1] for pair in met})


def random_pool(rng: random.Random, count: int) -> tuple[list[str], set[tuple[str, str]], set[str]]:
    names = [f"p{i}" for i in range(count)]
    met = {(a, b) for a in names for b in names if a != b and rng.random() < rng.choice((0.05, 0.2, 0.5))}
    return names, met, {name for name in names if rng.random() < 0.3}


def slow_cost(names: list[str], met: set[tuple[str, str]], byes: set[str], pairs: list[tuple[int, int]]) -> list[int]:
    """Return the cost of PAIRING.md 1 with direction ``highest``.

    Its parts are second byes, rematches, then for every place from the top how far below its opponent stands, 0 for the
    lower of the two.
    """
    second = sum(j == len(names) and names[i] in byes for i, j in pairs)
    again = sum(j < len(names) and bool({(names[i], names[j]), (names[j], names[i])} & met) for i, j in pairs)
    digits = dict(pairs)
    return [second, again, *(digits[i] - i - 1 if i in digits else 0 for i in range(len(names)))]


@pytest.mark.parametrize("count", range(2, 10))
def test_the_pairing_has_the_least_cost_of_all_matchings(count: int):
    rng = random.Random(count)
    places = list(range(count + count % 2))
    for _ in range(60 if count < 9 else 15):
        names, met, byes = random_pool(rng, count)
        best = min(matchings(places), key=lambda pairs: slow_cost(names, met, byes, pairs))
        pairing = pair_neighbours(past(names, met, byes), names)
        assert list(pairing.pairs) == sorted((names[i], names[j]) for i, j in best if j < count)
        assert pairing.bye == next((names[i] for i, j in best if j == count), None)
        assert list(pairing.cost[:2]) == slow_cost(names, met, byes, best)[:2]


def test_costs_of_rounds_order_like_the_slow_cost():
    rng = random.Random(1)
    for _ in range(60):
        names, met, byes = random_pool(rng, rng.choice((6, 7)))
        history = past(names, met, byes)
        played = [pairs for pairs in matchings(list(range(len(names) + len(names) % 2))) if rng.random() < 0.2]
        named = [[(names[i], names[j]) for i, j in pairs if j < len(names)] for pairs in played]
        by_cost = sorted(range(len(played)), key=lambda k: cost_of_neighbours(history, names, named[k]))
        slow = sorted(range(len(played)), key=lambda k: slow_cost(names, met, byes, played[k]))
        assert by_cost == slow
        assert all(cost_of_neighbours(history, names, pairs) >= pair_neighbours(history, names).cost for pairs in named)


def test_fewer_than_two_players_make_no_round():
    for names in ([], ["p1"]):
        with pytest.raises(EventError, match="two or more"):
            pair_neighbours(past(names, set(), set()), names)
