"""Whole random events of every format: what the engine says of them. ``tests/verify`` checks each round by itself."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from events.random_events import event_of, othello_result, play_round, rounds_of, team_event
from verify.verifier import verify

from engine.tournament import EventError, champion, cost_of_round, is_over, next_round, standings
from engine.tournament.formats.team_matches_and_ranking import team_of
from kiosk.records.event_file import from_dict

Json = dict[str, Any]
FINALS = [{"rounds": 4, "finals": finals} for finals in ("none", "1-2", "1-4")]
EVENTS: list[tuple[str, int, Json]] = [
    *(("m43-open", count, {}) for count in (12, 15)),
    *(("m43-division", count, {}) for count in (4, 5, 6, 7, 15)),
    *(("m40-elementary", count, {}) for count in (4, 5, 6, 7, 12)),
    *((format_, 11, options) for format_ in ("swiss", "adjacent") for options in FINALS),
    *(("m40-open", count, {}) for count in (4, 5, 9, 23)),
    *(("m40-33-64", count, {}) for count in (34,)),
    *(("m40-17-32", count, {}) for count in (17, 19, 22, 27, 32)),
    *(("m40-13-16", count, {}) for count in range(13, 17)),
    *(("m40-9-12", count, {}) for count in range(9, 13)),
    *(("team", count, {}) for count in (6, 7)),
    *(("knockout", count, {"third_place": third_place}) for count in (4, 13, 16) for third_place in (False, True)),
    *(("chouchou", count, {"rounds": 4}) for count in (9, 16)),
]


def players_of(game: Json) -> frozenset[str]:
    return frozenset(game[key] for key in ("black", "white", "bye") if key in game)


def captures(_: Json, rng: random.Random) -> Json:
    """Return a result of ChouChou: pieces of both, ten or more of the winner."""
    winner = rng.choice(("black", "white"))
    pieces = {"black": rng.randint(0, 9), "white": rng.randint(0, 9), winner: rng.randint(10, 14)}
    return {"winner": winner, "black_discs": pieces["black"], "white_discs": pieces["white"], "end": "normal"}


@pytest.mark.parametrize(("format_", "count", "options"), EVENTS)
def test_an_event_goes_to_its_champion(format_: str, count: int, options: Json):
    """Every round is the cheapest, rematches come with a warning, the winner of the final is the champion and first."""
    data = team_event(count) if format_ == "team" else event_of(format_, count, count, **options)
    teams = team_of(from_dict(data))
    met: Counter[frozenset[str]] = Counter()
    result = captures if format_ == "chouchou" else othello_result
    for _, paired in rounds_of(data, random.Random(count), result):
        pairs = {frozenset(teams.get(name, name) for name in players_of(game)) for game in paired["games"]}
        chosen = [game for game in paired["games"] if game["stage"] in ("league", "placement")]
        again = {pair for game in chosen if len(pair := players_of(game)) == 2 and met[pair]}
        warned = any("rematch" in warning for warning in paired["warnings"])
        assert warned >= bool(again) and (warned or not paired["cost"].get("rematches"))
        assert format_ not in ("m43-division", "m40-elementary") or not again or paired["round"] > 3
        met.update(pair for pair in pairs if len(pair) == 2)
        cost = cost_of_round(from_dict(data), paired["round"])
        assert cost["played"] == cost["optimum"]
    event = from_dict(data)
    table = standings(event)
    assert sorted(row.id for row in table.rows) == sorted(set(teams.values()) or {p.id for p in event.players})
    assert [row.rank for row in table.rows] == sorted(row.rank for row in table.rows)
    best = champion(event)
    assert best in [row.id for row in table.rows if row.rank == 1]
    if finals := [game for game in data["rounds"][-1]["games"] if game["stage"] == "final" and "black" in game]:
        winners = Counter(teams.get(name := game[game["winner"]], name) for game in finals)
        assert best == max(winners, key=winners.__getitem__)
        finalists = {teams.get(name, name) for game in finals for name in players_of(game)}
        assert {row.id for row in table.rows[:2]} == finalists
    assert verify(data, None if format_ == "team" else table.as_dict()).problems == []
    with pytest.raises(EventError, match="over"):
        next_round(event)


@pytest.mark.parametrize("format_", ["m40-9-12", "m40-elementary", "knockout", "team"])
def test_a_draw_is_refused_where_the_players_settle_the_colours(format_: str):
    data = team_event(4) if format_ == "team" else event_of(format_, 9)
    play_round(data, random.Random(1))
    game = next(game for game in data["rounds"][0]["games"] if "bye" not in game)
    game |= {"winner": "draw", "black_discs": 32, "white_discs": 32}
    for refuse in (next_round, standings):
        with pytest.raises(EventError, match=r"no draws here.*draw right"):
            refuse(from_dict(data))


@pytest.mark.parametrize("format_", ["m43-open", "m43-division", "adjacent", "round-robin"])
def test_equal_discs_are_a_draw_where_colours_are_designated(format_: str):
    """M43-1: nobody has a draw right."""
    data = event_of(format_, 6)
    play_round(data, random.Random(1))
    data["rounds"][0]["games"][0] |= {"winner": "black", "black_discs": 32, "white_discs": 32, "end": "normal"}
    for refuse in (next_round, standings):
        with pytest.raises(EventError, match="equal discs are a draw"):
            refuse(from_dict(data))


@pytest.mark.parametrize("direction", ["lowest", "highest"])
def test_an_othello_pool_goes_on_as_long_as_its_operator_likes(direction: str):
    data = event_of("othello-pool", 9, direction=direction)
    for number in range(1, 8):
        play_round(data, random.Random(number))
        cost = cost_of_round(from_dict(data), number)
        assert cost["played"] == cost["optimum"] and not is_over(from_dict(data))
    assert champion(from_dict(data)) is None and verify(data, standings(from_dict(data)).as_dict()).problems == []


@pytest.mark.parametrize("format_", ["othello-pool", "swiss", "knockout"])
def test_who_alone_is_first_has_won_an_event_that_the_operator_ended(format_: str):
    data = event_of(format_, 8, rounds=5) if format_ == "swiss" else event_of(format_, 8)
    for number in range(2):
        play_round(data, random.Random(number))
        assert champion(from_dict(data)) is None
    data["options"]["ended_after"] = 2
    event = from_dict(data)
    first = [row.id for row in standings(event).rows if row.rank == 1]
    assert (len(first) > 1) == (format_ == "knockout")
    assert is_over(event) and champion(event) == (first[0] if len(first) == 1 else None)
