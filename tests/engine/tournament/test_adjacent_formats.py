"""Formats ``adjacent``, ``m43-division``, ``m40-elementary``: byes, lots, late entries, and finals of few players."""

from __future__ import annotations

import random
from typing import Any

import pytest
from events.lines import next_round
from events.random_events import event_of, play_round, rounds_of
from verify.verifier import verify

from engine.tournament import EventError, cost_of_round, standings
from engine.tournament.lots_and_leagues import lots_of_entries
from kiosk.records.event_file import from_dict

Json = dict[str, Any]


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


def test_an_absentee_without_a_lot_leaves_the_lots_on_paper():
    """Round 1 is paired and ranked as if he had not entered; he ranks below all if he comes later."""
    data = event_of("adjacent", 6, rounds=3)
    for player, lot in zip(data["players"], (10, 11, 12, 13, 14), strict=False):
        player["lot"] = lot
    data["players"][5]["absent"] = True
    paired = play_round(data, random.Random(1))
    met = [{g["black"], g["white"]} for g in paired["games"] if "black" in g]
    assert met == [{"p5", "p4"}, {"p3", "p2"}]
    lots = lots_of_entries(from_dict(data))
    assert sorted(lots, key=lots.__getitem__) == ["p6", "p1", "p2", "p3", "p4", "p5"]
    assert verify(data).problems == []


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
