"""Tests of closing the event (大会終了): one press closes four divisions, and every file of the zip is read back."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from heads.finished_tournament import played_tournament
from heads.staff import add_person, first_chief, token, use_code
from heads.tournaments import RULES, outcome
from heads.world import event, playing_table, running_head
from oracles.rating_list import strictly
from waiting import HANGS_S, until

from engine.board.ggf import read_ggf
from engine.tournament.player_entry_fields import in_latin_letters
from kiosk.cli import main
from kiosk.head.event.act_types import Title, event_of
from kiosk.head.export.published_event_builder import staff_book
from kiosk.head.program import HeadApplication
from kiosk.records.event_file import from_json

TOP = "othello-2031-04-05"
Hall = tuple[HeadApplication, httpx.Client]


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """Four finished divisions, and the chief's browser."""
    with played_tournament(tmp_path_factory.mktemp("head")) as (program, url), httpx.Client(base_url=url) as web:
        web.timeout = httpx.Timeout(60)
        first_chief(web, program.access.setup_code or "")
        yield program, web


def close(program: HeadApplication, web: httpx.Client) -> zipfile.ZipFile:
    form = {"csrf": token(web), "place": "千代田 Hall", "country": "Japan", "sender": "A. Sato"}
    assert web.post("/close", data=form).status_code == 303
    until(lambda: not program.outbound.closing.progress.running)
    answer = web.get("/close/event.zip")
    assert answer.status_code == 200 and f"{TOP}.zip" in answer.headers["content-disposition"]
    return zipfile.ZipFile(io.BytesIO(answer.content))


def test_closing_makes_all_files_and_names_those_it_cannot_make(hall: Hall, tmp_path: Path) -> None:
    program, web = hall
    page = web.get("/close?lang=ja").text
    assert "交流" in page and "ローマ字の名前がない選手が1名います" in page
    with close(program, web) as archive:
        names = {name.removeprefix(f"{TOP}/") for name in archive.namelist()}
        (refused,) = program.outbound.closing.progress.refused
        assert "青木 みどり" in str(refused) and "rating-list/20310405_Spring_Open_Friends.ELO" in str(refused)
        assert {"README.txt", "backup/othello-head.backup", "federation/games-ja.csv", "record/index.html"} <= names
        assert {"record/files/article-ja.md", "record/files/article-en.txt", "record/en/article.html"} <= names
        archive.extractall(tmp_path)
    sent = tmp_path / TOP / "rating-list"
    titles = {slug: program.desk.state.division(slug).title[1] for slug in ("open", "women", "juniors")}
    file_of = {slug: f"20310405_Spring_Open_{title}.ELO" for slug, title in titles.items()}
    assert sorted(file.name for file in sent.iterdir()) == sorted(file_of.values())
    for slug in ("open", "women", "juniors"):
        file, played = sent / file_of[slug], program.desk.state.division(slug).whole()
        read = strictly(file.read_bytes())
        assert (read.header["Country"], read.header["Sender"]) == ("Japan", "A. Sato")
        assert (read.header["Tournament"], read.header["Date"]) == (f"Spring Open {titles[slug]}", "05/04/2031")
        assert len(read.names) == len(played.players)
        with pytest.raises(SystemExit) as told:
            main(["convert", str(file), str(tmp_path / "back.json")])
        assert not told.value.code
        back = from_json((tmp_path / "back.json").read_text())
        assert [len(one.games) for one in back.rounds] == [len(one.games) for one in played.rounds]
    assert strictly((sent / file_of["open"]).read_bytes()).newcomers == {990_001, 990_002, 990_003}
    kept = tmp_path / TOP / "event" / "friends.json"
    state = program.desk.state
    assert from_json(kept.read_text()) == state.named_event(state.division("friends"))


def test_the_federation_s_lists_agree_with_the_event(hall: Hall) -> None:
    """Each game is there once, with numbers, names, discs, Black's player, rated or not; the page shows the same
    rows."""
    program, web = hall
    rows = table(web, "games", "en")
    divisions = program.desk.state.divisions.values()
    played = [game for one in divisions for round_ in one.whole().rounds for game in round_.games]
    assert len(rows) == len(played) and {row["Date"] for row in rows} == {"2031-04-05"}
    for row, game in zip(rows, played, strict=True):
        assert (row["Black's discs"], row["White's discs"]) == (str(game.black_discs), str(game.white_discs))
        assert row["Winner"] == str(game.winner).title() and row["Rated"] == "yes"
        assert row["Black's membership number"] == f"00{game.black[1:]}"
    page = web.get("/lists/games?lang=ja").text
    assert "会員番号" in page and page.count("<tr>") == len(rows) + 1
    entries = table(web, "entries", "ja")
    assert len(entries) == 22 and (entries[0]["世界レーティングの番号(WOF)"], entries[0]["会員番号"]) == ("5300", "000")
    assert [row["Entered"] for row in table(web, "numbers", "en")] == ["8", "4", "4", "6"]
    assert [row["回戦数"] for row in table(web, "numbers", "ja")] == ["3", "3", "2", "3"]
    assert {row["Certificate"] for row in table(web, "certificates", "en")} == {"Certificate"}
    for kind in ("grades", "oza"):
        assert table(web, kind, "ja") == []
    assert web.get("/lists/money").status_code == 404


