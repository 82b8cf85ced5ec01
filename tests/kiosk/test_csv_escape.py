"""Tests of CSV: no cell is executed by a spreadsheet, and reading a file gives what was written."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.position import Position
from kiosk.head.registration.player_list_import import parse_list
from kiosk.records.event_file import from_dict
from kiosk.records.event_file_formats_and_csv import WRITERS, csv_text, plain_text, read_csv, write_csv
from kiosk.records.game_file_formats import READERS, GameRecord
from kiosk.records.game_file_formats import WRITERS as GAME_WRITERS

FORMULAS = (
    "=1+1", '=HYPERLINK("http://x","y")', "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠x",
    "'=1", "''=1", "'", "'Lund", "-", "=",
)  # fmt: skip
RUNS = tuple("=+-@\t\r\n＝＋－＠")


def _cells(text: str) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(text, newline=""), strict=True) for cell in row]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_name_that_is_a_formula_is_written_as_text_and_read_back(name: str) -> None:
    event = {
        "schema": "othello-event/1",
        "name": name,
        "format": "swiss",
        "players": [{"id": "p1", "name": name, "club": name}, {"id": "p2", "name": "Lund", "rating": -5}],
        "rounds": [{"round": 1, "games": [{"black": "p1", "white": "p2", "winner": "black"}]}],
    }
    text = write_csv(event)
    assert not [cell for cell in _cells(text) if cell.startswith(RUNS) and cell != "-5"]
    again = read_csv(text)
    if name.strip() == name:
        assert again["name"] == name and again["players"] == event["players"]
    published = WRITERS[".csv"](from_dict(event))
    assert not [cell for cell in _cells(published.removeprefix("\ufeff")) if cell.startswith(RUNS) and cell != "-5"]


@pytest.mark.parametrize("name", FORMULAS)
def test_names_in_games_are_escaped_too(name: str) -> None:
    game = GameRecord(Position.start(), (), name, "2031-04-05", name, "Lund", None)
    text = GAME_WRITERS[".csv"]([game])
    assert not [cell for cell in _cells(text) if cell.startswith(RUNS)]
    assert READERS[".csv"](text) == [game]


def test_an_exported_list_is_imported_with_unchanged_names() -> None:
    listing = parse_list(csv_text([("id", "name"), ("p1", "=1+1"), ("p2", "'=1"), ("p3", "'Lund")]))
    assert [entry.player["name"] for entry in listing.entries] == ["=1+1", "'=1", "'Lund"]


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r\n＝a ,\""), max_size=8))
def test_every_text_is_read_back_equal(text: str) -> None:
    (cell,) = _cells(csv_text([(text,)])) or [""]
    assert plain_text(cell) == text and not cell.startswith(RUNS)
