"""Tests of the event file reader: unknown fields are named by their path, and known ones are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands.called import call

from engine.tournament.event_model import EventError
from kiosk.records.event_file import from_dict, from_json, to_dict
from kiosk.records.event_file_formats_and_csv import read_csv, write_csv

WHO = {
    "number": 12, "national": "00731", "wof": 4410, "kana": "あおき みどり", "latin": "AOKI Midori",
    "remark": "車いす", "fee": 3000,
}  # fmt: skip


def event(**more: Any) -> dict[str, Any]:
    players = [{"id": f"p{n}", "rating": 1500 + n} for n in range(1, 5)]
    return {"schema": "othello-event/1", "format": "swiss", "options": {"random_seed": 1}, "players": players} | more


def test_describing_fields_of_a_player_are_kept():
    """CONTRACT.md: number, national, wof, kana, latin, remark, fee; none of them is the id."""
    data = event()
    data["players"][2] |= WHO
    read = from_dict(data)
    assert {name: getattr(read.players[2], name) for name in WHO} == WHO
    assert to_dict(read)["players"] == data["players"]
    assert from_dict(read_csv(write_csv(to_dict(read)))) == read


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("players", 3, "raiting"), 1800, "$.players[3].raiting"),
        (("players", 0, "rating"), "1800", "$.players[0].rating must be a whole number"),
        (("schema",), "othello-event/2", "schema is 'othello-event/2'; it must be othello-event/1"),
        (("format",), "swizz", "format is 'swizz'; it must be one of"),
        (("rounds",), [{"round": 1, "games": [{"black": "p1"}]}], "$.rounds[0].games[0].white is missing"),
        (
            ("rounds",),
            [{"round": 1, "games": [{"black": "p1", "white": "p2", "black_discs": "40"}]}],
            "$.rounds[0].games[0].black_discs must be a whole number, not '40'",
        ),
    ],
)
def test_a_fault_is_named_by_the_path_of_its_field(path: tuple[Any, ...], value: object, said: str):
    data: Any = event()
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(EventError) as refused:
        from_dict(data)
    assert said in str(refused.value)


@pytest.mark.parametrize("command", ["pair", "standings", "certify", "verify", "draw", "convert"])
def test_every_command_refuses_a_faulty_file_with_the_same_sentence(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "event.json"
    file.write_text(json.dumps(event(format="swizz")), encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        call(command, str(file), *([str(tmp_path / "out.csv")] if command == "convert" else []))
    assert left.value.code == 2 and "format is 'swizz'; it must be one of" in capsys.readouterr().err


def test_a_null_field_counts_as_missing():
    data = event(name=None, teams=None, rounds=None)
    data["players"][0] |= {"absent": None, "withdrawn_after_round": None, "seed": None}
    data["options"] |= {"finals": None, "byes": None}
    assert from_dict(data) == from_dict(event())


def test_half_a_character_is_refused_wherever_it_stands():
    """JSON may hold half of a surrogate pair, which nothing can print or store."""
    half = "\ud800"
    for more in ({"name": half}, {"players": [{"id": half}]}, {"options": {"absences": {half: []}}}):
        with pytest.raises(EventError, match=r"'\\ud800' has half a character"):
            from_dict(event(**more))


def test_a_field_that_is_written_twice_is_refused():
    """Of two lists of rounds one would be lost."""
    text = json.dumps(event())
    assert from_json(text) == from_dict(event())
    for twice in (text[:-1] + ', "rounds": [], "rounds": []}', text.replace('{"id"', '{"rating": 1, "id"', 1)):
        with pytest.raises(EventError, match=r"field '(rounds|rating)' is written twice; remove one"):
            from_json(twice)


def test_a_number_of_thousands_of_digits_is_named():
    with pytest.raises(EventError, match="a number has too many digits"):
        from_json(json.dumps(event()).replace("1501", "1" * 5000))
