"""Brightwell Swiss pairing: known answers for every penalty, the optimum by brute force, reproducible draws."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from events.lines import next_round
from oracles import swiss as oracle

from engine.tournament import Event, EventError, cost_of_round
from engine.tournament.lots_and_leagues import LotDraw
from engine.tournament.pairing_history_and_constraints import History, PlayerHistory, history_before
from engine.tournament.swiss_pairing import PairingPenalty, Prices, SwissPool, pool_costs
from kiosk.records.event_file import from_dict


def event_of(players: int | list[dict[str, Any]], rounds: list[list[dict[str, Any]]], seed: int = 1) -> dict[str, Any]:
    if isinstance(players, int):
        players = [{"id": f"p{i}"} for i in range(1, players + 1)]
    return {
        "schema": "othello-event/1",
        "format": "swiss",
        "options": {"random_seed": seed},
        "players": players,
        "rounds": [{"round": n, "games": games} for n, games in enumerate(rounds, start=1)],
    }


def game(black: str, white: str, winner: str = "black", **more: object) -> dict[str, Any]:
    return {"black": black, "white": white, "winner": winner, **more}


def prices_of(event: Event, history: History) -> Prices:
    return Prices(event, history, SwissPool(tuple(history.records)))


def penalty_of(data: dict[str, Any], black: str, white: str) -> PairingPenalty:
    event = from_dict(data)
    return prices_of(event, history_before(event, len(event.rounds) + 1)).pair(black, white)


def test_the_four_player_example():
    """In the published example A and C won with Black.

    Its costs have no country term, and 1 000 000 000 for a rematch in the same colours where PAIRING.md has the cap of
    10 000 000.
    """
    data = event_of(
        [{"id": p} for p in "ABCD"], [[game("A", "B"), game("C", "D")]]
    )  # fmt: skip
    assert penalty_of(data, "A", "C").total == penalty_of(data, "C", "A").total == 120
    assert penalty_of(data, "B", "D").total == penalty_of(data, "D", "B").total == 120
    assert (penalty_of(data, "A", "D").total, penalty_of(data, "D", "A").total) == (41028, 40788)
    assert (penalty_of(data, "B", "C").total, penalty_of(data, "C", "B").total) == (40788, 41028)
    assert (penalty_of(data, "A", "B").total, penalty_of(data, "B", "A").total) == (10_041_029, 5_040_789)
    assert next_round(from_dict(data)).cost["penalty"] == 240
    for player in data["players"]:
        player["country"] = "JPN"
    assert next_round(from_dict(data)).cost["penalty"] == 244


def test_the_cost_lists_each_term():
    data = event_of([{"id": p, "country": "XXX"} for p in "ABCD"], [[game("A", "B"), game("C", "D")]])
    cost = next_round(from_dict(data)).cost
    assert cost == {
        "penalty": 244, "colour": 240, "float": 0, "repetition": 0, "country": 4, "elitism": 0, "rule": 0,
    }  # fmt: skip


def test_colour_after_the_game_and_same_colour_again():
    data = event_of(6, [[game("p1", "p2"), game("p3", "p4")], [game("p1", "p3"), game("p2", "p4")]])
    # p1 had Black twice, p4 White twice: balance 3 costs 225, the same colour again 15
    assert penalty_of(data, "p1", "p4").colour == 2 * (225 + 15)
    assert penalty_of(data, "p4", "p1").colour == 2 * 20
    # p2 had White, then Black; p5 never played
    assert penalty_of(data, "p2", "p5").colour == 20 + 15 + 20


def test_floating_the_same_way_again():
    rounds = [
        [game("p1", "p2"), game("p3", "p4"), game("p5", "p6")],
        [game("p1", "p4"), game("p3", "p2"), game("p5", "p6")],  # p1, p3 and p5 float down and win
    ]
    data = event_of(6, rounds)
    assert penalty_of(data, "p1", "p2").float == 87119 + 25 + 25  # p1 down again, p2 up again
    assert penalty_of(data, "p1", "p3").float == 0
    data["rounds"].append({"round": 3, "games": [game("p1", "p3"), game("p2", "p6"), game("p4", "p5", "white")]})
    assert penalty_of(data, "p5", "p3").float == 40588 + 25  # only p5 floated in the last round
    assert penalty_of(data, "p3", "p2").float == 40588


def test_compensating_floats():
    """A player who floated up and lost may now float down, and one who floated down and won may float up."""
    rounds = [
        [game("p1", "p2"), game("p3", "p4", "draw"), game("p5", "p6"), game("p7", "p8")],
        [game("p1", "p3"), game("p4", "p2"), game("p5", "p7"), game("p6", "p8", "draw")],
    ]
    data = event_of(9, rounds)
    # scores: p1 4, p2 0, p3 1, p4 3, p5 4, p6 1, p7 2, p8 1, p9 0; p3 floated up and lost, p4 floated down and won
    assert penalty_of(data, "p3", "p9").float == 20000 - 10
    assert penalty_of(data, "p4", "p5").float == 20000 - 10
    assert penalty_of(data, "p3", "p2").float == 20000 - 10 + 25  # p2 floated up and floats up again
    assert penalty_of(data, "p7", "p9").float == 40588  # p7 lost against an equal
    # a draw is neither won nor lost
    rounds[1][0]["winner"] = rounds[1][1]["winner"] = "draw"
    data = event_of(9, rounds)
    assert penalty_of(data, "p3", "p9").float == 40588
    assert penalty_of(data, "p4", "p5").float == 40588


def test_repetition():
    data = event_of(4, [[game("p1", "p2")], [game("p3", "p4")], [game("p1", "p2")], [game("p2", "p1")]])
    assert penalty_of(data, "p1", "p2").repetition == 2 * 10_000_000 + 5_000_000 + 1
    assert penalty_of(data, "p2", "p1").repetition == 10_000_000 + 2 * 5_000_000 + 1
    assert penalty_of(data, "p3", "p4").repetition == 10_000_000
    assert penalty_of(data, "p1", "p3").repetition == 0


def test_a_forfeited_pairing_is_no_meeting_and_no_colour():
    data = event_of(4, [[game("p1", "p2", end="late"), game("p3", "p4")]])
    assert penalty_of(data, "p1", "p2").repetition == 0
    assert penalty_of(data, "p1", "p2").colour == 40
    assert penalty_of(data, "p1", "p2").float == 40588


def test_elitism_grows_with_points_and_rounds():
    rounds = [[game("p1", "p2"), game("p3", "p4")], [game("p1", "p3"), game("p4", "p2")]]
    data = event_of(4, rounds)
    assert penalty_of(data, "p1", "p2").elitism == 100 * 4 * 4 // 2  # round 3
    data = event_of(4, [*rounds, [game("p1", "p4"), game("p3", "p2")]])
    assert penalty_of(data, "p1", "p3").elitism == 200 * (6 + 4) * 2 // 2  # round 4
    assert penalty_of(data, "p3", "p1").elitism == penalty_of(data, "p1", "p3").elitism


@pytest.mark.parametrize(
    ("round_", "factor"),
    [(1, 100), (3, 100), (4, 200), (5, 200), (6, 300), (9, 300), (10, 400), (13, 400)],
)
def test_elitism_by_round(round_: int, factor: int):
    history = History(round_, {"p1": PlayerHistory(score=5), "p2": PlayerHistory(score=2)}, {})
    assert prices_of(from_dict(event_of(2, [])), history).pair("p1", "p2").elitism == factor * 7 * 3 // 2


def test_a_bye_meets_half_a_point_less_than_the_lowest():
    data = event_of(3, [[game("p1", "p2"), {"bye": "p3"}]])
    prices = prices_of(from_dict(data), history_before(from_dict(data), 2))
    assert prices.bye("p2").total == 20 + 20000
    # p3 has 2, so the float is 3; he floated down with the bye and does so again; and it is his second
    second = prices.bye("p3")
    assert (second.float, second.repetition, second.colour) == (62785 + 25, 10_000_000, 0)
    # a bye is no win below that a later float up would make up for [R]: settled by Stockholm 2018
    later = event_of(4, [[game("p1", "p2"), game("p3", "p4")], [game("p1", "p3"), {"bye": "p2"}]])
    assert penalty_of(later, "p2", "p1").float == 40588
    assert next_round(from_dict(data)).games[-1] == {"bye": "p2", "stage": "league"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(120))
def test_the_optimum_equals_brute_force(seed: int):
    """The pairing of small random events has the least penalty of all matchings."""
    assert oracle.difference(oracle.random_event(seed)) is None


@pytest.mark.parametrize("seed", range(30))
def test_the_cost_of_a_played_round(seed: int):
    """The cost of any played round equals the oracle's, and is never below the optimum."""
    data = oracle.random_event(seed + 1000)
    event = from_dict(data)
    for number in range(1, len(data["rounds"]) + 1):
        before = {**data, "rounds": data["rounds"][: number - 1]}
        games = data["rounds"][number - 1]["games"]
        if not any("black" in g for g in games):
            continue
        names = {name for g in games for name in (g.get("black"), g.get("white"), g.get("bye")) if name}
        before["players"] = [
            {"id": p["id"], "country": p["country"], "absent": p["id"] not in names} for p in data["players"]
        ]
        lowest = min(oracle.score(before, p, number) for p in names)
        cost = cost_of_round(event, number)
        assert cost == {
            "round": number, "played": oracle.price(before, games, lowest), "optimum": oracle.optimum(before),
        }  # fmt: skip
        assert cost["optimum"] <= cost["played"]


