"""Tests of ChouChou's score sheet as a workbook (CC-SCO-1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from events.random_events import event_of
from python_calamine import CalamineWorkbook

from engine.i18n import say
from kiosk.cli import main
from kiosk.records.chouchou_score_sheet_workbook import sheet
from kiosk.records.event_file import from_dict

GAMES = [
    [{"black": "p1", "white": "p2", "black_discs": 12, "white_discs": 7, "winner": "black"}, {"bye": "p3"}],
    [
        {"black": "p3", "white": "p1", "black_discs": 4, "white_discs": 6, "winner": "white", "end": "time"},
        {"bye": "p2"},
    ],
]


def data() -> dict[str, object]:
    rounds = [{"round": number, "games": games} for number, games in enumerate(GAMES, start=1)]
    return {**event_of("chouchou", 3), "name": "春の珠取", "date": "2026-04-05", "rounds": rounds}


def test_the_rows_are_those_of_the_standings() -> None:
    """CC-SCO-1, CC-RANK-7: 12 of 10 is +2, 7 is -3; after a loss on time the winner's can be negative (AMB-27)."""
    event = from_dict(data())
    _, head, *lines = sheet(event)
    assert head == ["", say("Round {n}", n=1), say("Round {n}", n=2), say("Total")]
    rows = {str(line[0]): (line[1:], below[1:]) for line, below in zip(lines[::2], lines[1::2], strict=True)}
    assert rows[event.called("p1")] == (["○", "○", "2"], ["+2", "-4", "-2"])
    assert rows[event.called("p2")] == (["×", "○", "1"], ["-3", "0", "-3"])
    assert rows[event.called("p3")] == (["○", "×", "1"], ["0", "-6", "-6"])


def test_the_workbook_has_the_form_of_the_association(tmp_path: Path) -> None:
    source, target = tmp_path / "event.json", tmp_path / "sheet.xlsx"
    source.write_text(json.dumps(data()), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["convert", str(source), str(target)])
    assert ended.value.code == 0
    lines = CalamineWorkbook.from_path(str(target)).get_sheet_by_index(0).to_python()
    assert (lines[0][0], lines[0][3]) == ("春の珠取", "2026-04-05")
    assert [str(cell).rpartition(" / ")[2] for cell in lines[2]] == ["", "Round 1", "Round 2", "Total"]
    assert [lines[3][1:], lines[4][1:]] == [["○", "○", "2"], ["+2", "-4", "-2"]]
    assert len(lines) == 3 + 2 * 3


def test_other_formats_have_no_such_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "event.json").write_text(json.dumps(event_of("swiss", 4)), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["convert", str(tmp_path / "event.json"), str(tmp_path / "sheet.xlsx")])
    assert ended.value.code == 2 and "only ChouChou has a score sheet" in capsys.readouterr().err
