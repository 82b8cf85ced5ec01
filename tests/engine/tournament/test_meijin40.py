"""Two divisions of the 40th Meijin (2019) as held: every pair and every rank.

The result files contain no stages and no colours, so the formats must find league winners, brackets, semi-finals and
finals from the results alone.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest
from events.lines import next_round
from known_answers import known_json, known_text
from verify.verifier import verify

from engine.tournament import champion, cost_of_round, standings
from engine.tournament.formats.meijin40_ranking_pools_and_finals import LeagueResult, m40k17, semi_final_pairs
from engine.tournament.lots_and_leagues import draw_lots
from kiosk.records.elo_result_file_reader import read_elo
from kiosk.records.event_file import from_dict

DIVISIONS = {"women": "m40-17-32", "masters": "m40-33-64"}
ELO = "events/meijin40_{}.ELO"
ROUNDS = range(1, 7)

Json = dict[str, Any]


@functools.cache
def example(division: str) -> Json:
    data: Json = known_json(f"events/meijin40_{division}.json")
    return data


def event_as_held(division: str, rounds: int) -> Json:
    """Return the event file of the first rounds, with results from the .ELO file, and byes and lots as derived."""
    elo = read_elo(known_text(ELO.format(division)))
    facts = example(division)
    played = []
    for round_, names in zip(elo["rounds"], facts["byes_by_round"], strict=True):  # type: ignore[call-overload]
        games = [{k: v for k, v in game.items() if k != "stage"} for game in round_["games"] if "bye" not in game]
        played.append({"round": round_["round"], "games": [*games, *({"bye": str(name)} for name in names)]})
    players = [{"id": name, "lot": lot} for name, lot in facts["lots"].items()]
    return {
        "schema": "othello-event/1",
        "format": DIVISIONS[division],
        "players": players,
        "rounds": played[:rounds],
    }


def sets_of(games: Any) -> set[frozenset[str]]:
    return {frozenset((g["bye"],)) if "bye" in g else frozenset((g["black"], g["white"])) for g in games}


@pytest.mark.parametrize("number", ROUNDS)
@pytest.mark.parametrize("division", DIVISIONS)
def test_every_round_is_paired_as_it_was_played(division: str, number: int):
    """Brackets, leagues, placement pools, byes, semi-finals, final and 3rd-place game are those of the event."""
    paired = next_round(from_dict(event_as_held(division, number - 1)))
    assert sets_of(paired.games) == sets_of(event_as_held(division, number)["rounds"][-1]["games"])
    assert paired.warnings == ()


@pytest.mark.parametrize("division", DIVISIONS)
def test_every_pool_is_ranked_as_it_was(division: str):
    for pool in example(division)["pools"]:
        after = int(pool["name"][1]) - 1
        rows = standings(from_dict(event_as_held(division, after)), after).rows
        own = [row for row in rows if int(row.id) in pool["ranked"]]
        assert [int(row.id) for row in own] == pool["ranked"], pool["name"]
        assert [row.wins for row in own] == pool["wins"]
        if division == "masters":
            assert [list(row.keys[:7]) for row in own] == pool["keys"]
        else:
            assert [list(row.keys[:2]) for row in own] == [key[:2] for key in pool["keys"]]


@pytest.mark.parametrize("division", DIVISIONS)
def test_every_pool_as_played_was_optimal(division: str):
    event = from_dict(event_as_held(division, 6))
    first = cost_of_round(event, 1)  # by lots alone: halves, or a bracket
    assert first["played"] == first["optimum"]
    pools: dict[int, list[list[int]]] = {}
    for pool in example(division)["pools"]:
        pools.setdefault(int(pool["name"][1]), []).append(pool["class_cost_worst_first"])
    for number, costs in pools.items():
        price = cost_of_round(event, number)
        assert price["played"] == price["optimum"]
        played: Any = price["played"]
        for place in (0, 1, *(-d for d in range(1, max(map(len, costs)) - 1))):
            inside = [cost[place] for cost in costs if place >= 0 or len(cost) - 2 >= -place]
            assert played[place] == sum(inside), number


@pytest.mark.parametrize("division", DIVISIONS)
def test_the_final_order(division: str):
    event = from_dict(event_as_held(division, 6))
    table = standings(event)
    keys = example(division)["final_keys"]
    width = 7 if division == "masters" else 2
    assert {row.id: list(row.keys[:width]) for row in table.rows} == {name: key[:width] for name, key in keys.items()}
    top = [row.id for row in table.rows[:4]]
    if division == "masters":
        assert (champion(event), top) == ("106", ["106", "142", "101", "133"])
        others = table.rows[4:]
        assert [row.rank for row in others] == [5 + sum(o.wins > row.wins for o in others) for row in others]
    else:
        assert (champion(event), top[:3]) == ("114", ["114", "109", "126"])
        assert [row.rank for row in table.rows] == list(range(1, 31))


def test_leagues_of_the_masters():
    facts = example("masters")
    draw = draw_lots(from_dict(event_as_held("masters", 0)), leagues=True)
    assert {league: list(map(int, names)) for league, names in draw.leagues.items()} == facts["leagues"]
    assert [[int(name), from_, to] for name, from_, to in draw.moves] == facts["moved"]


def test_stages_are_derived_from_the_results():
    """The real files name no stages."""
    stages = {
        number: sorted(
            {str(game["stage"]) for game in next_round(from_dict(event_as_held("masters", number - 1))).games}
        )
        for number in ROUNDS
    }
    assert stages[2] == ["league"]
    assert stages[4] == ["league", "placement"]
    assert stages[5] == ["placement", "semi-final"]
    assert stages[6] == ["final", "placement", "third-place"]
    games = next_round(from_dict(event_as_held("women", 3))).games
    assert sum(game["stage"] == "knockout" for game in games) == 4
    assert all(game["designated"] is False for game in games if "black" in game)


@pytest.mark.parametrize("case", ["case1", "case2_upset"])
def test_the_published_upsets(case: str):
    """Of equal players the one who lost last ranks higher.

    A winner ranked below ranks above both (new_othello_ranking.json).
    """
    example_: Json = known_json("rules/new_othello_ranking.json")[case]
    order = example_["order_before"]
    won = {name: example_["wins_before"][name] for name in order}
    # a past that leads to these wins and this order: wins over the dummy, lots for the order
    lots = {name: len(order) - index for index, name in enumerate(order)}
    rounds = [
        {name: LeagueResult(won=True) for name in order if won[name] > number} for number in range(max(won.values()))
    ]
    assert [place.id for place in m40k17(lots, rounds)] == order
    last = {name: LeagueResult(result == "W", other) for name, (result, other) in example_["last"].items()}
    after = m40k17(lots, [*rounds, last])
    assert {place.id: place.keys[2] for place in after} == {name: rank for rank, name in enumerate(order, start=1)}
    assert [place.id for place in after] == example_["order_after"]
    assert {place.id: list(place.keys[:2]) for place in after} == example_["keys"]


def test_the_published_semi_finals():
    for case in known_json("rules/semifinal_13_16.json"):
        pairs = semi_final_pairs(case["order"], case["losses"], [frozenset(pair) for pair in case["met"]])
        assert [list(pair) for pair in pairs] == case["answer"]


def with_stages(division: str) -> Json:
    """Return the whole event with the stages and leagues that the program derives, round by round."""
    data = event_as_held(division, 6)
    known: Json = {**data, "rounds": []}
    for round_ in data["rounds"]:
        paired = next_round(from_dict(known)).games
        stages = {next(iter(sets_of([game]))): game for game in paired}
        games = [
            {**game, **{key: stages[next(iter(sets_of([game])))].get(key) for key in ("stage", "league")}}
            for game in round_["games"]
        ]
        known["rounds"].append({"round": round_["round"], "games": games})
    return known


@pytest.mark.parametrize("division", DIVISIONS)
def test_the_verifier_accepts_the_events_as_held(division: str):
    """The verifier finds no broken rule in the real events and their standings.

    Without stages it checks only what holds in every format.
    """
    data = with_stages(division)
    report = verify(data, standings(from_dict(data)).as_dict())
    assert report.problems == [] and len(report.checked) >= 15
    assert verify(event_as_held(division, 6)).problems == []