def test_the_draw_can_be_repeated_and_the_seed_matters():
    draws = {str(next_round(from_dict(event_of(20, [], seed))).games) for seed in (1, 1, 2, 3)}
    assert len(draws) == 3


def test_round_one_is_drawn_fairly():
    """Every opponent of p1 is equally likely, and so is every colour."""
    opponents: Counter[str] = Counter()
    blacks = 0
    for seed in range(300):
        for g in next_round(from_dict(event_of(4, [], seed))).games:
            if "p1" in (g["black"], g["white"]):
                blacks += g["black"] == "p1"
                opponents[str(g["white"] if g["black"] == "p1" else g["black"])] += 1
    assert set(opponents) == {"p2", "p3", "p4"}
    assert all(70 < count < 130 for count in opponents.values())
    assert 120 < blacks < 180


def test_lots_never_outweigh_a_penalty():
    """In round 1, where every pair costs 40, all lots together stay below one unit of penalty."""
    event = from_dict(event_of(30, []))
    pool = SwissPool(tuple(player.id for player in event.players))
    history = history_before(event, 1)
    costs = pool_costs(history, pool, Prices(event, history, pool), LotDraw(1)).values()
    unit = min(costs) // 40
    assert 15 * (max(costs) - min(costs)) < unit
    assert len(set(costs)) == len(costs)


