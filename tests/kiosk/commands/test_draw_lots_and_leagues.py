"""Tests of ``kiosk draw`` and of the costs of ``kiosk pair`` in the M40 formats, as scripts use them (CONTRACT.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kiosk.cli import app
from kiosk.errors import InputError

Json = dict[str, Any]


def run(*arguments: object) -> Any:
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"], catch_exceptions=False, standalone_mode=False)
    return json.loads(result.stdout)


@pytest.fixture
def event(tmp_path: Path) -> Path:
    path = tmp_path / "event.json"
    players: list[Json] = [{"id": f"p{i}", "name": f"名前 {i}"} for i in range(1, 15)]
    players[2]["seed"], players[6]["absent"] = 2, True
    data = {
        "schema": "othello-event/1",
        "format": "m40-open",
        "options": {"lot_ballots": ["12345", "67890", "00042"]},
        "players": players,
    }
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_draw_prints_lots_numbers_and_leagues(event: Path):
    drawn = run("draw", event)
    players = {player["id"]: player for player in drawn["players"]}
    assert list(players) == [f"p{i}" for i in range(1, 15)]
    assert players["p1"] == {"id": "p1", "lot": 21, "preliminary": 6845073, "league": players["p1"]["league"]}
    assert (players["p3"]["lot"], players["p7"]["lot"], players["p7"]["preliminary"]) == (2, None, 1259643)
    assert drawn["initial"] == 896874
    assert {name for names in drawn["leagues"].values() for name in names} == set(players) - {"p7"}
    assert all(players[name]["league"] == letter for letter, names in drawn["leagues"].items() for name in names)


def test_the_written_draw_pairs_the_same_round(event: Path, tmp_path: Path):
    """The file with the drawn lots gives the same round, also without the ballots."""
    written = tmp_path / "drawn.json"
    before = run("draw", event, "--out", written)
    data = json.loads(written.read_text(encoding="utf-8"))
    del data["options"]["lot_ballots"]
    written.write_text(json.dumps(data), encoding="utf-8")
    after = run("draw", written)
    assert [p["lot"] for p in after["players"]] == [p["lot"] for p in before["players"]]
    assert after["leagues"] == before["leagues"]
    assert run("pair", written)["games"] == run("pair", event)["games"]


def test_costs_are_lists_that_compare_from_the_left(event: Path):
    """A round 2 that repeats round 1 costs more: rematches weigh more than everything except second byes."""
    data = json.loads(event.read_text(encoding="utf-8"))
    games = [{**game, "winner": "black"} if "black" in game else game for game in run("pair", event)["games"]]
    data["rounds"] = [{"round": 1, "games": games}, {"round": 2, "games": games}]
    event.write_text(json.dumps(data), encoding="utf-8")
    cost = run("pair", event, "--cost", 2)
    assert set(cost) == {"round", "played", "optimum"}
    assert len(cost["played"]) == len(cost["optimum"])
    assert cost["played"] > cost["optimum"]
    # league D has two players, so its winner is outside every pool: M40P-4 determines his game
    assert cost["played"][1] == sum("black" in game and game["league"] != "D" for game in games)


def test_what_cannot_be_drawn_is_refused(event: Path, tmp_path: Path):
    data = json.loads(event.read_text(encoding="utf-8"))
    data["options"]["lot_ballots"] = ["1", "2", "3"]
    event.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError, match="five digits"):
        run("draw", event)
    data["format"] = "swiss"
    event.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError, match="draws no lots"):
        run("draw", event)
