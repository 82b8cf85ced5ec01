"""Format ``round-robin``: the published Berger tables, and whole events in which everybody meets everybody."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from events.lines import next_round
from events.random_events import event_of, play_round, rounds_of
from verify.verifier import verify

from engine.tournament import EventError, champion, cost_of_round, is_over, standings
from engine.tournament.formats.round_robin import berger
from kiosk.records.event_file import from_dict

#: the tables as federations print them
PUBLISHED = {
    4: ["1-4 2-3", "4-3 1-2", "2-4 3-1"],
    6: ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"],
    8: [
        "1-8 2-7 3-6 4-5", "8-5 6-4 7-3 1-2", "2-8 3-1 4-7 5-6", "8-6 7-5 1-4 2-3", "3-8 4-2 5-1 6-7",
        "8-7 1-6 2-5 3-4", "4-8 5-3 6-2 7-1",
    ],
    10: [
        "1-10 2-9 3-8 4-7 5-6", "10-6 7-5 8-4 9-3 1-2", "2-10 3-1 4-9 5-8 6-7", "10-7 8-6 9-5 1-4 2-3",
        "3-10 4-2 5-1 6-9 7-8", "10-8 9-7 1-6 2-5 3-4", "4-10 5-3 6-2 7-1 8-9", "10-9 1-8 2-7 3-6 4-5",
        "5-10 6-4 7-3 8-2 9-1",
    ],
}  # fmt: skip


@pytest.mark.parametrize("players", list(PUBLISHED))
def test_the_published_tables(players: int):
    for round_, line in enumerate(PUBLISHED[players], start=1):
        assert [f"{one}-{other}" for one, other in berger(players, round_)] == line.split()
        # an odd field has the table of one more, whose last number is nobody
        assert berger(players - 1, round_) == berger(players, round_)


@pytest.mark.parametrize("players", [2, 3, 5, 12, 13, 20])
def test_everybody_meets_everybody_with_balanced_colours(players: int):
    even = players + players % 2
    pairs = [pair for round_ in range(1, even) for pair in berger(players, round_)]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == even * (even - 1) // 2
    for number in range(1, even + 1):
        blacks = sum(one == number for one, _ in pairs)
        assert abs(2 * blacks - (even - 1)) == 1
    second = [pair for round_ in range(even, 2 * even - 1) for pair in berger(players, round_)]
    assert second == [(other, one) for one, other in pairs], "the second cycle reverses the colours"


@pytest.mark.parametrize(("count", "cycles"), [(2, 1), (5, 1), (6, 1), (7, 2), (4, 2)])
def test_whole_events(count: int, cycles: int):
    data = event_of("round-robin", count, cycles=cycles)
    rests: Counter[str] = Counter()
    met: Counter[frozenset[str]] = Counter()
    scores: Counter[str] = Counter()
    discs: Counter[str] = Counter()
    for _, paired in rounds_of(data, random.Random(count)):
        assert all("designated" not in g for g in paired["games"])
        rests.update(g["bye"] for g in paired["games"] if "bye" in g)
    for game in (g for r in data["rounds"] for g in r["games"] if "bye" not in g):
        met[frozenset((game["black"], game["white"]))] += 1
        for side in ("black", "white"):
            scores[game[side]] += 1 if game["winner"] == "draw" else 2 * (game["winner"] == side)
            discs[game[side]] += game[f"{side}_discs"]
    assert set(met.values()) == {cycles} and len(met) == count * (count - 1) // 2
    assert set(rests.values()) <= {cycles} and len(rests) == (count if count % 2 else 0)
    rows = standings(from_dict(data)).rows
    assert {row.id: (2 * row.wins, row.discs) for row in rows} == {n: (scores[n], discs[n]) for n in scores}
    assert [row.keys for row in rows] == sorted((row.keys for row in rows), reverse=True)
    assert champion(from_dict(data)) in {row.id for row in rows if row.rank == 1}
    with pytest.raises(EventError, match="over"):
        next_round(from_dict(data))


def test_a_bye_is_no_win():
    data = event_of("round-robin", 3)
    rest = next(g["bye"] for g in play_round(data, random.Random(1))["games"] if "bye" in g)
    assert next(row.wins for row in standings(from_dict(data)).rows if row.id == rest) == 0


def test_lots_determine_the_numbers_in_the_table():
    data = event_of("round-robin", 4)
    for player, lot in zip(data["players"], (4, 3, 2, 1), strict=True):
        player["lot"] = lot
    assert [(g["black"], g["white"]) for g in next_round(from_dict(data)).games] == [("p4", "p1"), ("p3", "p2")]


def test_a_withdrawn_player_loses_by_forfeit_and_a_late_entry_is_not_paired():
    data = event_of("round-robin", 6)
    rng = random.Random(1)
    play_round(data, rng)
    data["players"].append({"id": "p7"})
    data["players"][1]["withdrawn_after_round"] = 2
    data["players"][2]["withdrawn_after_round"] = 3
    while not is_over(from_dict(data)):
        paired = play_round(data, rng)
        number = paired["round"]
        assert any("p7" in str(warning) for warning in paired["warnings"])
        for game in paired["games"]:
            withdrawn = {"p2"} if number == 3 else {"p2", "p3"} if number > 3 else set()
            here = {game.get("black"), game.get("white")} - withdrawn - {None}
            if "bye" in game:
                assert game["bye"] in withdrawn, "two who have left: nobody wins"
            elif len(here) == 1:
                assert (game["end"], {game[game["winner"]]}, game["rated"]) == ("forfeit", here, False)
            else:
                assert "winner" not in game
    assert len(data["rounds"]) == 5


def test_the_table_has_those_who_play_in_the_first_round():
    data = event_of("round-robin", 6)
    data["players"][0]["absent"] = True
    data["players"][1]["withdrawn_after_round"] = 0
    data["players"][2]["withdrawn_after_round"] = 1
    games = next_round(from_dict(data)).games
    assert {name for g in games for name in (g["black"], g["white"])} == {"p3", "p4", "p5", "p6"}


def test_fewer_than_two_players_are_refused():
    with pytest.raises(EventError, match="two or more"):
        next_round(from_dict(event_of("round-robin", 1)))


def test_a_constraint_brings_another_round_of_the_table_forward():
    """PAIRING.md 4: the rounds of the table may change their order; at the end everybody has met everybody."""
    for count in (5, 6):
        data = event_of("round-robin", count)
        data["options"] |= {"locked": {"2": [["p1", "p4"]]}, "forbidden": {"3": [["p2", "p3"]]}}
        if count == 5:
            data["options"]["byes"] = {"4": ["p2"]}
        rng = random.Random(1)
        warned = [paired["warnings"] for _, paired in rounds_of(data, rng)]
        pairs = [frozenset((g["black"], g["white"])) for r in data["rounds"] for g in r["games"] if "black" in g]
        assert len(pairs) == len(set(pairs)) == count * (count - 1) // 2
        assert frozenset(("p1", "p4")) in {frozenset(g.values()) & {"p1", "p4"} for g in data["rounds"][1]["games"]}
        assert any("is played now" in line for lines in warned for line in lines)
        assert verify(data).problems == []
        assert all(
            cost_of_round(from_dict(data), r["round"]) == {"round": r["round"], "played": 0, "optimum": 0}
            for r in data["rounds"]
        )


def test_colours_can_be_forced_and_a_wrong_game_has_a_cost():
    data = event_of("round-robin", 6)
    first = next_round(from_dict(data)).games[0]
    data["options"]["colours"] = {"1": {str(first["black"]): "white"}}
    assert next_round(from_dict(data)).games[0]["white"] == first["black"]
    data["options"].pop("colours")
    play_round(data, random.Random(1))
    one, other = data["rounds"][0]["games"][:2]
    one["white"], other["white"] = other["white"], one["white"]
    assert cost_of_round(from_dict(data), 1) == {"round": 1, "played": 2, "optimum": 0}
