"""Format ``m43-open``: known answers for its special rules."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from events import random_events
from events.lines import next_round
from events.random_events import play_round
from verify.verifier import verify

from engine.tournament import EventError, standings
from kiosk.records.event_file import from_dict

Json = dict[str, Any]


def entries(count: int, women: int = 0, seeds: int = 2) -> list[Json]:
    players: list[Json] = [{"id": f"p{i}"} for i in range(1, count + 1)]
    for player in players[:seeds]:
        player["seed"] = int(player["id"][1:])
    for player in players[count - women :]:
        player["sex"] = "F"
    return players


def event_of(players: list[Json], seed: int = 1) -> Json:
    return {**random_events.event_of("m43-open", 0, seed), "players": players}


def add_round(data: Json, games: list[Json]) -> None:
    data["rounds"].append({"round": len(data["rounds"]) + 1, "games": games})


def test_the_bye_goes_to_the_lowest_score_whatever_it_costs():
    """AMB-15: p1 has no win and no bye, and has the bye although p2 and p3 must then meet again."""
    data = event_of(entries(4, seeds=0))
    add_round(data, [result("p2", "p1", 2), result("p3", "p4", 2)])
    add_round(data, [result("p3", "p2", 0), result("p4", "p1", 2)])
    data["players"][3]["withdrawn_after_round"] = 2
    paired = next_round(from_dict(data))
    assert [g["bye"] for g in paired.games if "bye" in g] == ["p1"]
    assert any("rematch" in str(warning) for warning in paired.warnings)


# --- the round of M43F-05 and M43F-06 ---


def after_five_rounds(c_met_d: bool) -> Json:
    """Return an event in which A has 5, B 4.5, C 4, D 4, E 3 and G 3 wins, each over five different helpers."""
    wanted = {"A": 10, "B": 9, "C": 8, "D": 8, "E": 6, "G": 6}
    helpers = [f"h{i}" for i in range(6)]
    data = event_of([{"id": name} for name in [*wanted, *helpers]])
    left = dict(wanted)
    for number in range(5):
        games: list[Json] = []
        for i, name in enumerate(wanted):
            if c_met_d and number == 0 and name in "CD":
                if name == "C":
                    games.append(result("C", "D", 1))
                    games.append(result(helpers[2], helpers[3], 1))
                left[name] -= 1
                continue
            points = min(2, left[name])
            left[name] -= points
            games.append(result(name, helpers[(i + number) % 6], points))
        add_round(data, games)
    assert not any(left.values())
    return data


def result(one: str, other: str, points: int) -> Json:
    winner, discs = {0: ("white", 20), 1: ("draw", 32), 2: ("black", 44)}[points]
    return {
        "black": one, "white": other, "winner": winner, "black_discs": discs, "white_discs": 64 - discs,
        "stage": "league",
    }  # fmt: skip


def test_leaders_have_a_bye_and_a_needless_game_is_a_draw():
    games = next_round(from_dict(after_five_rounds(c_met_d=False))).games
    assert {g["bye"] for g in games if "bye" in g} == {"A", "B"}
    (cd,) = [g for g in games if {g.get("black"), g.get("white")} == {"C", "D"}]
    assert (cd["winner"], cd["end"], cd["rated"]) == ("draw", "not-played", False)
    assert (cd["black_discs"], cd["white_discs"]) == (32, 32)
    assert all("winner" not in g for g in games if g is not cd and "bye" not in g)


def test_a_leader_against_the_fifth_is_played():
    games = next_round(from_dict(after_five_rounds(c_met_d=True))).games
    opponents = {frozenset((g["black"], g["white"])): g for g in games if "bye" not in g}
    assert frozenset("CD") not in opponents
    assert all("winner" not in game for game in opponents.values())


def test_the_unplayed_draw_counts_the_opponents_wins_and_is_no_meeting():
    """AMB-10: half a win, 32 discs, and the opponent's wins count as usual."""
    data = after_five_rounds(c_met_d=False)
    games = [dict(g) for g in next_round(from_dict(data)).games]
    for game in games:
        if "bye" not in game and "winner" not in game:
            game |= {"winner": "black", "black_discs": 40, "white_discs": 24}
    add_round(data, games)
    table = standings(from_dict(data))
    rows = {row.id: row for row in table.rows}
    # C: 228 discs, 32 of them of this draw, and 6 for each of the opponents' 11 points, 4.5 of them D's
    assert {name: rows[name].keys for name in "ACD"} == {"A": (6, 342), "C": (4.5, 294), "D": (4.5, 300)}
    assert not [one for one in verify(data, table.as_dict()).problems if one.rule.startswith(("SHEET", "M43R"))]


def test_semi_final_seats_are_decided_by_the_rank_before():
    """M43R-5: players equal in wins and Brightwell points share a rank, but not one of the four seats after round 6."""
    decided = 0
    for seed in range(24):
        rng = random.Random(seed)
        names = [f"p{i}" for i in range(1, 9)]
        data = event_of(entries(8, seeds=0), seed)
        for _ in range(6):
            rng.shuffle(names)
            # only won or lost is recorded, so that many players are level
            games = [
                {"black": a, "white": b, "winner": rng.choice(["black", "white"]), "stage": "league"}
                for a, b in zip(names[::2], names[1::2], strict=True)
            ]
            add_round(data, games)
        rows = standings(from_dict(data), 6).rows
        before = {row.id: (row.wins, row.keys[1]) for row in standings(from_dict(data), 5).rows}
        for above, below in pairwise(rows[:4]):
            if above.keys == below.keys and before[above.id] != before[below.id]:
                decided += 1
                assert above.rank < below.rank
                assert before[above.id] > before[below.id]
    assert decided > 1


def test_places_can_be_shared_below_the_semi_finals():
    data = event_of(entries(8, seeds=0))
    add_round(data, [result("p1", "p2", 2), result("p3", "p4", 2), result("p5", "p6", 2), result("p7", "p8", 2)])
    assert [row.rank for row in standings(from_dict(data)).rows] == [1] * 4 + [5] * 4


def test_a_draw_in_a_final_is_refused():
    data = event_of(entries(16), 1)
    rng = random.Random(1)
    for _ in range(7):
        play_round(data, rng)
    semi = next(g for g in data["rounds"][6]["games"] if g["stage"] == "semi-final")
    semi |= {"winner": "draw", "black_discs": 32, "white_discs": 32}
    with pytest.raises(EventError, match=r"semi-final.*draw right"):
        next_round(from_dict(data))
    semi["winner"] = "black"  # 32-32 won by the right-holder (M43-2a)
    next_round(from_dict(data))


def test_a_meeting_of_seeds_is_a_warning():
    players = [{"id": f"p{i}", "seed": i} for i in range(1, 4)] + [{"id": "p4"}]
    warnings = next_round(from_dict(event_of(players))).warnings
    assert any("seeds meet" in str(warning) for warning in warnings)
