"""The desk's pages of a team event: teams, order sheets, late players, absent players, standings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from heads.forms import send_form
from heads.page_text import read_texts
from heads.staff import chief_at
from heads.tournaments import publish_round

from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.spectator_visibility import read_spectators
from kiosk.head.program import HeadApplication

LIST = "チーム\t氏名\n" + "\n".join(f"組{team}\t選手{team}{n}" for team in "AB" for n in "123")


@pytest.fixture
def teams(tmp_path: Path) -> Iterator[tuple[HeadApplication, httpx.Client]]:
    """Two teams of three, none of whom has arrived."""
    with chief_at(tmp_path, event=None, tables=0) as (program, web):
        assert send_form(web, "/desk/new?kind=team", "/desk/new", tables="1-6").status_code == 303
        _import(web, LIST)
        yield program, web


def _import(web: httpx.Client, text: str) -> None:
    preview = send_form(web, "/division/team/import", "/import", text=text)
    fields = dict(re.findall(r'name="(csrf|column\d+|latin\d+)" value="([^"]*)"', preview.text))
    columns = re.findall(r'<select name="(column\d+)".*?<option value="(\w+)" selected', preview.text, re.DOTALL)
    answer = web.post("/division/team/import/take", data=fields | dict(columns) | {"text": text})
    assert answer.status_code == 303, answer.text


def _text(web: httpx.Client, page: str) -> str:
    return " ".join(read_texts(web.get(page).text))


def test_a_list_adds_players_to_a_team_that_exists(teams: tuple[HeadApplication, httpx.Client]) -> None:
    program, web = teams
    late = "チーム\t氏名\n組A\t補欠 太郎"
    preview = send_form(web, "/division/team/import", "/import", text=late)
    assert "作りません" not in preview.text
    _import(web, late)
    assert [team.players for team in program.desk.state.division("team").event.teams] == [
        ("p1", "p2", "p3", "p7"),
        ("p4", "p5", "p6"),
    ]


def test_undo_of_a_list_takes_back_its_teams_too(teams: tuple[HeadApplication, httpx.Client]) -> None:
    """A list is one change; entered again, it makes the players and the teams anew."""
    program, web = teams
    before = program.desk.state.division("team").event
    assert send_form(web, "/division/team/teams", "/desk/undo").status_code == 303
    division = program.desk.state.division("team")
    assert not division.players() and not division.teams()
    _import(web, LIST)
    again = program.desk.state.division("team").event
    assert (again.players, again.teams) == (before.players, before.teams)


def test_a_late_player_is_added_to_a_team_while_rounds_are_played(teams: tuple[HeadApplication, httpx.Client]) -> None:
    program, web = teams
    publish_round(program, "team")
    _import(web, "氏名\n補欠 太郎")
    assert "チームに入っていないため対局のない選手： 補欠 太郎" in _text(web, "/division/team/teams")
    assert send_form(web, "/division/team/teams", "/teams/join", player="p7").status_code == 303
    assert program.desk.state.division("team").teams()["t1"].players == ("p1", "p2", "p3", "p7")


def test_two_teams_of_one_name_are_refused(teams: tuple[HeadApplication, httpx.Client]) -> None:
    _, web = teams
    _import(web, "氏名\n甲\n乙\n丙")
    typed = {"name": "組 A", "player1": "p7", "player2": "p8", "player3": "p9"}
    answer = send_form(web, "/division/team/teams", "/teams", **typed)
    assert answer.status_code == 409 and "「組 A」というチームはもうあります" in answer.text


def test_a_wrong_order_sheet_names_its_team(teams: tuple[HeadApplication, httpx.Client]) -> None:
    _, web = teams
    answer = send_form(web, "/division/team/teams", "/teams/order", board1="p2")
    assert answer.status_code == 400 and "組A：オーダー表" in answer.text


def test_an_order_sheet_begins_with_the_players_who_are_here(teams: tuple[HeadApplication, httpx.Client]) -> None:
    program, web = teams
    _import(web, "チーム\t氏名\n組A\t補欠 太郎")
    program.desk.players.set_absent("team", ["p1"], absent=True)
    page = web.get("/division/team/teams").text
    assert re.findall(r'<option value="(p\d)" selected', page)[:3] == ["p2", "p3", "p7"]
    assert "選手A1 (欠席・棄権)" in " ".join(read_texts(page))


def test_no_order_sheet_is_asked_of_a_team_that_has_left(teams: tuple[HeadApplication, httpx.Client]) -> None:
    program, web = teams
    _import(web, "チーム\t氏名\n組C\t甲\n組C\t乙\n組C\t丙")
    program.desk.players.check_in("team", program.desk.state.division("team").players(), arrived=True)
    assert "(あと3チーム)" in _text(web, "/desk")
    program.desk.players.set_absent("team", ["p7", "p8", "p9"], absent=True)
    assert "(あと2チーム)" in _text(web, "/desk")
    assert "出場できる選手がいないため、第1回戦の対戦はありません" in _text(web, "/division/team/teams")


def test_a_board_lost_by_absence_is_no_draw_in_the_draft(teams: tuple[HeadApplication, httpx.Client]) -> None:
    program, web = teams
    program.desk.players.set_absent("team", ["p1"], absent=True)
    program.desk.rounds.draft("team")
    page = _text(web, "/division/team/round")
    assert "反則・不戦" in page and "引き分け" not in page


def test_no_colours_are_given_where_the_players_settle_them(teams: tuple[HeadApplication, httpx.Client]) -> None:
    program, web = teams
    program.desk.rounds.draft("team")
    page = web.get("/division/team/round").text
    assert "<th>黒</th>" not in page and 'value="black"' not in page and 'value="byes"' in page


def test_the_standings_of_teams_name_teams(teams: tuple[HeadApplication, httpx.Client]) -> None:
    program, web = teams
    publish_round(program, "team")
    page = web.get("/standings").text
    wall = web.get("/wall?show=standings&lang=ja").text
    assert re.findall(r"<th[^>]*>([^<]*)</th>", wall) == ["順位", "チーム", "チーム勝数", "個人勝数"]
    assert re.findall(r"<th[^>]*>([^<]*)</th>", page) == [
        "順位", "チーム", "チーム勝数", "個人勝数", "石数", "キャプテン", "直前の順位",
    ]  # fmt: skip


ROUND_LISTS = ("/pairings", "/wall?show=pairings&lang=ja", "/overlay/1/pairings", "/event/ja/team/rounds.html")


@pytest.mark.parametrize(("names", "shown"), [("full", "選手B1 (組B)"), ("ids", "p4 (組B)")])
def test_every_public_list_of_a_round_names_the_teams(
    teams: tuple[HeadApplication, httpx.Client], names: str, shown: str
) -> None:
    """Also where the organiser hides the names of players."""
    program, web = teams
    rules = read_spectators({"names": {"everybody": names, "minors": names}})
    program.desk.divisions.change(DivisionChanged("team", spectators=rules))
    publish_round(program, "team")
    with httpx.Client(base_url=web.base_url) as spectator:
        for page in ROUND_LISTS:
            said = _text(spectator, page)
            assert shown in said and said.count("(組A)") == said.count("(組B)") == 3, (page, said)
            assert ("選手" in said) == (names == "full"), page
        standings = _text(spectator, "/event/ja/team/standings.html")
        assert "(組B)" not in standings, "the players stand under their team there"


def test_the_rounds_of_a_team_event_include_the_final(teams: tuple[HeadApplication, httpx.Client]) -> None:
    _, web = teams
    assert "回戦数(最終回戦に決勝)" in _text(web, "/desk/new?kind=team")
    assert "回戦数(決勝の前まで)" in _text(web, "/desk/new?kind=swiss")


def test_equal_discs_are_typed_with_the_holder_of_the_draw_right(teams: tuple[HeadApplication, httpx.Client]) -> None:
    program, web = teams
    publish_round(program, "team")
    assert "同数のとき: 32+ 黒の引き分け勝ち" in _text(web, "/division/team/results")
    typed = {"table": "1", "black": "2", "black_discs": "32"}
    refused = send_form(web, "/division/team/results", "/typed", **typed)
    assert "第1回戦の1番卓には勝者が必要です" in refused.text and "勝者を選んでください" in refused.text
    send_form(web, "/division/team/results", "/typed", **typed | {"black_discs": "32+"})
    game = program.desk.state.division("team").current[0]
    assert game.outcome is not None and (game.outcome.black, game.outcome.winner) == (game.white, "black")
