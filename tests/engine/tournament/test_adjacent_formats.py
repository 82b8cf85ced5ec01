"""Formats ``adjacent``, ``m43-division``, ``m40-elementary``: random events verified by an independent checker of wins
and disc differences that works on the event file's JSON."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from events.lines import next_round
from events.random_events import event_of, play_round, rounds_of
from verify.verifier import verify

from engine.tournament import EventError, champion, cost_of_round, is_over, standings
from engine.tournament.seeded_lots import lots_of_entries
from kiosk.records.event_file import from_dict

Json = dict[str, Any]


def wins_and_difference(data: Json, bye_discs: int = 40) -> dict[str, tuple[int, int]]:
    """Return (half points, disc difference) over every game and bye."""
    table = {player["id"]: [0, 0] for player in data["players"]}
    for round_ in data["rounds"]:
        for game in round_["games"]:
            if "bye" in game:
                table[game["bye"]][0] += 2
                table[game["bye"]][1] += bye_discs - (64 - bye_discs)
                continue
            for side, other in (("black", "white"), ("white", "black")):
                row = table[game[side]]
                row[0] += 1 if game["winner"] == "draw" else 2 * (game["winner"] == side)
                row[1] += game.get(f"{side}_discs", 0) - game.get(f"{other}_discs", 0)
    return {name: (score, difference) for name, (score, difference) in table.items()}


def opponents(data: Json) -> dict[str, list[str]]:
    met: dict[str, list[str]] = {player["id"]: [] for player in data["players"]}
    for game in (g for r in data["rounds"] for g in r["games"] if "bye" not in g):
        met[game["black"]].append(game["white"])
        met[game["white"]].append(game["black"])
    return met


def check_neighbours(before: Json, games: list[Json]) -> None:
    """Check that there is no rematch, and that the first meets the next player not met before."""
    table = wins_and_difference(before)
    met = opponents(before)
    for game in games:
        if "bye" not in game:
            assert game["white"] not in met[game["black"]], "no rematch"
    paired = [g for g in games if "bye" not in g]
    top = max(paired, key=lambda g: max(table[g["black"]], table[g["white"]]))
    best, other = sorted((top["black"], top["white"]), key=table.__getitem__, reverse=True)
    free = [n for g in games for n in (g.get("black"), g.get("white")) if n and n != best and n not in met[best]]
    assert table[other] == max(table[name] for name in free)


def check_colours(before: Json, games: list[Json]) -> bool:
    """Check point 4: the other colours of a pair would not leave the two nearer to their balance."""
    balance = {player["id"]: 0 for player in before["players"]}
    for game in (g for r in before["rounds"] for g in r["games"] if "bye" not in g):
        balance[game["black"]] += 1
        balance[game["white"]] -= 1
    pairs = [(balance[g["black"]], balance[g["white"]]) for g in games if "bye" not in g]
    return all(max(abs(b + 1), abs(w - 1)) <= max(abs(b - 1), abs(w + 1)) for b, w in pairs)


def check_bye(before: Json, games: list[Json]) -> None:
    byes = [game["bye"] for game in games if "bye" in game]
    names = [n for g in games for n in (g.get("black"), g.get("white"), g.get("bye")) if n]
    earlier = {g["bye"] for r in before["rounds"] for g in r["games"] if "bye" in g}
    assert len(byes) == len(names) % 2
    if earlier < set(names):
        assert not earlier.intersection(byes), "no second bye"


def check_everybody(data: Json, paired: Json) -> None:
    names = [n for g in paired["games"] for n in (g.get("black"), g.get("white"), g.get("bye")) if n]
    assert sorted(names) == sorted(player["id"] for player in data["players"])
    tables = [g["table"] for g in paired["games"] if "bye" not in g]
    assert tables == list(range(1, len(tables) + 1))


def check_semi_finals(before: Json, paired: Json) -> None:
    semis = [g for g in paired["games"] if g["stage"] == "semi-final"]
    seats = [semis[0]["black"], semis[1]["black"], semis[1]["white"], semis[0]["white"]]
    table = wins_and_difference(before)
    assert [table[name] for name in seats] == sorted(table.values(), reverse=True)[:4]
    assert [g["designated"] for g in semis] == [False, False]


def check_finals(before: Json, paired: Json) -> None:
    semis = [g for g in before["rounds"][-1]["games"] if g["stage"] == "semi-final"]
    winners = {g[g["winner"]] for g in semis}
    everybody = {name for g in semis for name in (g["black"], g["white"])}
    stages = {g["stage"]: {g["black"], g["white"]} for g in paired["games"] if g["stage"] in ("final", "third-place")}
    assert stages == {"final": winners, "third-place": everybody - winners}


def check_final_order(data: Json) -> None:
    event = from_dict(data)
    rows = standings(event).rows
    last = {g["stage"]: g for g in data["rounds"][-1]["games"] if "bye" not in g}
    places = []
    for stage in ("final", "third-place"):
        game = last[stage]
        loser = "white" if game["winner"] == "black" else "black"
        places += [game[game["winner"]], game[loser]]
    assert [row.id for row in rows[:4]] == places
    assert [row.rank for row in rows[:4]] == [1, 2, 3, 4]
    assert champion(event) == places[0]
    table = wins_and_difference(data)
    for row in rows:
        assert (2 * row.wins, row.keys[1]) == table[row.id]
        assert row.key_names == ("wins", "disc_difference")
    for place, (above, below) in enumerate(pairwise(rows[4:]), start=5):
        assert table[above.id] >= table[below.id]
        assert (above.rank == below.rank) == (table[above.id] == table[below.id])
        assert above.rank <= place


@pytest.mark.parametrize("count", [8, 9, 14, 15, 31])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_m43_division(count: int, seed: int):
    """AMB-16: 4 + 2 rounds, and players outside the finals play all six."""
    data = event_of("m43-division", count, seed)
    for before, paired in rounds_of(data, random.Random(seed)):
        number = paired["round"]
        check_everybody(data, paired)
        if number <= 4:
            assert {g["stage"] for g in paired["games"]} == {"league"}
            check_neighbours(before, paired["games"])
        rest = [g for g in paired["games"] if g["stage"] in ("league", "placement")]
        check_bye(before, rest)
        assert all("designated" not in g for g in rest), "M43-1"
        cost = cost_of_round(from_dict(data), number)
        assert cost["played"] == cost["optimum"]
        if number == 5:
            check_semi_finals(before, paired)
        if number == 6:
            check_finals(before, paired)
    assert len(data["rounds"]) == 6
    check_final_order(data)
    with pytest.raises(EventError, match="over"):
        next_round(from_dict(data))


@pytest.mark.parametrize("count", [9, 12, 27])
@pytest.mark.parametrize("seed", [1, 2])
def test_m40_elementary(count: int, seed: int):
    """M40E: five rounds, semi-finals with placement games, then only the finals; no colours, no draws."""
    data = event_of("m40-elementary", count, seed)
    for before, paired in rounds_of(data, random.Random(seed)):
        assert all(g.get("designated") is False for g in paired["games"] if "bye" not in g), "M40-1"
        if paired["round"] <= 6:
            check_everybody(data, paired)
        if paired["round"] <= 5:
            check_neighbours(before, paired["games"])
        if paired["round"] == 6:
            check_semi_finals(before, paired)
        if paired["round"] == 7:
            check_finals(before, paired)
            assert len(paired["games"]) == 2
    assert len(data["rounds"]) == 7
    check_final_order(data)
    data["rounds"][0]["games"][0] |= {"winner": "draw", "black_discs": 32, "white_discs": 32}
    with pytest.raises(EventError, match="no draws here"):
        standings(from_dict(data))


@pytest.mark.parametrize("format_", ["m43-division", "m40-elementary"])
@pytest.mark.parametrize("count", [4, 5, 6, 7])
def test_few_players_reach_their_champion(format_: str, count: int):
    """With few players rematches occur, are reported as warnings, and happen no earlier than necessary."""
    data = event_of(format_, count)
    for before, paired in rounds_of(data, random.Random(count)):
        met = opponents(before)
        chosen = [g for g in paired["games"] if g["stage"] in ("league", "placement") and "bye" not in g]
        again = [game for game in chosen if game["white"] in met[game["black"]]]
        assert len(again) == paired["cost"]["rematches"]
        assert any("rematch" in str(warning) for warning in paired["warnings"]) == bool(paired["cost"]["rematches"])
        assert not again or paired["round"] > 3
    check_final_order(data)


@pytest.mark.parametrize(("count", "rounds"), [(8, 3), (11, 4), (24, 6)])
def test_adjacent(count: int, rounds: int):
    data = event_of("adjacent", count, rounds=rounds)
    for before, paired in rounds_of(data, random.Random(count)):
        check_everybody(data, paired)
        check_neighbours(before, paired["games"])
        check_bye(before, paired["games"])
        assert check_colours(before, paired["games"])
    assert len(data["rounds"]) == rounds
    event = from_dict(data)
    table = wins_and_difference(data)
    rows = standings(event).rows
    assert [table[row.id] for row in rows] == sorted(table.values(), reverse=True)
    best = champion(event)
    assert best is not None and table[best] == max(table.values())
    earlier = standings(event, 1)
    assert earlier.after_round == 1 and {row.wins for row in earlier.rows} <= {0, 0.5, 1}


@pytest.mark.parametrize(("finals", "more"), [("none", 0), ("1-2", 1), ("1-4", 2)])
def test_adjacent_with_finals(finals: str, more: int):
    data = event_of("adjacent", 10, rounds=4, finals=finals)
    rng = random.Random(3)
    for _ in range(4):
        play_round(data, rng)
    table = wins_and_difference(data)
    before = {**data, "rounds": list(data["rounds"])}
    paired = [play_round(data, rng) for _ in range(more)]
    assert is_over(from_dict(data))
    if finals == "1-2":
        (final,) = paired[0]["games"]
        assert [table[final["black"]], table[final["white"]]] == sorted(table.values(), reverse=True)[:2]
        assert champion(from_dict(data)) == data["rounds"][-1]["games"][0][data["rounds"][-1]["games"][0]["winner"]]
    if finals == "1-4":
        check_semi_finals(before, paired[0])
        check_final_order(data)


def test_a_bye_counts_40_24():
    """AMB-16: a bye counts 40-24, or what the option says."""
    data = event_of("adjacent", 3, rounds=3)
    bye = next(g["bye"] for g in play_round(data, random.Random(1))["games"] if "bye" in g)
    row = next(row for row in standings(from_dict(data)).rows if row.id == bye)
    assert (row.wins, row.discs, row.keys) == (1, 40, (1, 16))
    data["options"]["bye_discs"] = 33
    row = next(row for row in standings(from_dict(data)).rows if row.id == bye)
    assert (row.discs, row.keys) == (33, (1, 2))


def test_level_players_are_paired_by_their_lots_and_the_lots_are_recorded():
    """A larger lot ranks higher; without lots the seed draws them, the same each time."""
    data = event_of("adjacent", 6, rounds=2)
    for player, lot in zip(data["players"], (3, 6, 1, 5, 2, 4), strict=True):
        player["lot"] = lot
    games = next_round(from_dict(data)).games
    assert [{g["black"], g["white"]} for g in games] == [{"p2", "p4"}, {"p6", "p1"}, {"p5", "p3"}]
    draws = set()
    for seed in range(8):
        plain = event_of("adjacent", 6, seed, rounds=2)
        assert next_round(from_dict(plain)) == next_round(from_dict(plain))
        draws.add(frozenset(frozenset((g["black"], g["white"])) for g in next_round(from_dict(plain)).games))
    assert len(draws) > 3


def test_late_entries_withdrawals_and_absences():
    data = event_of("m43-division", 12)
    rng = random.Random(4)
    for number in range(1, 7):
        if number == 2:
            data["players"].append({"id": "p13"})
        if number == 3:
            data["players"][4]["withdrawn_after_round"] = 2
        data["players"][7]["absent"] = number == 4
        paired = play_round(data, rng)
        names = {n for g in paired["games"] for n in (g.get("black"), g.get("white"), g.get("bye"))}
        assert ("p13" in names) == (number >= 2)
        assert ("p5" in names) == (number <= 2)
        assert ("p8" in names) == (number != 4)
    assert is_over(from_dict(data))
    assert {row.id for row in standings(from_dict(data)).rows} == {f"p{i}" for i in range(1, 14)}


def test_a_late_entry_without_a_lot_ranks_below_those_with_one():
    """Round 1 remains optimal under the lots drawn on paper (simulated day 50009)."""
    data = event_of("adjacent", 6, rounds=3, random_seed=50009)
    for player, lot in zip(data["players"], (3, 6, 1, 5, 2, 4), strict=True):
        player["lot"] = lot
    play_round(data, random.Random(1))
    assert cost_of_round(from_dict(data), 1)["played"] == cost_of_round(from_dict(data), 1)["optimum"]
    data["players"] += [{"id": "late", "name": "Late"}, {"id": "later", "name": "Later"}]
    data["options"]["absences"] = {"1": ["late", "later"]}
    event = from_dict(data)
    cost = cost_of_round(event, 1)
    assert cost["played"] == cost["optimum"]
    assert not verify(data).problems
    lots = lots_of_entries(event)
    assert sorted(lots, key=lots.__getitem__)[2:] == ["p3", "p5", "p1", "p6", "p4", "p2"]


def test_a_late_entry_who_left_does_not_change_round_1_paired_again():
    """An undone round 1 is paired again by the lots on paper, without the late entry (simulated day 83254)."""
    data = event_of("adjacent", 6, rounds=3, random_seed=83254)
    for player, lot in zip(data["players"], (3, 6, 1, 5, 2, 4), strict=True):
        player["lot"] = lot
    data["players"].append({"id": "late", "name": "Late", "withdrawn_after_round": 0})
    before = from_dict(data)
    assert not any("late" in game.values() for game in next_round(before).games)
    data["options"]["absences"] = {"1": ["late"]}
    assert lots_of_entries(before) == lots_of_entries(from_dict(data))
    play_round(data, random.Random(1))
    cost = cost_of_round(from_dict(data), 1)
    assert cost["played"] == cost["optimum"]
    assert not verify(data).problems


def test_a_semi_final_seat_decided_by_lot_is_a_warning():
    data = event_of("m43-division", 8)
    names = [player["id"] for player in data["players"]]
    for number in range(1, 5):  # everybody wins and loses twice, 40-24
        black, white = (names[:4], names[4:]) if number % 2 else (names[4:], names[:4])
        shifted = white[number - 1 :] + white[: number - 1]
        games = [
            {"black": b, "white": w, "winner": "black", "black_discs": 40, "white_discs": 24, "stage": "league"}
            for b, w in zip(black, shifted, strict=True)
        ]
        data["rounds"].append({"round": number, "games": games})
    assert {row.rank for row in standings(from_dict(data)).rows} == {1}
    paired = next_round(from_dict(data))
    assert any("level; by lot" in str(warning) for warning in paired.warnings)
    assert next_round(from_dict(data)) == paired


def test_a_withdrawn_finalist_is_named():
    data = event_of("m43-division", 10)
    rng = random.Random(2)
    for _ in range(5):
        play_round(data, rng)
    semi = data["rounds"][4]["games"][0]
    next(p for p in data["players"] if p["id"] == semi["black"])["withdrawn_after_round"] = 5
    paired = next_round(from_dict(data))
    assert any(semi["black"] in str(warning) and "forfeit" in str(warning) for warning in paired.warnings)


def test_finals_need_to_know_when_they_begin_and_who_plays():
    with pytest.raises(EventError, match=r"options\.rounds is missing"):
        next_round(from_dict(event_of("adjacent", 8, finals="1-4")))
    data = event_of("m43-division", 2)
    rng = random.Random(1)
    for _ in range(4):
        play_round(data, rng)
    data["players"][0]["withdrawn_after_round"] = 4
    with pytest.raises(EventError, match="need two"):
        next_round(from_dict(data))


def test_finals_of_fewer_than_four():
    """Of three players the first has a bye in the semi-final, and its loser is 3rd without a game.

    Of two both have a bye.
    """
    for count in (3, 2):
        data = event_of("m43-division", count)
        rng = random.Random(1)
        rounds = [paired for _, paired in rounds_of(data, rng)]
        semi = [g for g in rounds[4]["games"] if g["stage"] == "semi-final"]
        assert sorted("bye" in game for game in semi) == [count == 2, True]
        assert rounds[4]["warnings"][0].startswith(f"only {count} players are present")
        assert [g["stage"] for g in rounds[5]["games"] if g["stage"] != "placement"] == ["final"]
        assert [row.rank for row in standings(from_dict(data)).rows] == list(range(1, count + 1))


def test_games_without_disc_counts_are_level():
    """M40-15.1: games recorded without discs change no disc difference."""
    data = event_of("m40-elementary", 4)
    data["rounds"] = [
        {"round": 1, "games": [{"black": "p1", "white": "p2", "winner": "black"},
                               {"black": "p3", "white": "p4", "winner": "white"}]}
    ]  # fmt: skip
    assert [(row.rank, row.id, row.keys) for row in standings(from_dict(data)).rows] == [
        (1, "p1", (1, 0)), (1, "p4", (1, 0)), (3, "p2", (0, 0)), (3, "p3", (0, 0)),
    ]  # fmt: skip
