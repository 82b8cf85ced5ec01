"""Tests that ``kiosk pair`` and ``kiosk standings`` run every remaining format of CONTRACT.md from its event file to
the end."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from commands.called import Cli
from events.random_events import Json, event_of, othello_result, team_event


def captures(_: Json, rng: random.Random) -> Json:
    pieces = [rng.randint(10, 13), rng.randint(0, 9)]
    return {"winner": "black", "black_discs": pieces[0], "white_discs": pieces[1]}


EVENTS = {
    "m43-division": (event_of("m43-division", 9), 6),
    "m40-elementary": (event_of("m40-elementary", 10), 7),
    "adjacent": (event_of("adjacent", 7, rounds=3), 3),
    "team": (team_event(6), 5),
    "chouchou": (event_of("chouchou", 6, rounds=3, target=10), 3),
    "swiss": (event_of("swiss", 8, rounds=3, finals="1-4"), 5),
    "round-robin": (event_of("round-robin", 5), 5),
    "knockout": (event_of("knockout", 6, third_place=True), 3),
}


@pytest.mark.parametrize("format_", list(EVENTS))
def test_the_commands_alone_can_run_the_event(cli: Cli, tmp_path: Path, format_: str):
    data, rounds = EVENTS[format_]
    rng = random.Random(1)
    file = tmp_path / "event.json"
    result = captures if format_ == "chouchou" else othello_result
    for number in range(1, rounds + 1):
        file.write_text(json.dumps(data), encoding="utf-8")
        paired = cli.json("pair", file)
        assert list(paired) == ["round", "games", "cost", "warnings"] and paired["round"] == number
        games = [g if "bye" in g or "winner" in g else {**g, **result(g, rng)} for g in paired["games"]]
        data = {**data, "rounds": [*data["rounds"], {"round": number, "games": games}]}
    file.write_text(json.dumps(data), encoding="utf-8")
    assert "over" in cli.refused("pair", file, "--json")
    entries = {entry["id"] for entry in data["teams" if format_ == "team" else "players"]}
    table = cli.json("standings", file)
    assert table["after_round"] == rounds
    assert {row["id"] for row in table["rows"]} == entries
    assert all(len(row["keys"]) == len(row["key_names"]) for row in table["rows"])
    earlier = cli.json("standings", file, "--after", 1)
    assert earlier["after_round"] == 1
    cost = cli.json("pair", file, "--cost", 2)
    assert list(cost) == ["round", "played", "optimum"] and cost["played"] == cost["optimum"]
    for command in ("pair", "standings"):  # also as text
        file.write_text(json.dumps({**data, "rounds": data["rounds"][:1]}), encoding="utf-8")
        code, out, _ = cli(command, file)
        assert code == 0 and "回戦" in out and "round" in out
