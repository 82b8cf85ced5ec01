"""Tests of ``kiosk pair``, ``kiosk standings`` and ``kiosk convert`` as used by scripts (CONTRACT.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands.called import kiosk
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


def test_pair_prints_the_contracts_fields(capsys: pytest.CaptureFixture[str], event_file: Path):
    code, out, err = kiosk(capsys, "pair", event_file, "--json")
    paired = json.loads(out)
    assert (code, err) == (0, "")
    assert list(paired) == ["round", "games", "cost", "warnings"]
    assert paired["round"] == 1
    *games, bye = paired["games"]
    assert [set(game) for game in games] == [{"table", "black", "white", "stage"}] * 2
    assert set(bye) == {"bye", "stage"}
    assert paired["cost"]["penalty"] == 20_080  # two games with four new colours, and the bye
    assert kiosk(capsys, "pair", event_file, "--json")[1] == out


def test_printed_games_can_be_added_to_the_event_file(capsys: pytest.CaptureFixture[str], event_file: Path):
    """The printed games, with results added, are valid in the event file in every round up to the final."""
    data = json.loads(json.dumps(EVENT))
    for number in range(1, 9):
        code, out, err = kiosk(capsys, "pair", event_file, "--json")
        assert code == 0, err
        games = json.loads(out)["games"]
        for game in games:
            if "bye" not in game and "winner" not in game:
                game |= {"winner": "black", "black_discs": 40, "white_discs": 24, "end": "normal"}
        data["rounds"].append({"round": number, "games": games})
        event_file.write_text(json.dumps(data), encoding="utf-8")
    code, out, err = kiosk(capsys, "pair", event_file, "--json")
    assert (code, out) == (2, "") and "over" in err
    rows = json.loads(kiosk(capsys, "standings", event_file, "--json")[1])["rows"]
    assert [row["rank"] for row in rows] == [1, 2, 3, 4, 5]
    cost = json.loads(kiosk(capsys, "pair", event_file, "--cost", 3, "--json")[1])
    assert list(cost) == ["round", "played", "optimum"]
    assert cost["played"] == cost["optimum"]
    # the pairs of the finals follow from the standings, so they cost nothing
    assert json.loads(kiosk(capsys, "pair", event_file, "--cost", 8, "--json")[1]) == {
        "round": 8, "played": 0, "optimum": 0,
    }  # fmt: skip
    code, _, err = kiosk(capsys, "pair", event_file, "--cost", 9, "--json")
    assert code == 2 and "no round 9" in err


def test_standings_prints_the_contracts_fields(capsys: pytest.CaptureFixture[str], event_file: Path):
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
    code, out, _ = kiosk(capsys, "standings", event_file, "--json")
    table = json.loads(out)
    assert code == 0
    assert list(table) == ["after_round", "rows"]
    assert table["after_round"] == 1
    assert table["rows"][0] == {
        "rank": 1, "id": "p4", "wins": 1, "discs": 54, "keys": [1, 54], "key_names": ["wins", "brightwell"],
    }  # fmt: skip
    assert [row["wins"] for row in table["rows"]] == [1, 1, 0.5, 0.5, 0]
    assert [row["rank"] for row in table["rows"]] == [1, 2, 3, 3, 5]
    assert json.loads(kiosk(capsys, "standings", event_file, "--after", 0, "--json")[1])["after_round"] == 0
    assert "Player 4" in kiosk(capsys, "standings", event_file)[1]


def test_convert_and_price(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    source = known("events/woc_2018.ELO")
    target = tmp_path / "woc.json"
    code, out, _ = kiosk(capsys, "convert", source, target, "--json")
    assert (code, json.loads(out)) == (0, {"players": 82, "rounds": 20})
    assert json.loads(target.read_text(encoding="utf-8"))["format"] == "swiss"
    # old archives are often not in UTF-8
    old = tmp_path / "old.ELO"
    old.write_bytes(("%%Place: Malmö\n" + source.read_text(encoding="utf-8")).encode("iso-8859-1"))
    assert kiosk(capsys, "convert", old, target)[0] == 0
    cost = json.loads(kiosk(capsys, "pair", target, "--cost", 13, "--json")[1])
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
def test_unusable_events_exit_with_2_and_one_sentence(
    capsys: pytest.CaptureFixture[str], event_file: Path, content: str, words: str
):
    event_file.write_text(content, encoding="utf-8")
    code, out, err = kiosk(capsys, "pair", event_file, "--json")
    assert (code, out) == (2, "")
    assert words in err and err.count("\n") == 1


def test_unusable_files(capsys: pytest.CaptureFixture[str], tmp_path: Path, event_file: Path):
    assert kiosk(capsys, "pair", tmp_path / "none.json")[0] == 2
    assert kiosk(capsys, "pair", tmp_path)[0] == 2
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00")
    code, _, err = kiosk(capsys, "standings", binary)
    assert code == 2 and "UTF-8" in err
    assert kiosk(capsys, "pair", event_file, "--cost", 1)[0] == 2
    assert kiosk(capsys, "standings", event_file, "--after", 9)[0] == 2
    code, _, err = kiosk(capsys, "convert", event_file, tmp_path / "event.doc")
    assert code == 2 and "extension" in err
    elo = tmp_path / "bad.ELO"
    elo.write_text("nothing", encoding="utf-8")
    assert kiosk(capsys, "convert", elo, tmp_path / "out.json")[0] == 2
    elo = known("events/stockholm_2018.ELO")
    assert kiosk(capsys, "convert", elo, tmp_path / "no" / "out.json")[0] == 2


def test_the_reasons_for_a_player_s_games_and_place_are_printed(capsys: pytest.CaptureFixture[str], event_file: Path):
    """The first sentence is a summary, in both languages; the row above is the one above in the standings."""
    event_file.write_text(json.dumps(simulate(GeneratorSettings("swiss", 8, 1, rounds=3))), encoding="utf-8")
    code, out, _ = kiosk(capsys, "standings", event_file, "--json")
    order = [row["id"] for row in json.loads(out)["rows"]]
    code, out, _ = kiosk(capsys, "standings", event_file, "--why", order[3], order[1], "--json")
    told = json.loads(out)
    assert (code, told["above"], told["below"]) == (0, order[1], order[3]) and told["why"]["en"] and told["why"]["ja"]
    code, out, _ = kiosk(capsys, "pair", event_file, "--round", 1, "--player", order[0], "--json")
    (reason,) = json.loads(out)["reasons"]
    assert code == 0 and order[0] in reason["players"] and "have not met" in reason["reasons"][0]["en"]
    played = json.loads(event_file.read_text())["rounds"][0]["games"]
    code, out, _ = kiosk(capsys, "pair", event_file, "--round", 1, "--json")
    assert len(json.loads(out)["reasons"]) == len(played)
    for wrong in (("pair", event_file, "--round", 99), ("standings", event_file, "--why", order[0], order[0])):
        code, out, err = kiosk(capsys, *wrong)
        assert code == 2 and err.startswith("kiosk: ") and len(err.splitlines()) == 1
