"""Tests of player lists at the desk: no line is dropped silently, and a line can be corrected in the preview."""

from __future__ import annotations

import io
from typing import Any

import pytest
import xlsxwriter
from heads.forms import Button, Form, forms_of, send_form, the_form
from httpx import Client, Response

from engine.tournament.player_entry_fields import Player
from kiosk.head.event.act_types import Title, event_of
from kiosk.head.event.tournament_state import DivisionState, TableRules
from kiosk.head.program import HeadApplication

AT = "/division/main/import"
MESSY = """No.\t氏名（漢字）\tフリガナ\t段・級\t生まれた年\t電話番号\tチーム名
1\t山田 太郎\tヤマダ タロウ\t参段\t平成４０年\t090\t緑
2\t髙橋 花\tタカハシ ハナ\t2級\t平成20年\t090\t緑
\t合計　60名\t\t\t\t\t
3\t佐藤 一\tサトウ ハジメ\t初段\t2001\t090\t緑
"""


@pytest.fixture
def options() -> dict[str, Any]:
    return {"event": None, "tables": 2}


@pytest.fixture
def program(program: HeadApplication) -> HeadApplication:
    event = event_of({"schema": "othello-event/1", "format": "team", "players": []})
    program.desk.divisions.create(event, TableRules("", 1200), "main")
    return program


def _look(web: Client, text: str = "", upload: bytes = b"") -> Response:
    form, button = the_form(web, AT, "/import", "Preview")
    answer = form.send(web, button, upload, text=text)
    assert answer.status_code == 200, answer.text
    return answer


def _button(answer: Response, words: str) -> tuple[Form, Button]:
    for form in forms_of(answer.text, AT):
        for button in form.buttons:
            if words in button.words:
                return form, button
    raise AssertionError(words)


def _people(program: HeadApplication) -> dict[str | None, tuple[object, ...]]:
    division: DivisionState = program.desk.state.division()
    return {one.name: (one.kana, one.grade, one.birth_year) for one in division.event.players}


def test_no_line_of_a_list_is_dropped_silently(program: HeadApplication, web: Client) -> None:
    """Kana, 段・級, 生まれた年 and teams are read; a total does not count as a player; 平成40年 is no year; ignored
    columns are named; rejected lines stay on the page."""
    answer = _look(web, MESSY)
    assert "These columns are not imported:" in answer.text and "電話番号" in answer.text
    assert (
        "平成４０年" in answer.text
        and "there was no year 平成40;" in answer.text
        and "its year 31" in answer.text
        and "is a count of players" in answer.text
    )
    form, button = _button(answer, "Import")
    left = form.send(web, button)
    assert left.status_code == 200 and "合計" in left.text and "2 players were imported" in left.text
    assert _people(program) == {
        "髙橋 花": ("タカハシ ハナ", "2k", 2008), "佐藤 一": ("サトウ ハジメ", "1d", 2001),
    }  # fmt: skip
    form, button = _button(left, "Preview")
    mended = next(one.value for one in form.fields if one.name == "text").replace("平成４０年", "平成14年")
    form, button = _button(form.send(web, button, text=mended), "Import")
    form.send(web, button)
    assert _people(program)["山田 太郎"] == ("ヤマダ タロウ", "3d", 2002)


def test_a_line_is_corrected_in_the_preview(program: HeadApplication, web: Client) -> None:
    form, button = _button(_look(web, MESSY), "Check again")
    wrong = next(one for one in form.fields if one.name.startswith("mended") and "平成" in one.value)
    again = form.send(web, button, **{wrong.name: wrong.value.replace("平成４０年", "平成4年")})
    form, button = _button(again, "Import")
    form.send(web, button)
    assert _people(program)["山田 太郎"][2] == 1992
    (team,) = program.desk.state.division().event.teams
    assert team.name == "緑" and len(team.players) == 3


def test_the_example_of_a_line_has_a_grade_in_the_pages_language(program: HeadApplication, web: Client) -> None:
    assert "青木 みどり&#9;3段&#9;2012" in web.get(AT, params={"lang": "ja"}).text


def test_going_back_keeps_the_pasted_text(program: HeadApplication, web: Client) -> None:
    form, button = _button(_look(web, MESSY), "Change the list")
    form, _ = _button(form.send(web, button), "Preview")
    assert next(one.value for one in form.fields if one.name == "text").strip() == MESSY.strip()


def test_the_meaning_of_a_column_can_be_chosen(program: HeadApplication, web: Client) -> None:
    form, button = _button(_look(web, "氏名\tひみつ\n山田 太郎\t緑石会\n"), "Check again")
    form, button = _button(form.send(web, button, column2="club"), "Import")
    assert form.send(web, button).status_code == 303
    (player,) = program.desk.state.division().event.players
    assert player.club == "緑石会"


