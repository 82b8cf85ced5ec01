"""Othello system pairing (PAIRING.md 1): published answers, all matchings of small pools, and a second exact solver."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from events.lines import next_round
from known_answers import known_json
from oracles import othello_system as oracle

from engine.tournament import othello_system_pairing as othello_system
from engine.tournament.min_cost_matching import MatchingError
from kiosk.records.event_file import from_dict

READINGS = {
    "worst_first": (othello_system.Profile.WORST_FIRST, othello_system.Floater.LITERAL),
    "same_first": (othello_system.Profile.SAME_FIRST, othello_system.Floater.LITERAL),
    "top_down": (othello_system.Profile.WORST_FIRST, othello_system.Floater.TOP_DOWN),
}


def digits_of(
    pool: othello_system.RankedPool,
    pairs: Sequence[tuple[str, str]],
    bye: str | None,
    rules: othello_system.OthelloSystemRules,
) -> tuple[int, ...]:
    """Return the digits of PAIRING.md 1, number 4.

    Each is a player's distance, from the top, to the opponent that the direction wants.
    """
    table = othello_system.CostTable(pool, rules)
    rank = {name: index for index, name in enumerate(pool.players)}
    digits = [0] * table.size
    for one, other in pairs:
        high, low = sorted((rank[one], rank[other]))
        digits[high] = table.digit(high, low)
    if bye is not None:
        digits[rank[bye]] = table.digit(rank[bye], len(rank))
    return tuple(digits)


def pairs_of(pool: othello_system.RankedPool, rules: othello_system.OthelloSystemRules) -> set[frozenset[str]]:
    pairing = othello_system.pair_pool(pool, rules)
    return {frozenset(pair) for pair in pairing.pairs} | ({frozenset((pairing.bye, "BYE"))} if pairing.bye else set())


@pytest.mark.parametrize("direction", list(othello_system.Direction))
@pytest.mark.parametrize("reading", list(READINGS))
def test_published_cases(reading: str, direction: othello_system.Direction):
    cases = known_json("rules/pairing_cases.json")["cases"]
    profile, floater = READINGS[reading]
    for case in cases:
        players = case["players_in_rank_order"]
        pool = othello_system.RankedPool(
            tuple(p["name"] for p in players),
            {p["name"]: p["wins"] for p in players},
            frozenset(frozenset(pair) for pair in case["met"]),
            frozenset(case["had_bye"]),
        )
        answer = case["all_readings"][f"{reading}/{direction}"]
        rules = othello_system.OthelloSystemRules(direction, profile, floater)
        assert pairs_of(pool, rules) == {frozenset(pair) for pair in answer["pairs"]}, case["title"]
        assert othello_system.pair_pool(pool, rules).cost[:2] == (answer["repeat_byes"], answer["rematches"])
        if reading == "worst_first":
            by_difference = {
                str(d): n for d, n in enumerate(reversed(othello_system.pair_pool(pool, rules).cost[2:]), start=1) if n
            }
            wanted = {d: n for d, n in answer["pairs_by_win_difference"].items() if d != "0"}
            assert by_difference == wanted, case["title"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, 400, 100))
def test_every_matching_of_small_events(seed: int):
    """The pairing is the cheapest of all matchings.

    Events have withdrawals, byes, rematches, forfeits, both rankings, directions, profiles and floaters.
    """
    for one in range(seed + 20_000, seed + 20_100):
        event = oracle.random_event(random.Random(one))
        assert oracle.paired_by_engine(event) == oracle.expected(event), one


@pytest.mark.slow
@pytest.mark.parametrize("crowd", [0, 1])
def test_bounds_by_reduced_groups_are_exact(crowd: int, monkeypatch: pytest.MonkeyPatch):
    """Reducing groups of equal wins to a few players, forced here in small pools, changes no pairing."""
    monkeypatch.setattr(othello_system, "CROWD", crowd)
    monkeypatch.setattr(othello_system, "FEW", 0)
    for one in range(40_000 + 1000 * crowd, 40_150 + 1000 * crowd):
        event = oracle.random_event(random.Random(one))
        assert oracle.paired_by_engine(event) == oracle.expected(event), one


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_larger_pools_agree_with_big_integers(seed: int):
    """Solving chunks under 2**120 equals one solve with integers of any width."""
    rng = random.Random(seed)
    pool = random_pool(rng, count=rng.randint(21, 34))
    for direction in ("lowest", "highest"):
        for profile, floater in READINGS.values():
            ranked = othello_system.RankedPool(
                tuple(pool["order"]), pool["wins"], frozenset(pool["met"]), frozenset(pool["byes"])
            )
            answer = oracle.best_by_big_integers(pool, direction, profile, floater)
            assert (
                pairs_of(
                    ranked, othello_system.OthelloSystemRules(othello_system.Direction(direction), profile, floater)
                )
                == answer
            )


def random_pool(rng: random.Random, count: int, rounds: int = 6, locality: int = 5) -> dict[str, Any]:
    names = [f"p{i}" for i in range(count)]
    wins = {name: sum(rng.random() < 0.5 for _ in range(rounds)) for name in names}
    order = sorted(names, key=lambda name: -wins[name])
    near = [(i, i + rng.randint(1, locality)) for i in range(count) for _ in range(rounds // 2)]
    met = {frozenset((order[i], order[j])) for i, j in near if j < count}
    return {"order": order, "wins": wins, "met": met, "byes": set(rng.sample(names, min(count, rounds)))}


def test_the_order_of_entry_does_not_matter():
    """The same players in another order of the file get the same pairs, because the optimum is unique."""
    rng = random.Random(7)
    for seed in range(40):
        event = oracle.random_event(random.Random(seed))
        answer = oracle.paired_by_engine(event)
        rng.shuffle(event["players"])
        for round_ in event["rounds"]:
            rng.shuffle(round_["games"])
        assert oracle.paired_by_engine(event) == answer


@pytest.mark.slow
def test_wide_costs_at_260_players():
    """PAIRING.md: the class cost alone has 71 bits at 260 players.

    No swap of two partners lowers the cost, digits included.
    """
    pool = random_pool(random.Random(260), count=260, rounds=7, locality=40)
    ranked = othello_system.RankedPool(
        tuple(pool["order"]), pool["wins"], frozenset(pool["met"]), frozenset(pool["byes"])
    )
    for direction in othello_system.Direction:
        rules = othello_system.OthelloSystemRules(direction)
        pairing = othello_system.pair_pool(ranked, rules)
        assert pairing.cost == othello_system.cost_of(ranked, pairing.pairs, pairing.bye, rules)
        full_cost = (pairing.cost, digits_of(ranked, pairing.pairs, pairing.bye, rules))
        pairs = list(pairing.pairs)
        rng = random.Random(1)
        for _ in range(60):
            a, b = sorted(rng.sample(range(len(pairs)), 2))
            (one, other), (third, fourth) = pairs[a], pairs[b]
            for swapped in ([(one, third), (other, fourth)], [(one, fourth), (other, third)]):
                tried = [*pairs[:a], *pairs[a + 1 : b], *pairs[b + 1 :], *swapped]
                cost = (
                    othello_system.cost_of(ranked, tried, pairing.bye, rules),
                    digits_of(ranked, tried, pairing.bye, rules),
                )
                assert cost > full_cost


def test_known_pools_of_one_and_two():
    alone = othello_system.RankedPool(("p1",), {"p1": 3})
    assert othello_system.pair_pool(alone).bye == "p1"
    assert othello_system.pair_pool(alone).cost == (0, 0, 1, 0, 0, 0)
    two = othello_system.RankedPool(("p1", "p2"), {"p1": 1, "p2": 1}, frozenset({frozenset(("p1", "p2"))}))
    assert othello_system.pair_pool(two).pairs == (("p1", "p2"),)
    assert othello_system.pair_pool(two).cost == (0, 1)
    assert othello_system.pair_pool(othello_system.RankedPool((), {})).pairs == ()


def test_impossible_constraints_are_refused():
    from engine.tournament.pairing_history_and_constraints import Constraints

    pool = othello_system.RankedPool(("p1", "p2"), {"p1": 1, "p2": 1}, wishes=Constraints(forbidden=(("p1", "p2"),)))
    with pytest.raises(MatchingError, match="forbidden"):
        othello_system.pair_pool(pool)


def test_tie_break_example_of_nine_players():
    """Ranks before each round, and pairs of all rounds, are those of tiebreak_league9.json."""
    example = known_json("rules/tiebreak_league9.json")
    event: dict[str, Any] = {
        "schema": "othello-event/1",
        "format": "othello-pool",
        "players": [{"id": name, "lot": lot} for name, lot in example["lots"].items()],
        "rounds": [],
    }
    for round_ in example["rounds"]:
        games = next_round(from_dict(event)).games
        pairs = {frozenset((g["black"], g["white"])) for g in games if "black" in g}
        assert pairs == {frozenset(game["pair"]) for game in round_["games"]}
        assert [g["bye"] for g in games if "bye" in g] == [round_["bye"]]
        played: list[dict[str, Any]] = [
            {"black": g["winner"], "white": next(p for p in g["pair"] if p != g["winner"]), "winner": "black"}
            for g in round_["games"]
        ]
        event["rounds"].append({"round": round_["round"], "games": [*played, {"bye": round_["bye"]}]})


def test_forfeited_pairings_are_not_meetings():
    """PAIRING.md 4: a forfeited game is no meeting, so that the two can be paired."""
    games = [{"black": "p1", "white": "p2", "winner": "black", "end": "forfeit"}]
    event: dict[str, Any] = {
        "schema": "othello-event/1",
        "format": "othello-pool",
        "players": [{"id": "p1", "lot": 1}, {"id": "p2", "lot": 2}],
        "rounds": [{"round": 1, "games": games}],
    }
    assert next_round(from_dict(event)).warnings == ()
    games[0]["end"] = "normal"
    assert any("rematch" in str(warning) for warning in next_round(from_dict(event)).warnings)
