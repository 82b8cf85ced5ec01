"""Format ``m43-open`` with few players: leaders who leave a single player over, women, and finalists who withdrew."""

from __future__ import annotations

import random

import pytest
from events.lines import next_round
from events.random_events import Json, event_of, play_round, rounds_of

from engine.tournament import champion, is_over, standings
from engine.tournament.formats.meijin43_open import M43Open
from kiosk.records.event_file import from_dict


@pytest.mark.parametrize("count", [4, 5, 6, 7, 8])
@pytest.mark.parametrize("seed", range(6))
def test_four_to_eight_players_reach_their_champion(count: int, seed: int):
    """AMB-15: there is one bye at most beside the leaders' (M43F-05), and a second one only when everybody had one."""
    data = event_of("m43-open", count, seed)
    for before, paired in rounds_of(data, random.Random(seed)):
        names = [n for g in paired["games"] for n in (g.get("black"), g.get("white"), g.get("bye")) if n]
        byes = [g["bye"] for g in paired["games"] if "bye" in g]
        if paired["round"] < 8:
            assert sorted(names) == sorted(p["id"] for p in data["players"])
        if paired["round"] < 6:
            assert len(byes) == count % 2
            earlier = [g["bye"] for r in before["rounds"] for g in r["games"] if "bye" in g]
            assert all(earlier.count(name) == min(earlier.count(p["id"]) for p in data["players"]) for name in byes)
    assert len(data["rounds"]) == 8
    assert champion(from_dict(data)) == standings(from_dict(data)).rows[0].id


def result(black: str, white: str, black_discs: int = 44) -> Json:
    return {
        "black": black, "white": white, "black_discs": black_discs, "white_discs": 64 - black_discs,
        "winner": "black", "stage": "league",
    }  # fmt: skip


def test_the_only_other_player_beside_four_leaders_has_a_bye():
    """M43F-05 with five players: four are 1.5 wins ahead of the fifth, who has no opponent."""
    data = event_of("m43-open", 5)
    winners = ["p1>p2 p3>p4", "p2>p3 p4>p1", "p3>p1 p2>p4", "p4>p5 p1>p2", "p3>p5 p4>p1"]
    for number, line in enumerate(winners, start=1):
        games = [result(*pair.split(">")) for pair in line.split()]
        data["rounds"].append({"round": number, "games": games})  # p5 comes in round 4, and has no bye
    wins = {row.id: row.wins for row in standings(from_dict(data)).rows}
    assert wins["p5"] == 0 and all(wins[name] >= 2 for name in ("p1", "p2", "p3", "p4"))
    paired = next_round(from_dict(data))
    assert sorted(g.get("bye", "") for g in paired.games) == ["p1", "p2", "p3", "p4", "p5"]


def with_women(seed: int, names: tuple[str, ...]) -> Json:
    data = event_of("m43-open", 12, seed)
    for player in data["players"]:
        player["sex"] = "F" if player["id"] in names else "M"
    return data


def test_a_withdrawn_female_semi_finalist_prevents_the_womens_final():
    """M43F-11: any woman who reached the semi-finals counts, whether she is still present or not."""
    for seed in range(1, 40):
        data = with_women(seed, ("p1", "p9", "p10", "p11"))
        rng = random.Random(seed)
        for _ in range(7):
            play_round(data, rng)
        semi = {n for g in data["rounds"][6]["games"] if g["stage"] == "semi-final" for n in (g["black"], g["white"])}
        if "p1" in semi and not semi & {"p9", "p10", "p11"}:
            data["players"][0]["withdrawn_after_round"] = 7
            paired = next_round(from_dict(data))
            assert "womens-final" not in {g["stage"] for g in paired.games}
            assert any("p1" in str(warning) and "forfeit" in str(warning) for warning in paired.warnings)
            return
    pytest.fail("no seed brought p1 to the semi-finals")


def test_the_next_woman_replaces_one_who_left():
    """M43F-10: the best women present play the final."""
    data = with_women(3, ("p9", "p10", "p11"))
    rng = random.Random(3)
    for _ in range(7):
        play_round(data, rng)
    women = [row.id for row in standings(from_dict(data)).rows if row.id in ("p9", "p10", "p11")]
    next(p for p in data["players"] if p["id"] == women[0])["absent"] = True
    paired = next_round(from_dict(data))
    (game,) = [g for g in paired.games if g["stage"] == "womens-final"]
    assert [game["black"], game["white"]] == women[1:]
    assert any(women[0] in str(warning) for warning in paired.warnings)


@pytest.mark.parametrize(("seed", "champion_of_women"), [(9, "p10"), (4, "p11")])
def test_the_womens_final_decides_also_against_the_ranking(seed: int, champion_of_women: str):
    """M43R-6: the winner ranks below the loser (seed 9); with a woman in the final, the best placed one (M43F-11)."""
    data = with_women(seed, ("p9", "p10", "p11"))
    rng = random.Random(seed)
    while not is_over(from_dict(data)):
        assert M43Open().womens_champion(from_dict(data)) is None
        play_round(data, rng)
    assert any(game["stage"] == "womens-final" for game in data["rounds"][7]["games"]) == (seed == 9)
    assert M43Open().womens_champion(from_dict(data)) == champion_of_women


def test_bye_discs_are_an_option():
    """AMB-10: 32 by default; the Brightwell points count 32 in any case."""
    data = event_of("m43-open", 5)
    bye = next(g["bye"] for g in play_round(data, random.Random(1))["games"] if "bye" in g)
    row = next(row for row in standings(from_dict(data)).rows if row.id == bye)
    assert (row.discs, row.keys) == (32, (1, 38))
    data["options"]["bye_discs"] = 33
    row = next(row for row in standings(from_dict(data)).rows if row.id == bye)
    assert (row.discs, row.keys) == (33, (1, 38))
