"""Format ``knockout``: brackets, byes, the 3rd-place game, and withdrawals."""

from __future__ import annotations

import random

import pytest
from events.lines import next_round
from events.random_events import Json, event_of, play_round, rounds_of
from verify.verifier import verify

from engine.tournament import EventError, champion, cost_of_round, is_over, standings
from engine.tournament import next_round as pair
from engine.tournament.formats.knockout import bracket_order
from engine.tournament.pairing_history_and_constraints import Constraints
from kiosk.records.event_file import from_dict


def seeded(count: int, **options: bool) -> Json:
    data = event_of("knockout", count, **options)
    for number, player in enumerate(data["players"], start=1):
        player["seed"] = number
    return data


def better_seed_wins(game: Json, _: random.Random) -> Json:
    """Return a result in which the better seed wins."""
    black = int(game["black"][1:]) < int(game["white"][1:])
    return {"winner": "black" if black else "white", "black_discs": 40 if black else 24,
            "white_discs": 24 if black else 40}  # fmt: skip


def test_known_brackets():
    assert bracket_order(2) == [1, 2]
    assert bracket_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert bracket_order(16) == [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 11, 16, 21])
def test_the_better_seeds_meet_last(count: int):
    """Without upsets, the last 2^k players are the first 2^k seeds; byes go to the best."""
    data = seeded(count)
    size = 1 << (count - 1).bit_length()
    for _, paired in rounds_of(data, random.Random(1), better_seed_wins):
        players = [n for g in paired["games"] for n in (g.get("black"), g.get("white"), g.get("bye")) if n]
        left = count if paired["round"] == 1 else size >> (paired["round"] - 1)
        assert sorted(players) == sorted(f"p{i}" for i in range(1, left + 1))
        byes = {g["bye"] for g in paired["games"] if "bye" in g}
        expected = range(1, size - count + 1) if paired["round"] == 1 else ()
        assert byes == {f"p{i}" for i in expected}
        for game in (g for g in paired["games"] if "bye" not in g):
            alive = size >> (paired["round"] - 1)
            assert int(game["black"][1:]) + int(game["white"][1:]) == alive + 1
            assert game["designated"] is False
    assert champion(from_dict(data)) == "p1"
    rows, survived = standings(from_dict(data)).rows, len(data["rounds"])
    assert [row.rank for row in rows] == [1, 2, 3, 3, *[5] * 4, *[9] * 8, *[17] * 16][:count]
    lost = [0, 1, 2, 2, *[3] * 4, *[4] * 8, *[5] * 16][:count]
    assert [row.keys[0] for row in rows] == [survived - rounds for rounds in lost]
    assert len(data["rounds"]) == (count - 1).bit_length()
    assert sum("bye" not in g for r in data["rounds"] for g in r["games"]) == count - 1


def test_unseeded_players_are_drawn_by_the_recorded_seed():
    draws = set()
    for seed in range(6):
        data = event_of("knockout", 8, seed)
        data["players"][0]["seed"], data["players"][1]["seed"] = 1, 2
        games = next_round(from_dict(data)).games
        assert games == next_round(from_dict(data)).games
        assert games[0]["black"] == "p1" and games[2]["black"] == "p2", "in different halves"
        draws.add(tuple((g["black"], g["white"]) for g in games))
    assert len(draws) > 3


def test_a_bracket_drawn_by_hand_is_continued():
    """With round 1 in the order of the file, the winners of neighbouring games meet."""
    data = event_of("knockout", 8)
    pairs = [("p5", "p1"), ("p8", "p3"), ("p2", "p7"), ("p4", "p6")]
    data["rounds"] = [{"round": 1, "games": [{"black": a, "white": b, "winner": "white", "stage": "knockout"}
                                             for a, b in pairs]}]  # fmt: skip
    games = next_round(from_dict(data)).games
    assert [(g["black"], g["white"]) for g in games] == [("p1", "p3"), ("p7", "p6")]


