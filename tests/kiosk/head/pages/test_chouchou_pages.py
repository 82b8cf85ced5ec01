"""The desk's pages of a ChouChou event: results are pieces taken, and nobody has Black."""

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

from engine.end_reason import EndReason
from engine.tournament.event_model import Game, Player, Winner
from kiosk.head.desk.result_entry_and_correction import result_entered_act
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.program import HeadApplication

RESULTS = "/division/chouchou/results"


@pytest.fixture
def chouchou(tmp_path: Path) -> Iterator[tuple[HeadApplication, httpx.Client]]:
    """Round 1 of four players at two tables without a kiosk."""
    with chief_at(tmp_path, event=None, tables=0) as (program, web):
        assert send_form(web, "/desk/new?kind=chouchou", "/desk/new", tables="1-2").status_code == 303
        program.desk.players.add("chouchou", [Player("", name) for name in ("甲", "乙", "丙", "丁")])
        publish_round(program, "chouchou")
        yield program, web


def _first(program: HeadApplication) -> HeadGame:
    return next(game for game in program.desk.state.division("chouchou").current if game.table == 1)


@pytest.mark.parametrize("typed", ["10", "+", "10+", "8-7", "12-10"])
def test_an_impossible_result_is_refused(chouchou: tuple[HeadApplication, httpx.Client], typed: str) -> None:
    """CC-WIN-1 needs the pieces of both, the winner's not below the target; the standings could not use another."""
    program, web = chouchou
    answer = send_form(web, RESULTS, "/typed", table="1", black_discs=typed)
    assert answer.status_code == 400 and "1番卓" in answer.text and "駒" in answer.text
    assert "black_discs" not in " ".join(read_texts(answer.text))
    assert _first(program).outcome is None and web.get("/standings").status_code == 200


def test_an_impossible_result_is_refused_on_the_games_page(chouchou: tuple[HeadApplication, httpx.Client]) -> None:
    program, web = chouchou
    page = f"/division/chouchou/game/{_first(program).id}"
    for typed in ({"won": _first(program).black}, {}, {"black_discs": "11"}, {"white_discs": "4", "won": "p1"}):
        answer = send_form(web, page, "/enter", **typed)
        assert answer.status_code == 400 and "取った駒の数がありません" in answer.text
    assert send_form(web, page, "/enter", black_discs="11", white_discs="4").status_code == 303
    answer = send_form(web, page, "/correct", won=_first(program).black, black_discs="", white_discs="", reason="x")
    assert answer.status_code == 400 and "取った駒の数がありません" in answer.text
    assert web.get("/standings").status_code == 200


def test_a_stored_result_without_pieces_is_corrected(chouchou: tuple[HeadApplication, httpx.Client]) -> None:
    """An earlier version stored wins without pieces. The page of a correction names the game that still lacks them."""
    program, web = chouchou
    games = program.desk.state.division("chouchou").current
    for game in games:
        won = Game(game.black, str(game.white), winner=Winner.BLACK, end=EndReason.NORMAL, rated=True)
        program.desk.core.act(result_entered_act("chouchou", game.id, won, ""), [])
    for game, shown in zip(games, ("取った駒の数がありません", "訂正前は順位を計算できませんでした"), strict=True):
        page = f"/division/chouchou/game/{game.id}"
        answer = send_form(web, page, "/correct", black_discs="11", white_discs="4", reason="x")
        assert answer.status_code == 303 and "/correction/" in answer.headers["location"]
        corrected = web.get(answer.headers["location"])
        assert corrected.status_code == 200 and shown in corrected.text and "11–4" in corrected.text
        assert web.get(page).status_code == 200
    assert web.get("/standings").status_code == 200


def test_a_result_is_typed_without_colours(chouchou: tuple[HeadApplication, httpx.Client]) -> None:
    program, web = chouchou
    page = web.get(RESULTS).text
    assert "data-open" not in page and "取った駒(例 10-7)" in page
    send_form(web, RESULTS, "/typed", table="1", black_discs="7-10")
    game = _first(program)
    assert game.outcome is not None
    assert (game.outcome.black, game.outcome.black_discs, game.outcome.winner) == (game.black, 7, "white")


def test_no_page_names_colours(chouchou: tuple[HeadApplication, httpx.Client]) -> None:
    program, web = chouchou
    send_form(web, RESULTS, "/typed", table="1", black_discs="10-3")
    game = f"/division/chouchou/game/{_first(program).id}"
    site = [f"/event/ja/chouchou/{page}.html" for page in ("rounds", "crosstable", "standings")]
    hall = ("/", "/pairings", "/standings", "/wall?show=pairings&lang=ja", "/where?name=甲")
    for page in (*hall, RESULTS, game, "/print/slips", "/print/seats", *site):
        words = " ".join(read_texts(web.get(page).text))
        assert not re.search("黒|(?<!余)白|石数", words), (page, words)
        assert "甲" in words or page.startswith("/division/")
