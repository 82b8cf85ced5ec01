"""Tests of ``kiosk pair``, ``kiosk standings`` and ``kiosk convert`` as used by scripts (CONTRACT.md)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from commands.called import Cli
from events.event_generator import GeneratorSettings, simulate
from known_answers import known

EVENT: dict[str, Any] = {
    "schema": "othello-event/1",
    "format": "m43-open",
    "options": {"random_seed": 7},
    "players": [{"id": f"p{i}", "name": f"Player {i}"} for i in range(1, 6)],
    "rounds": [],
}


@pytest.fixture
def event_file(tmp_path: Path) -> Path:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(EVENT), encoding="utf-8")
    return path


def test_pair_prints_the_contracts_fields(cli: Cli, event_file: Path):
    paired = cli.json("pair", event_file)
    assert list(paired) == ["round", "games", "cost", "warnings"]
    assert paired["round"] == 1
    *games, bye = paired["games"]
    assert [set(game) for game in games] == [{"table", "black", "white", "stage"}] * 2
    assert set(bye) == {"bye", "stage"}
    assert paired["cost"]["penalty"] == 20_080  # two games with four new colours, and the bye
    assert cli.json("pair", event_file) == paired


def test_printed_games_can_be_added_to_the_event_file(cli: Cli, event_file: Path):
    """The printed games, with results added, are valid in the event file in every round up to the final."""
    data = json.loads(json.dumps(EVENT))
    for number in range(1, 9):
        games = cli.json("pair", event_file)["games"]
        for game in games:
            if "bye" not in game and "winner" not in game:
                game |= {"winner": "black", "black_discs": 40, "white_discs": 24, "end": "normal"}
        data["rounds"].append({"round": number, "games": games})
        event_file.write_text(json.dumps(data), encoding="utf-8")
    assert "over" in cli.refused("pair", event_file, "--json")
    rows = cli.json("standings", event_file)["rows"]
    assert [row["rank"] for row in rows] == [1, 2, 3, 4, 5]
    cost = cli.json("pair", event_file, "--cost", 3)
    assert list(cost) == ["round", "played", "optimum"]
    assert cost["played"] == cost["optimum"]
    # the pairs of the finals follow from the standings, so they cost nothing
    assert cli.json("pair", event_file, "--cost", 8) == {"round": 8, "played": 0, "optimum": 0}
    assert "no round 9" in cli.refused("pair", event_file, "--cost", 9, "--json")


def test_standings_prints_the_contracts_fields(cli: Cli, event_file: Path):
    data = json.loads(json.dumps(EVENT))
    data["rounds"] = [
        {
            "round": 1,
            "games": [
                {"black": "p1", "white": "p2", "winner": "draw", "black_discs": 32, "white_discs": 32},
                {"black": "p3", "white": "p4", "winner": "white", "black_discs": 10, "white_discs": 54},
                {"bye": "p5"},
            ],
        }
    ]
    event_file.write_text(json.dumps(data), encoding="utf-8")
    table = cli.json("standings", event_file)
    assert list(table) == ["after_round", "rows"]
    assert table["after_round"] == 1
    assert table["rows"][0] == {
        "rank": 1, "id": "p4", "wins": 1, "discs": 54, "keys": [1, 54], "key_names": ["wins", "brightwell"],
    }  # fmt: skip
    assert [row["wins"] for row in table["rows"]] == [1, 1, 0.5, 0.5, 0]
    assert [row["rank"] for row in table["rows"]] == [1, 2, 3, 3, 5]
    assert cli.json("standings", event_file, "--after", 0)["after_round"] == 0
    assert "Player 4" in cli("standings", event_file)[1]


def test_convert_and_price(cli: Cli, tmp_path: Path):
    source = known("events/woc_2018.ELO")
    target = tmp_path / "woc.json"
    assert json.loads(cli("convert", source, target, "--json")[1]) == {"players": 82, "rounds": 20}
    assert json.loads(target.read_text(encoding="utf-8"))["format"] == "swiss"
    # old archives are often not in UTF-8
    old = tmp_path / "old.ELO"
    old.write_bytes(("%%Place: Malmö\n" + source.read_text(encoding="utf-8")).encode("iso-8859-1"))
    assert cli("convert", old, target)[0] == 0
    cost = cli.json("pair", target, "--cost", 13)
    assert cost == {"round": 13, "played": 1_086_453, "optimum": 1_086_453}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "object"),
        (json.dumps({**EVENT, "plyers": []}), "'plyers'"),
        (json.dumps({**EVENT, "format": "m41-open"}), "must be one of"),
        (json.dumps({**EVENT, "players": [{"id": "p1"}, {"id": "p1"}]}), "players[1].id"),
        (json.dumps({**EVENT, "players": [{"id": "p1"}]}), "two or more"),
    ],
)
def test_unusable_events_exit_with_2_and_one_sentence(cli: Cli, event_file: Path, content: str, words: str):
    event_file.write_text(content, encoding="utf-8")
    assert words in cli.refused("pair", event_file, "--json")


def test_unusable_files(cli: Cli, tmp_path: Path, event_file: Path):
    assert cli("pair", tmp_path / "none.json")[0] == 2
    assert cli("pair", tmp_path)[0] == 2
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in cli.refused("standings", binary)
    assert cli("pair", event_file, "--cost", 1)[0] == 2
    assert cli("standings", event_file, "--after", 9)[0] == 2
    assert "extension" in cli.refused("convert", event_file, tmp_path / "event.doc")
    elo = tmp_path / "bad.ELO"
    elo.write_text("nothing", encoding="utf-8")
    assert cli("convert", elo, tmp_path / "out.json")[0] == 2
    elo = known("events/stockholm_2018.ELO")
    assert cli("convert", elo, tmp_path / "no" / "out.json")[0] == 2


def test_the_reasons_for_a_player_s_games_and_place_are_printed(cli: Cli, event_file: Path):
    """The first sentence is a summary, in both languages; the row above is the one above in the standings."""
    event_file.write_text(json.dumps(simulate(GeneratorSettings("swiss", 8, 1, rounds=3))), encoding="utf-8")
    order = [row["id"] for row in cli.json("standings", event_file)["rows"]]
    told = cli.json("standings", event_file, "--why", order[3], order[1])
    assert (told["above"], told["below"]) == (order[1], order[3]) and told["why"]["en"] and told["why"]["ja"]
    (reason,) = cli.json("pair", event_file, "--round", 1, "--player", order[0])["reasons"]
    assert order[0] in reason["players"] and "have not met" in reason["reasons"][0]["en"]
    played = json.loads(event_file.read_text())["rounds"][0]["games"]
    assert len(cli.json("pair", event_file, "--round", 1)["reasons"]) == len(played)
    for wrong in (("pair", event_file, "--round", 99), ("standings", event_file, "--why", order[0], order[0])):
        assert cli.refused(*wrong).startswith("kiosk: ")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are Linux's")
def test_a_file_of_millions_of_objects_is_refused_within_bounded_memory(cli: Cli, tmp_path: Path) -> None:
    """Twelve megabytes of ``{},`` take a gigabyte when read. An event of the same size is read."""
    players = json.dumps([{"id": f"p{n}", "name": "x" * 1000} for n in range(300)])[1:]
    start = '{"schema": "othello-event/1", "format": "swiss", "players": ['
    large, bomb = tmp_path / "large.json", tmp_path / "bomb.json"
    large.write_text(f"{start}{players}}}", encoding="utf-8")
    assert len(cli.json("standings", large)["rows"]) == 300
    bomb.write_text(f"{start}{'{},' * 4_000_000}{{}}]}}", encoding="utf-8")
    assert "within the memory and time that such a file needs" in cli.refused("standings", bomb)
    assert "within the memory and time that such a file needs" in cli.refused("convert", bomb, tmp_path / "out.csv")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless file")
def test_an_endless_file_is_read_to_the_limit(cli: Cli) -> None:
    assert "/dev/zero is larger than 64 MB" in cli.refused("pair", "/dev/zero")