def test_the_opponent_of_a_withdrawn_player_advances():
    data = seeded(8, third_place=True)
    play_round(data, random.Random(1), better_seed_wins)
    data["players"][3]["withdrawn_after_round"] = 1  # p4 would meet p1
    paired = play_round(data, random.Random(1), better_seed_wins)
    assert [g.get("bye") for g in paired["games"]] == ["p1", None]
    assert {row.id: row.keys[0] for row in standings(from_dict(data)).rows}["p1"] == 2
    final = play_round(data, random.Random(1), better_seed_wins)
    assert [(g["stage"], g["black"], g["white"]) for g in final["games"]] == [("final", "p1", "p2")]
    assert is_over(from_dict(data))
    # where both lose, their next opponent goes on alone
    data = seeded(4)
    play_round(data, random.Random(1), better_seed_wins)
    data["rounds"][0]["games"][1] = {"black": "p2", "white": "p3", "end": "forfeit", "stage": "semi-final"}
    assert [g.get("bye") for g in next_round(from_dict(data)).games] == ["p1"]
    data = seeded(2)
    data["players"][1]["absent"] = True
    with pytest.raises(EventError, match="two or more"):
        next_round(from_dict(data))


@pytest.mark.parametrize("count", [6, 8, 13])
def test_constraints_change_as_few_pairs_as_possible(count: int):
    """PAIRING.md 4: locked and forbidden pairs and byes work in any round, and the bracket continues."""
    rng = random.Random(count)
    for seed in range(4):
        data = event_of("knockout", count, seed)
        if seed % 2:
            play_round(data, rng)
        usual = next_round(from_dict(data)).games
        pairs = [(str(g["black"]), str(g["white"])) for g in usual if "black" in g]
        number = str(len(data["rounds"]) + 1)
        one, other = pairs[0]
        third = pairs[-1][1]
        data["options"] |= {"locked": {number: [[one, third]]}, "forbidden": {"*": [[one, other]]}}
        if len(pairs) < 2:
            continue
        paired = next_round(from_dict(data)).games
        found = {frozenset((str(g["black"]), str(g["white"]))) for g in paired if "black" in g}
        assert frozenset((one, third)) in found and frozenset((one, other)) not in found
        assert sum(frozenset(pair) in found for pair in pairs) >= len(pairs) - 2
        data["options"] |= {"forbidden": {}}
        while not is_over(from_dict(data)):
            play_round(data, rng)
        played = [g for r in data["rounds"] for g in r["games"] if "black" in g]
        assert len(played) == count - 1  # everybody but the champion lost once
        assert verify(data).problems == []


@pytest.mark.parametrize("count", [5, 6, 9, 12])
def test_two_players_with_byes_may_be_set_to_meet(count: int):
    """Others have their byes then, and the event goes on to its champion."""
    data = event_of("knockout", count)
    byes = [str(g["bye"]) for g in next_round(from_dict(data)).games if "bye" in g]
    data["options"]["locked"] = {"1": [byes[:2]]}
    paired = play_round(data, random.Random(1))
    assert sum("bye" in g for g in paired["games"]) == len(byes)
    while not is_over(from_dict(data)):
        play_round(data, random.Random(1))
    assert verify(data).problems == []


def test_a_bye_is_given_where_the_bracket_has_one():
    data = event_of("knockout", 6)
    byes = [str(g["bye"]) for g in next_round(from_dict(data)).games if "bye" in g]
    refused = Constraints(forbidden=((byes[0], byes[0]),))
    assert byes[0] in [name for game in pair(from_dict(data), refused).as_round().games for name in game.players]
    requested = next(p["id"] for p in data["players"] if p["id"] not in byes)
    data["options"]["byes"] = {"1": [requested]}
    assert requested in [g.get("bye") for g in next_round(from_dict(data)).games]
    with pytest.raises(EventError, match="no pairing meets all conditions"):
        next_round(from_dict({**event_of("knockout", 8), "options": {"byes": {"1": ["p1"]}}}))


def test_the_cost_counts_games_outside_the_bracket():
    data = seeded(8)
    rng = random.Random(1)
    for _ in range(2):
        play_round(data, rng, better_seed_wins)
    assert [cost_of_round(from_dict(data), n) for n in (1, 2)] == [
        {"round": 1, "played": 0, "optimum": 0}, {"round": 2, "played": 0, "optimum": 0},
    ]  # fmt: skip
    for number, cost in ((1, 2), (2, 2)):
        data = seeded(8)
        for _ in range(number):
            play_round(data, rng, better_seed_wins)
        one, other = data["rounds"][-1]["games"][0], data["rounds"][-1]["games"][-1]
        one["white"], other["black"] = other["black"], one["white"]  # 1 meets 3, 8 meets 6; then 1 meets 2
        assert cost_of_round(from_dict(data), number)["played"] == (1 if number == 1 else cost)