def table(web: httpx.Client, kind: str, lang: str) -> list[dict[str, str]]:
    text = web.get(f"/lists/{kind}.csv?lang={lang}").text
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def test_the_announcement_is_one_text_in_three_renderings(hall: Hall) -> None:
    """Winners and crosstables are in all three, with ○ and ●, never the numeral 〇."""
    program, web = hall
    as_entered = program.desk.state.division("juniors").event.players
    for lang, winners, players in (
        ("ja", "優勝", as_entered),
        ("en", "Winner", [in_latin_letters(one) for one in as_entered]),
    ):
        page = web.get(f"/event/{lang}/article.html").text
        markdown = web.get(f"/event/files/article-{lang}.md").text
        plain = web.get(f"/event/files/article-{lang}.txt").text
        for text in (page, markdown, plain):
            assert winners in text and "○" in text and "●" in text and "〇" not in text
            assert all(str(one.name) in text for one in players)
        assert markdown.startswith("# 春の大会 Spring Open\n") and "|---|---|" in markdown
    assert web.get("/event/files/article-fr.md").status_code == 404


def test_divisions_of_a_tournament_with_a_long_name_have_files_of_their_own(hall: Hall) -> None:
    program, web = hall
    state, divisions = program.desk.state, program.desk.divisions
    divisions.rename_tournament(state.name, state.date, "43rd Othello Meijin National Championship")
    try:
        names = [path for path, _ in program.outbound.closing._files_to_make() if path.startswith("rating-list/")]
        one_by_one = [web.get("/publish/elo", params={"division": slug}) for slug in state.divisions]
    finally:
        divisions.rename_tournament(state.name, state.date, state.name_en)
    assert [name.removeprefix("rating-list/20310405_43rd_Othello_Meijin_") for name in names] == [
        "National_C.ELO", "Nati_women.ELO", "Na_juniors.ELO", "Na_friends.ELO",
    ]  # fmt: skip
    downloaded = [one.headers["content-disposition"].rpartition("'")[2] for one in one_by_one if one.is_success]
    assert len(downloaded) == 3 and downloaded == [name.removeprefix("rating-list/") for name in names[:3]]


def test_open_games_are_named_and_only_the_chief_may_close(hall: Hall) -> None:
    program, web = hall
    game = program.desk.state.division("friends").current[0]
    program.desk.results.take_back(game.id, "mistake")
    try:
        assert "1 game of round 3 has no result" in web.get("/close?lang=en").text
    finally:
        program.desk.results.enter(game.id, outcome(game, 40))
    code = add_person(web, "受付", "desk")
    with httpx.Client(base_url=str(web.base_url), timeout=HANGS_S) as clerk:
        use_code(clerk, code)
        assert clerk.get("/close").status_code == 403 and clerk.get("/close/event.zip").status_code == 403
        assert clerk.get("/lists/entries").status_code == 200
    with httpx.Client(base_url=str(web.base_url), timeout=HANGS_S) as spectator:
        assert spectator.get("/lists/entries").status_code in (303, 403)
        assert spectator.get("/event/ja/article.html").status_code == 200


def test_a_disk_error_is_reported_and_the_previous_zip_kept(hall: Hall) -> None:
    program, web = hall
    if program.outbound.closing.progress.file is None:
        close(program, web).close()
    draft = program.config.data / "closing" / "event.zip.new"
    draft.mkdir()
    try:
        with close(program, web) as archive:
            assert archive.testzip() is None
        assert any("look at the disk" in str(one) for one in program.outbound.closing.progress.refused)
    finally:
        draft.rmdir()


def test_games_of_tables_have_the_time_of_each_turn(tmp_path: Path) -> None:
    """In a table's game of seven seconds a turn, GGF has the time used after each move, passes included."""
    with running_head(tmp_path, auto=True) as (program, _):
        playing_table(program, 3).finish()
        until(lambda: any(game.table == 3 and not game.is_open for game in program.desk.state.current))
        program.outbound.closing.start()
        until(lambda: not program.outbound.closing.progress.running)
        assert program.outbound.closing.progress.file is not None
        with zipfile.ZipFile(program.outbound.closing.progress.file) as archive:
            (game,) = read_ggf(archive.read(f"{TOP}/games/main.ggf").decode())
        assert len(game.notes) == len(game.moves) > 50 and set(game.notes) == {"//7.00"}


def test_an_unnamed_tournament_is_not_called_by_its_first_division(tmp_path: Path) -> None:
    with running_head(tmp_path, event=None) as (program, url), httpx.Client(base_url=url) as web:
        for slug in ("kids", "open"):
            made = event_of(event(4, "swiss") | {"name": slug})
            program.desk.divisions.create(made, RULES, slug, title=Title(slug, ""))
        first_chief(web, program.access.setup_code or "")
        book = staff_book(program.desk)
        assert (book.name, book.name_en) == ("オセロ大会", "Othello tournament")
        assert [division.event.name for division in book.divisions] == ["kids", "open"]
        assert "the tournament has no name" in web.get("/close?lang=en").text
        assert "<b>kids" not in web.get("/print/badges").text
        program.desk.divisions.rename_tournament("春の大会", "")
        assert staff_book(program.desk).name == "春の大会"
