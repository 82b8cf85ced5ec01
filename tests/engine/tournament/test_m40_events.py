"""M40 events with withdrawals, absences and late entries; byes from the top, sizes, and the other readings."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from events.lines import next_round
from events.random_events import event_of, play_round, played

from engine.tournament import EventError, champion, is_over, standings
from engine.tournament.lots_and_leagues import draw_lots
from kiosk.records.event_file import from_dict

Json = dict[str, Any]


def of_stage(games: Any, stage: str) -> list[Json]:
    return [game for game in games if game["stage"] == stage]


def names_of(game: Json) -> list[str]:
    return [game["bye"]] if "bye" in game else [game["black"], game["white"]]


def losses(data: Json) -> Counter[str]:
    return Counter(
        game["white"] if game["winner"] == "black" else game["black"]
        for round_ in data["rounds"]
        for game in round_["games"]
        if "black" in game
    )


@pytest.mark.parametrize(("count", "unbeaten"), [(9, [5, 3, 2]), (10, [6, 4, 2]), (11, [6, 3]), (12, [6, 3])])
def test_byes_reduce_the_number_of_unbeaten_players(count: int, unbeaten: list[int]):
    """M40P9-7: 9: 9→5→3→2; 10: 10→6→4→2; 11: 11→6→3; 12: 12→6→3."""
    for seed in range(3):
        data = event_of("m40-9-12", count, seed=seed)
        rng = random.Random(seed)
        for left in unbeaten:
            paired = play_round(data, rng)
            byes = [game for game in paired["games"] if "bye" in game]
            assert len(byes) == {9: 1, 10: 2, 11: 1, 12: 0}[count] or len(data["rounds"]) > 1
            beaten = losses(data)
            assert sum(not beaten[f"p{i}"] for i in range(1, count + 1)) == left


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("format_", "count"),
    [("m40-open", 37), ("m40-33-64", 43), ("m40-17-32", 27), ("m40-13-16", 16), ("m40-9-12", 12)],
)
def test_withdrawals_absences_and_late_entries(format_: str, count: int, seed: int):
    """Everybody present plays or has a bye, no withdrawn player is paired, and there is a champion in every case."""
    rng = random.Random(f"{format_} {seed}")
    data = event_of(format_, count, seed=seed)
    data["players"][rng.randrange(count)]["absent"] = True
    drawn = draw_lots(from_dict(data), leagues=False).lots
    for player in data["players"]:
        if player["id"] in drawn and not player.get("absent"):
            player["lot"] = drawn[player["id"]]
    while not is_over(from_dict(data)):
        number = len(data["rounds"]) + 1
        if rng.random() < 0.5:
            rng.choice(data["players"])["withdrawn_after_round"] = number - 1
        if number in (2, 3) and rng.random() < 0.5:
            data["players"].append({"id": f"p{len(data['players']) + 1}"})
        play_round(data, rng, forfeit_now_and_then)
        here = {
            p["id"] for p in data["players"] if not p.get("absent") and p.get("withdrawn_after_round", number) >= number
        }
        names = [name for game in data["rounds"][-1]["games"] for name in names_of(game)]
        assert len(names) == len(set(names))
        assert set(names) <= here
        if not (format_ == "m40-open" and number == 8):
            assert len(here - set(names)) <= 2  # the losers of a semi-final who have finished
    winner = champion(from_dict(data))
    assert winner is not None
    assert standings(from_dict(data)).rows[0].id == winner


def forfeit_now_and_then(game: Json, rng: random.Random) -> Json:
    end = "forfeit" if rng.random() < 0.1 else "normal"
    return {"winner": rng.choice(("black", "white")), "end": end}


@pytest.mark.parametrize(
    ("format_", "count", "words"),
    [
        ("m40-17-32", 33, "17 to 32"),
        ("m40-33-64", 65, "33 to 64"),
        ("m40-open", 257, "4 to 256"),
        ("m40-9-12", 1, "two"),
    ],
)
def test_unsuitable_numbers_of_players_are_refused(format_: str, count: int, words: str):
    with pytest.raises(EventError, match=words):
        next_round(from_dict(event_of(format_, count)))


def test_small_fields_are_warned_of_and_options_of_other_systems_refused():
    assert any("13 to 16" in str(warning) for warning in next_round(from_dict(event_of("m40-13-16", 12))).warnings)
    later = played("m40-13-16", 13, 1)
    later["players"][0]["withdrawn_after_round"] = 1
    assert not any("13 to 16" in str(warning) for warning in next_round(from_dict(later)).warnings)
    with pytest.raises(EventError, match="direction"):
        next_round(from_dict(event_of("m40-13-16", 14, direction="lowest")))


def paired_at(data: Json, number: int, **options: Any) -> Json:
    """Return the round of an event played under the default readings, paired under another one."""
    cut = {**data, "rounds": data["rounds"][: number - 1], "options": {**data["options"], **options}}
    return next_round(from_dict(cut)).as_dict()


def pairs_of(paired: Json) -> set[frozenset[str]]:
    return {frozenset(names_of(game)) for game in paired["games"]}


def test_the_other_readings_of_the_rules():
    """AMB-18, 22, 23, 43, 44 and 46: each option has its effect, and none on earlier rounds."""
    leagues = event_of("m40-33-64", 41, seed=2)
    rng = random.Random(2)
    for _ in range(6):
        play_round(leagues, rng)
    apart = paired_at(leagues, 4, placement_pool="by_league")
    letter = {name: a for a, v in draw_lots(from_dict(leagues), leagues=True).leagues.items() for name in v}
    for game in of_stage(apart["games"], "placement"):
        assert len({letter[name] for name in names_of(game)}) == 1
    assert any(
        len({letter[name] for name in names_of(game)}) == 2
        for game in of_stage(paired_at(leagues, 4)["games"], "placement")
    )
    halves, pool = paired_at(leagues, 1), paired_at(leagues, 1, first_round="pool")
    assert pairs_of(halves) != pairs_of(pool)

    bracket = event_of("m40-17-32", 20, seed=3)
    for _ in range(6):
        play_round(bracket, rng)
    waiting = {game["bye"] for game in of_stage(paired_at(bracket, 5)["games"], "knockout") if "bye" in game}
    assert len(waiting) == 2
    nothing = paired_at(bracket, 5, waiting="nothing")
    assert not waiting & {name for game in nothing["games"] for name in names_of(game)}
    for player, seed, lot in zip(bracket["players"], (1, 2), (1, 2), strict=False):
        player |= {"seed": seed, "lot": lot}
    for player, lot in zip(bracket["players"][2:], range(3, 21), strict=True):
        player["lot"] = lot
    together = {frozenset(("p1", "p2"))}
    assert together <= pairs_of(paired_at(bracket, 1, seed_places="lots"))
    assert not together <= pairs_of(paired_at(bracket, 1))

    small = event_of("m40-9-12", 12, seed=1)
    for _ in range(6):
        play_round(small, rng)
    third = of_stage(small["rounds"][5]["games"], "third-place")[0]
    fourth = third["white" if third["winner"] == "black" else "black"]
    by_wins = {**small, "options": {"fourth_place": "wins"}}
    rows = {row.id: row for row in standings(from_dict(by_wins)).rows}
    assert next(row.rank for row in standings(from_dict(small)).rows if row.id == fourth) == 4
    others = [row for row in rows.values() if row.rank > 3 and row.wins == rows[fourth].wins]
    assert {row.rank for row in others} == {rows[fourth].rank}

    stays_away = event_of("m40-open", 16, seed=1)
    stays_away["players"][0]["withdrawn_after_round"] = 0
    for option, places in (("keep_place", 16), ("removed", 15)):
        stays_away["options"]["no_shows"] = option
        leagues_of_draw = draw_lots(from_dict(stays_away), leagues=True).leagues.values()
        assert sum(map(len, leagues_of_draw)) == places
        assert all("p1" not in names_of(game) for game in next_round(from_dict(stays_away)).games)
