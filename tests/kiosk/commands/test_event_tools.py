"""Tests of ``certify``, ``convert``, ``--explain``, ``random-event`` and ``verify`` as used by scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands.called import Cli


def simulated(cli: Cli, path: Path, *arguments: object) -> Path:
    assert cli("random-event", *arguments, "--out", path)[0] == 0
    return path


def test_certify_prints_the_contracts_fields_alone(cli: Cli, tmp_path: Path):
    event = simulated(cli, tmp_path / "e.json", "m43-open", "--players", 20)
    data = cli.json("certify", event)
    assert list(data) == ["awards"]
    assert all(list(award) == ["id", "grade", "rule", "fee", "oza"] for award in data["awards"])
    assert data["awards"][0]["grade"] == "7d" and data["awards"][0]["fee"] is False
    code, out, _ = cli("certify", event)
    assert code == 0 and "7d" in out and "王座戦" in out


def test_certify_warns_while_the_event_runs_and_refuses_formats_without_grades(cli: Cli, tmp_path: Path):
    event = simulated(cli, tmp_path / "e.json", "m40-9-12", "--players", 10)
    data = json.loads(event.read_text(encoding="utf-8"))
    data["rounds"] = data["rounds"][:4]
    event.write_text(json.dumps(data), encoding="utf-8")
    code, out, err = cli("certify", event, "--json")
    assert code == 0 and json.loads(out)["awards"] and "not over" in err
    swiss = simulated(cli, tmp_path / "s.json", "swiss", "--players", 6)
    assert "no certification table" in cli.refused("certify", swiss, "--json")


def test_simulated_events_are_valid_and_altered_ones_are_reported(cli: Cli, tmp_path: Path):
    code, out, _ = cli("random-event", "m40-open", "--players", 30, "--seed", 4)
    assert code == 0
    data = json.loads(out)
    event = tmp_path / "e.json"
    event.write_text(out, encoding="utf-8")
    report = cli.json("verify", event)
    assert report["problems"] == [] and "M40P-9" in report["checked"]
    games = [g for g in data["rounds"][1]["games"] if "bye" not in g]
    games[0]["white"], games[1]["white"] = games[1]["white"], games[0]["white"]
    event.write_text(json.dumps(data), encoding="utf-8")
    report = json.loads(cli("verify", event, "--json")[1])
    assert [set(problem) for problem in report["problems"]] == [{"rule", "round", "players", "text"}] * len(
        report["problems"]
    )
    assert "M40P-9" in {problem["rule"] for problem in report["problems"]}
    assert "M40P-9" in cli("verify", event)[1]


def test_explain_gives_reasons_for_every_pair_and_every_row(cli: Cli, tmp_path: Path):
    event = simulated(cli, tmp_path / "e.json", "swiss", "--players", 9, "--rounds", 3)
    data = json.loads(event.read_text(encoding="utf-8"))
    data["options"]["rounds"] = 5
    event.write_text(json.dumps(data), encoding="utf-8")
    plain = cli.json("pair", event)
    paired = cli.json("pair", event, "--explain")
    assert {**paired, "reasons": None} == {**plain, "reasons": None}
    assert len(paired["reasons"]) == len(paired["games"]) == 5
    assert all(set(words) == {"ja", "en"} for reason in paired["reasons"] for words in reason["reasons"])
    one = cli.json("pair", event, "--player", "p3")
    assert len(one["reasons"]) == 1 and "p3" in one["reasons"][0]["players"]
    assert cli("pair", event, "--player", "p77")[0] == 2
    out = cli("pair", event, "--explain")[1]
    assert "they have not met" in out and "まだ対戦していません" in out
    rows = cli.json("standings", event, "--explain")["rows"]
    assert all(set(row["why"]) == {"ja", "en"} for row in rows)
    assert "why" not in cli.json("standings", event)["rows"][0]
    assert "勝数" in cli("standings", event, "--explain")[1]


def test_pairing_constraints_in_the_file_are_respected(cli: Cli, tmp_path: Path):
    event = simulated(cli, tmp_path / "e.json", "swiss", "--players", 8, "--rounds", 2)
    data = json.loads(event.read_text(encoding="utf-8"))
    data["options"] |= {"rounds": 5, "byes": {"3": ["p1", "p2"]}, "forbidden": {"*": [["p3", "p4"]]}}
    event.write_text(json.dumps(data), encoding="utf-8")
    games = cli.json("pair", event)["games"]
    assert {g["bye"] for g in games if "bye" in g} == {"p1", "p2"}
    assert {"p3", "p4"} not in [{g.get("black"), g.get("white")} for g in games]


@pytest.mark.parametrize("extension", [".csv", ".ELO", ".json"])
def test_an_event_converted_and_back_is_the_same(cli: Cli, tmp_path: Path, extension: str):
    event = simulated(cli, tmp_path / "e.json", "swiss", "--players", 11)
    other = tmp_path / f"other{extension}"
    assert json.loads(cli("convert", event, other, "--json")[1]) == {"players": 11, "rounds": 6}
    back = tmp_path / "back.json"
    assert cli("convert", other, back)[0] == 0
    before = cli.json("standings", event)["rows"]
    after = cli.json("standings", back)["rows"]
    assert [row["keys"] for row in before] == [row["keys"] for row in after]


def test_a_player_list_is_converted_to_an_event_that_can_be_paired(cli: Cli, tmp_path: Path):
    players = tmp_path / "joueurs.txt"
    players.write_text("pays = FRA\n 1 A, B %_<1500>\n 2 C, D\n 3 E, F\n 4 G, H\n", encoding="utf-8")
    event = tmp_path / "e.json"
    assert cli("convert", players, event)[0] == 0
    assert cli("pair", event, "--json")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("random-event", "chess"), "no format is called 'chess'"),
        (("random-event", "m40-9-12", "--players", "30"), "30 players"),
        (("random-event", "swiss", "--out", "{tmp}/no/e.json"), "cannot write"),
        (("verify", "{tmp}/none.json"), "cannot read"),
        (("verify", "{tmp}/bad.json"), "no event"),
        (("verify", "{tmp}/text.json"), "not JSON"),
        (("convert", "{tmp}/bad.json", "{tmp}/x.doc"), "extension '.doc'"),
        (("convert", "{tmp}/bad.csv", "{tmp}/x.json"), "line 1"),
        (("convert", "{tmp}/bad.json", "{tmp}/x.csv"), "schema"),
    ],
)
def test_unusable_input_exits_with_2_and_one_sentence(cli: Cli, tmp_path: Path, arguments: tuple[str, ...], words: str):
    (tmp_path / "bad.json").write_text("{}", encoding="utf-8")
    (tmp_path / "text.json").write_text("nothing", encoding="utf-8")
    (tmp_path / "bad.csv").write_text("what\n", encoding="utf-8")
    assert words in cli.refused(*(argument.format(tmp=tmp_path) for argument in arguments))
