"""Random M40 events of every size, from the draw to the champion, with withdrawals, absences and late entries."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from events.lines import next_round
from events.random_events import event_of, play_round, played, rounds_of

from engine.tournament import EventError, champion, is_over, standings
from engine.tournament.meijin40_lots_and_leagues import draw_lots
from kiosk.records.event_file import from_dict

Json = dict[str, Any]

ROUNDS = {"m40-open": 8, "m40-33-64": 6, "m40-17-32": 6, "m40-13-16": 6, "m40-9-12": 6}
SIZES = [
    *(("m40-open", n) for n in (4, 5, 9, 23, 65, 67, 100, 131)),
    *(("m40-33-64", n) for n in (33, 34, 41, 51, 63, 64)),
    *(("m40-17-32", n) for n in range(17, 33)),
    *(("m40-13-16", n) for n in range(13, 17)),
    *(("m40-9-12", n) for n in range(9, 13)),
]


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


@pytest.mark.slow
@pytest.mark.parametrize(("format_", "count"), SIZES)
def test_an_event_goes_to_its_champion(format_: str, count: int):
    """Nobody is paired twice, omitted or idle.

    Rematches and second byes occur only with a warning, the champion won the final, and everybody has a rank.
    """
    data = event_of(format_, count, seed=count)
    rng = random.Random(count)
    met: set[frozenset[str]] = set()
    for before, paired in rounds_of(data, rng):
        names = Counter(name for game in paired["games"] for name in names_of(game))
        assert set(names.values()) == {1}
        number = paired["round"]
        idle = {f"p{i}" for i in range(1, count + 1)} - set(names)
        check_idle(format_, number, idle, before)
        for game in paired["games"]:
            pair = frozenset(names_of(game))
            if len(pair) == 2:
                assert game["designated"] is False
                warned = [w for w in paired["warnings"] if "rematch" in w and pair <= set(w.split())]
                assert bool(warned) == (pair in met)
                met.add(pair)
    assert len(data["rounds"]) == ROUNDS[format_]
    final = of_stage(data["rounds"][-1]["games"], "final")[0]
    assert champion(from_dict(data)) == final[final["winner"]]
    table = standings(from_dict(data))
    assert sorted(row.id for row in table.rows) == sorted(f"p{i}" for i in range(1, count + 1))
    assert table.rows[0].id == champion(from_dict(data))
    assert {table.rows[0].id, table.rows[1].id} == {final["black"], final["white"]}
    ranks = [row.rank for row in table.rows]
    assert ranks == sorted(ranks)
    with pytest.raises(EventError, match="over"):
        next_round(from_dict(data))


def check_idle(format_: str, number: int, idle: set[str], before: Json) -> None:
    """Check that only those who have finished are idle.

    They are idle in round 8 of the open division, and as 3rd of three (M40F9-5).
    """
    if format_ == "m40-open" and number == 8:
        return
    if format_ == "m40-9-12" and number == 6 and len(idle) == 1:
        assert len(of_stage(before["rounds"][4]["games"], "semi-final")) == 2
        assert any("bye" in game for game in of_stage(before["rounds"][4]["games"], "semi-final"))
        return
    assert not idle


@pytest.mark.parametrize("count", [33, 40, 52, 64])
def test_league_winners_are_unbeaten(count: int):
    """M40F-1, M40F-3: the semi-finalists are unbeaten and come from four leagues; A plays D, B plays C."""
    data = event_of("m40-33-64", count, seed=count)
    rng = random.Random(count)
    for _ in range(4):
        play_round(data, rng)
    league = {name: a for a, v in draw_lots(from_dict(data), leagues=True).leagues.items() for name in v}
    beaten = losses(data)
    semis = of_stage(next_round(from_dict(data)).games, "semi-final")
    assert [sorted(league[name] for name in names_of(game)) for game in semis] == [["A", "D"], ["B", "C"]]
    assert not any(beaten[name] for game in semis for name in names_of(game))


@pytest.mark.slow
@pytest.mark.parametrize(("format_", "count"), [("m40-open", 97), ("m40-open", 150), ("m40-33-64", 45)])
def test_losers_leave_at_a_power_of_two(format_: str, count: int):
    """M40F-2: while the number of unbeaten players is a power of two they play alone, else the whole league plays."""
    data = event_of(format_, count, seed=3)
    rng = random.Random(3)
    for number in range(1, (7 if format_ == "m40-open" else 5)):
        leagues = draw_lots(from_dict(data), leagues=True).leagues
        beaten = losses(data)
        games = next_round(from_dict(data)).games
        for letter, members in leagues.items():
            own = {name for game in of_stage(games, "league") if game["league"] == letter for name in names_of(game)}
            unbeaten = {name for name in members if not beaten[name]}
            power = len(unbeaten) & (len(unbeaten) - 1) == 0
            assert own == (unbeaten if power and number > 1 else set(members))
        play_round(data, rng)


@pytest.mark.parametrize("count", range(17, 33))
def test_the_timeline_of_17_to_32(count: int):
    """RULES.md 6.5: each round has the right players in each stage."""
    data = event_of("m40-17-32", count, seed=count)
    rng = random.Random(count)
    in_knockout = [count, 16, 8, 8, 6, 4]
    for number, players in enumerate(in_knockout, start=1):
        paired = play_round(data, rng)
        decided = [game for game in paired["games"] if game["stage"] != "placement"]
        assert sum(len(names_of(game)) for game in decided) == players, number
    games = data["rounds"]
    knockout = [game for n in (3, 4) for game in of_stage(games[n - 1]["games"], "knockout") if "black" in game]
    losers = {game["white" if game["winner"] == "black" else "black"] for game in knockout}
    third = of_stage(games[5]["games"], "third-place")[0]
    assert set(names_of(third)) <= losers


@pytest.mark.parametrize("count", range(13, 17))
@pytest.mark.parametrize("seed", range(5))
def test_the_timeline_of_13_to_16(count: int, seed: int):
    """RULES.md 6.6: each round has the right number of players, and each semi-final one player without a loss."""
    data = event_of("m40-13-16", count, seed=seed)
    rng = random.Random(seed)
    for number, players in enumerate([count, 8, 8, 6, 4, 4], start=1):
        beaten = losses(data)
        paired = play_round(data, rng)
        decided = [game for game in paired["games"] if game["stage"] != "placement"]
        assert sum(len(names_of(game)) for game in decided) == players, number
        if number == 5:
            assert all(sum(not beaten[name] for name in names_of(game)) == 1 for game in decided)


@pytest.mark.parametrize(("count", "unbeaten"), [(9, [5, 3, 2]), (10, [6, 4, 2]), (11, [6, 3]), (12, [6, 3])])
def test_byes_reduce_the_number_of_unbeaten_players(count: int, unbeaten: list[int]):
    """M40P9-7: 9: 9→5→3→2; 10: 10→6→4→2; 11: 11→6→3; 12: 12→6→3."""
    for seed in range(6):
        data = event_of("m40-9-12", count, seed=seed)
        rng = random.Random(seed)
        for left in unbeaten:
            paired = play_round(data, rng)
            byes = [game for game in paired["games"] if "bye" in game]
            assert len(byes) == {9: 1, 10: 2, 11: 1, 12: 0}[count] or len(data["rounds"]) > 1
            beaten = losses(data)
            assert sum(not beaten[f"p{i}"] for i in range(1, count + 1)) == left


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
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


def test_draws_are_refused():
    """M40-1: there are no draws; the holder of the draw right wins."""
    data = event_of("m40-9-12", 9)
    games = [dict(game) for game in next_round(from_dict(data)).games]
    games[0]["winner"] = "draw"
    for game in games[1:]:
        if "black" in game:
            game["winner"] = "black"
    data["rounds"].append({"round": 1, "games": games})
    with pytest.raises(EventError, match="draw right"):
        next_round(from_dict(data))


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