@pytest.mark.parametrize("swapped", [False, True])
def test_equal_colourings_swap_the_last_difference(swapped: bool):
    """Where both colourings cost the same, the colours of the last round in which the two differed are swapped."""
    one, two = ("p2", "p1") if swapped else ("p1", "p2")
    first, second = [game(one, "p5"), game("p6", two)], [game("p5", one, "white"), game(two, "p6")]
    third = [game("p5", "p6")]
    data = event_of(6, [first, second, third])
    for player in data["players"][2:]:
        player["absent"] = True
    assert penalty_of(data, one, two).total == penalty_of(data, two, one).total
    (only,) = next_round(from_dict(data)).games
    assert (only["black"], only["white"]) == (one, two)


def test_tables_are_numbered_from_the_top():
    data = event_of(6, [[game("p5", "p6"), game("p1", "p2", "draw"), game("p3", "p4")]])
    games = next_round(from_dict(data)).games
    assert [g["table"] for g in games] == [1, 2, 3]
    assert {games[0]["black"], games[0]["white"]} == {"p5", "p3"}


def test_warnings_name_players():
    players = [{"id": "p1", "name": "Ann"}, {"id": "p2", "name": "Bo"}, {"id": "p3", "name": "Cy"}]
    data = event_of(players[:2], [[game("p1", "p2")], [game("p1", "p2")], [game("p1", "p2")]])
    del data["options"]["random_seed"]
    warnings = "\n".join(map(str, next_round(from_dict(data)).warnings))
    assert "rematch: Bo and Ann already met in round 1, 2, 3" in warnings
    assert "random_seed" in warnings
    data = event_of(players, [[game("p1", "p2"), {"bye": "p3"}], [game("p1", "p3"), {"bye": "p2"}]])
    data["rounds"].append({"round": 3, "games": [game("p2", "p3"), {"bye": "p1"}]})
    assert any("second bye" in str(warning) for warning in next_round(from_dict(data)).warnings)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (event_of(1, []), "two or more"),
        (event_of(2, [[{"black": "p1", "white": "p2", "table": 4}]]), "table 4 of round 1, p1 – p2 has no winner"),
        ({**event_of(2, []), "format": "m41-open"}, "must be one of"),
    ],
)
def test_refusals(data: dict[str, Any], words: str):
    with pytest.raises(EventError, match=words):
        next_round(from_dict(data))


def test_a_missing_round_has_no_cost():
    with pytest.raises(EventError, match="no round 2"):
        cost_of_round(from_dict(event_of(2, [[game("p1", "p2")]])), 2)
