"""Brightwell points and the ranking by them: known answers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from known_answers import known_json

from engine.tournament import EventError, standings
from kiosk.records.event_file import from_dict


def game(black: str, white: str, black_discs: int) -> dict[str, Any]:
    winner = "black" if black_discs > 32 else "draw"
    return {"black": black, "white": white, "black_discs": black_discs, "white_discs": 64 - black_discs,
            "winner": winner}  # fmt: skip


def brightwell_event(c: int | str) -> dict[str, Any]:
    """Return the games of tests/data/rules/brightwell.json, spread over four rounds."""
    rounds = [
        [game("A", "B", 40), game("C", "W", 60)], [game("A", "C", 35), game("B", "D", 50)],
        [game("D", "A", 44), {"bye": "B"}], [game("C", "D", 32)],
    ]  # fmt: skip
    return {
        "schema": "othello-event/1",
        "format": "swiss",
        "options": {"brightwell_c": c},
        "players": [{"id": p} for p in "ABCD"] + [{"id": "W", "withdrawn_after_round": 1}],
        "rounds": [{"round": number, "games": games} for number, games in enumerate(rounds, start=1)],
    }


@pytest.mark.parametrize("c", [6, 11, 21])
def test_the_brightwell_example(c: int):
    """Each player of the example has three games.

    The idle fourth round counts 32 + C x own points, which is subtracted again.
    """
    example = known_json("rules/brightwell.json")
    rows = {row.id: row for row in standings(from_dict(brightwell_event(c))).rows}
    for name, points in example["points"].items():
        assert Fraction(rows[name].wins) == Fraction(points), name
    for name, expected in example["results"][str(c)].items():
        idle = 32 + c * Fraction(rows[name].wins)
        assert Fraction(rows[name].keys[1]) - idle == Fraction(expected), name


def test_a_player_who_withdrew_counts_as_a_draw_against_oneself():
    data = brightwell_event(6)
    with_him = {row.id: row.keys[1] for row in standings(from_dict(data)).rows}
    data["players"][4]["withdrawn_after_round"] = None
    without = {row.id: row.keys[1] for row in standings(from_dict(data)).rows}
    assert with_him["C"] == without["C"] - 60 + 32 + 6 * 1.5


def test_the_formula_of_64_over_games():
    """BW-2 and Appendix A3: 4 rounds give C = 16."""
    a = {row.id: row.keys[1] for row in standings(from_dict(brightwell_event("64/games"))).rows}
    b = {row.id: row.keys[1] for row in standings(from_dict(brightwell_event(16))).rows}
    assert a == b


def test_published_modified_brightwell_values():
    """The MBQ of a finished seven-round event equals the published values of all 14 players."""
    source = known_json("events/modified_brightwell.json")
    rounds = [
        {
            "round": number,
            "games": [
                game
                | {"black": str(game["black"]), "white": str(game["white"]), "white_discs": 64 - game["black_discs"]}
                for game in games
            ],
        }
        for number, games in enumerate(source["rounds"], start=1)
    ]
    data = {
        "schema": "othello-event/1",
        "format": "swiss",
        "options": {"brightwell_c": "modified"},
        "players": [{"id": str(number)} for number in source["players"]],
        "rounds": rounds,
    }
    computed = {row.id: [row.wins, row.keys[1]] for row in standings(from_dict(data)).rows}
    assert computed == source["published"]


def test_equal_players_share_a_rank():
    data = brightwell_event(6)
    data["rounds"] = [{"round": 1, "games": [game("A", "B", 40), game("C", "D", 40)]}]
    table = standings(from_dict(data))
    assert [(row.rank, row.id) for row in table.rows] == [(1, "A"), (1, "C"), (3, "W"), (4, "B"), (4, "D")]
    assert table.after_round == 1
    assert table.rows[0].key_names == ("wins", "brightwell", "discs")
    assert table.as_dict()["rows"][0] == {
        "rank": 1, "id": "A", "wins": 1, "discs": 40, "keys": [1, 40, 40], "key_names": ["wins", "brightwell", "discs"],
    }  # fmt: skip


def test_standings_of_an_earlier_round_and_of_a_round_in_progress():
    data = brightwell_event(6)
    event = from_dict(data)
    assert [row.wins for row in standings(event, 0).rows] == [0] * 5
    assert {row.id: row.wins for row in standings(event, 1).rows} == {"A": 1, "B": 0, "C": 1, "D": 0, "W": 0}
    data["rounds"][3]["games"][0] = {"black": "C", "white": "D"}
    assert standings(from_dict(data)).after_round == 3
    with pytest.raises(EventError, match="no round 5"):
        standings(event, 5)