def test_a_workbook_is_read_with_all_its_sheets(program: HeadApplication, web: Client) -> None:
    """The sheet with a heading is shown first, the others with one press."""
    book = _workbook({"案内": [["ようこそ"]], "申込": [["お名前", "ふりがな"], ["山田 太郎", "やまだ たろう"]]})
    answer = _look(web, upload=book)
    assert "やまだ たろう" in answer.text
    form, button = _button(answer, "Sheet 案内")
    assert "ようこそ" in form.send(web, button).text
    form, button = _button(answer, "Import")
    form.send(web, button)
    assert _people(program) == {"山田 太郎": ("やまだ たろう", None, None)}
    form, button = the_form(web, AT, "/import", "Preview")
    broken = form.send(web, button, book[:200])
    assert broken.status_code == 400 and "save its list as CSV" in broken.text


def test_incomplete_teams_are_named_and_unused_columns_ignored(program: HeadApplication, web: Client) -> None:
    """Two players of one team make none; in a division without teams the column is ignored and named."""
    text = "氏名\t学年\tチーム\n山田 太郎\t小4\t緑\n佐藤 一\t小5\t緑\n"
    assert "these are not made: 緑" in _look(web, text).text
    event = event_of({"schema": "othello-event/1", "format": "swiss", "players": []})
    program.desk.divisions.create(event, TableRules("", 1200), "alone")
    at = "/division/alone/import"
    form, button = the_form(web, at, "/import", "Preview")
    answer = form.send(web, button, text=text).text
    assert "These columns are not imported: チーム" in answer and "these are not made" not in answer
    assert ">Remark</th>" in answer and ">小4</td>" in answer


def test_the_list_of_numbers_tells_namesakes_apart(program: HeadApplication, web: Client) -> None:
    program.desk.players.add("main", [Player("", "田中 太郎", birth_year=year) for year in (1970, 2009)])
    text = web.get("/division/main/numbers").text
    assert "田中 太郎 (1970)" in text and "田中 太郎 (2009)" in text


def test_an_entry_is_not_completed_from_a_namesake_of_another_birth_year(program: HeadApplication, web: Client) -> None:
    known = {"name": "田中 太郎", "grade": "6d", "national": "123", "birth_year": 1970}
    program.services.remote.roster.own.replace([known])
    for year in ("2015", "1970"):
        typed = {"name": "田中太郎", "birth_year": year}
        assert send_form(web, "/division/main/players", "/players", "Enter", **typed).status_code == 303
    child, adult = program.desk.state.division().event.players
    assert (child.grade, child.national) == (None, None) and (adult.grade, adult.national) == ("6d", "123")


def _workbook(sheets: dict[str, list[list[str]]]) -> bytes:
    written = io.BytesIO()
    with xlsxwriter.Workbook(written) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return written.getvalue()


def test_a_division_column_assigns_players_and_names_those_in_two(program: HeadApplication, web: Client) -> None:
    for slug, title in (("open", Title("無差別の部", "Open")), ("kids", Title("小学生の部", "Children"))):
        event = event_of({"schema": "othello-event/1", "format": "swiss", "players": []})
        program.desk.divisions.create(event, TableRules("", 1200), slug, title=title)
    text = (
        "氏名\t部門\t所属\n山田 太郎\t無差別の部\t緑石会\n佐藤 花\t〃\t〃\n鈴木 一\t小学生の部\t\n"
        "山田太郎\tChildren\t\n西 次郎\tシニア\t\n東 三郎\t〃\t\n"
    )
    form, button = the_form(web, "/division/open/import", "/import", "Preview")
    answer = form.send(web, button, text=text)
    assert "no division &#39;シニア&#39;" in answer.text and "also entered in Children" in answer.text
    form, button = _button(answer, "Check again")
    chosen = form.send(web, button, means1="kids").text
    assert "6 new players, 0 already known, 0 lines not imported" in chosen
    assert '<option value="kids" selected>Children</option>' in chosen  # and stays chosen
    form, button = _button(answer, "Import")
    left = form.send(web, button)
    named = {slug: [one.name for one in program.desk.state.division(slug).event.players] for slug in ("open", "kids")}
    assert named == {"open": ["山田 太郎", "佐藤 花"], "kids": ["鈴木 一", "山田太郎"]}
    assert {one.club for one in program.desk.state.division("open").event.players} == {"緑石会"}
    form, _ = _button(left, "Preview")
    rest = next(one.value for one in form.fields if one.name == "text").strip("\n")
    assert rest.split("\n")[1:] == ["西 次郎\tシニア\t", "東 三郎\tシニア"]  # the repeated value is kept
