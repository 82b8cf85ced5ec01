"""Tests that pages show values readably: times of the hall, names, winners, announcements, and no internal values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import httpx
import pytest
from heads.forms import forms_of, send_form, the_form
from heads.staff import token
from heads.tournaments import finish_round, outcome, publish_round
from heads.world import PlayedTable, event
from httpx import URL, Client
from waiting import HANGS_S

from engine.tournament import planned_rounds
from engine.tournament.player_entry_fields import Player
from kiosk.errors import InputError
from kiosk.head.event.act_types import event_of
from kiosk.head.event.tournament_state import TableRules
from kiosk.head.program import HeadApplication
from kiosk.head.program.listening_sockets_tls_and_server import listen
from kiosk.head.publish.print_sheets import KINDS
from kiosk.records.event_file_formats_and_csv import read_csv, write_csv


def test_the_timetable_shows_the_time_of_round_1(web: Client) -> None:
    page = "/division/main/timetable"
    form, button = the_form(web, page, "/timetable/printed")
    shown = next(one.value for one in form.fields if one.name == "first")
    assert shown == ""
    assert form.send(web, button, plan="M43T open", first="9:40").status_code == 303
    form, _ = the_form(web, page, "/timetable/printed")
    assert next(one.value for one in form.fields if one.name == "first") == "09:40"


def test_players_of_one_name_are_told_apart_where_lots_are_entered(program: HeadApplication, web: Client) -> None:
    for id, club in (("p1", "East"), ("p2", "West")):
        program.desk.players.change("main", id, {"name": "山田 太郎", "club": club, "latin": None})
    page = web.get("/division/main/lots?lang=ja").text
    assert "山田 太郎 (East)" in page and "山田 太郎 (West)" in page


def test_the_sign_in_page_says_if_the_head_was_restored(program: HeadApplication, web: Client) -> None:
    with Client(base_url=web.base_url, timeout=HANGS_S, headers={"accept-language": "en"}) as stranger:
        assert "backup" not in stranger.get("/sign-in?password=1").text
        program.store.begin_life("restored")
        assert "backup" in stranger.get("/sign-in?password=1").text


def test_black_of_the_result_comes_first_beside_it(program: HeadApplication, web: Client) -> None:
    """Two who settled the colours, or whose slip was read the wrong way, had them the other way round."""
    publish_round(program)
    (game, *_), called = program.desk.state.division().current, program.desk.state.division().called
    drawn = outcome(game, 40)
    program.desk.results.enter(game.id, replace(drawn, black=drawn.white, white=drawn.black))
    pages = [web.get(f"/division/main/{page}").text for page in (f"player/{game.black}", f"game/{game.id}")]
    program.desk.rounds.undo("main", 1, "a test")
    pages.append(web.get("/division/main/round").text.partition("Taken back:")[2])
    for page in pages:
        assert f"{called(str(game.white))} – {called(game.black)}" in page
        assert f"{called(game.black)} – {called(str(game.white))}" not in page


def test_the_history_of_a_game_is_in_the_time_of_the_hall(program: HeadApplication, web: Client) -> None:
    publish_round(program)
    finish_round(program)
    page = web.get(f"/division/main/game/{program.desk.state.division().current[0].id}").text
    assert "What was done" in page and "UTC" not in page


def test_the_hall_screen_shows_standings_by_default_once_a_round_is_over(program: HeadApplication, web: Client) -> None:
    publish_round(program)
    program.desk.ask_ranking().result(HANGS_S)
    assert "/ 2" not in re.findall(r'aria-label="([^"]*)"', web.get("/wall?lang=en&rows=30").text)
    finish_round(program)
    program.desk.ask_ranking().result(HANGS_S)
    assert "Standings" in web.get("/wall?lang=en&rows=30&at=1").text


def test_a_corrected_black_player_is_shown_with_the_score(program: HeadApplication, web: Client) -> None:
    """The discs stay and the winner is the other player."""
    publish_round(program)
    finish_round(program)
    division = program.desk.state.division()
    game = division.current[0]
    assert game.outcome is not None and game.white is not None
    page = f"/division/main/game/{game.id}"
    answer = send_form(web, page, "/correct", black=game.white, reason="the slip was read the wrong way")
    assert answer.status_code == 303, answer.text
    told = web.get(answer.headers["location"]).text
    one, other = division.called(game.black), division.called(game.white)
    assert f"{one} 40–24 {other}" in told and f"{other} 40–24 {one}" in told


def test_the_bye_of_a_published_round_is_on_its_page(program: HeadApplication, web: Client) -> None:
    program.desk.players.set_absent("main", ["p3"], absent=True)
    publish_round(program)
    bye = next(game for game in program.desk.state.division().current if game.is_bye)
    page = web.get("/division/main/round").text
    assert re.search(rf"Bye: *{re.escape(program.desk.state.division().called(bye.black))}", page)


def test_a_table_without_a_kiosk_waits_for_its_result_and_has_no_clock(program: HeadApplication, web: Client) -> None:
    program.desk.divisions.set_tables("main", range(1, 20))
    publish_round(program)
    for page in ("/floor", "/floor/5", "/"):
        text = web.get(page, params={"lang": "en"}).text
        assert "waiting for result" in text, page
    row = re.search(r'data-key="table-5".*?</section>', web.get("/floor").text, re.DOTALL)
    assert row and "waiting for result" in row[0] and "20:00" not in row[0] and "etting up" not in row[0]
    public = web.get("/?lang=en").text.split("<section")
    plain = next(item for item in public if 'data-key="table-7"' in item)
    assert "20:00" not in plain and 'class="link' not in plain
    assert 'class="link' in next(item for item in public if 'data-key="table-1"' in item)


def test_a_second_head_reports_that_the_address_is_in_use(web: Client) -> None:
    with pytest.raises(InputError) as refused:
        listen("127.0.0.1", web.base_url.port or 0)
    assert "Errno" not in str(refused.value) and f"http://127.0.0.1:{web.base_url.port}" in str(refused.value)


def test_one_form_prints_every_kind_and_the_round_has_its_own_buttons(program: HeadApplication, web: Client) -> None:
    form, button = the_form(web, "/publish", "/print", "Print")
    kinds = next(one.values for one in form.fields if one.name == "kind")
    assert kinds == list(KINDS) and ">A4<" not in web.get("/publish").text
    for kind in kinds:
        there = web.get("/print", params={"kind": kind, "division": "main"})
        assert there.status_code == 303 and web.get(there.headers["location"]).status_code == 200
    assert button.name == "" and web.get("/print").status_code == 404
    publish_round(program)
    assert "/print/seats?division=main" in web.get("/division/main/round").text


def test_an_event_named_like_its_division_is_named_once(program: HeadApplication, web: Client) -> None:
    """On slips, certificates and receipts a club's evening has the name of its only division."""
    program.desk.divisions.remove("main")
    program.desk.divisions.rename_tournament("第3回 例会", "2031-04-05")
    assert send_form(web, "/desk/new?kind=adjacent", "/desk/new", title_ja="例会", title_en="Club").status_code == 303
    (division,) = program.desk.state.divisions.values()
    assert division.event.name == "第3回 例会"


@pytest.mark.parametrize(("lang", "shown", "other"), [("en", "Aoki Midori", "青木"), ("ja", "青木 みどり", "Aoki")])
def test_english_pages_show_known_names_in_latin_letters(
    program: HeadApplication, web: Client, lang: str, shown: str, other: str
) -> None:
    """A name is found by either spelling; a name that is already in Latin letters stays as it was entered."""
    program.desk.players.change("main", "p1", {"latin": "Aoki Midori"})
    program.desk.players.change("main", "p2", {"latin": "LUND Beatrix"})
    publish_round(program)
    program.desk.ask_ranking().result(HANGS_S)
    for page in ("/pairings", "/standings", "/where?name=青木", "/where?name=aoki", "/", "/wall?show=pairings"):
        text = web.get(page, params={"lang": lang, **dict(URL(page).params)}).text
        said = text.partition("<main")[2].replace('value="青木"', "").replace('value="aoki"', "")
        assert shown in said and other not in said and "LUND" not in said, page


def test_staff_pages_prints_and_the_record_are_in_latin_letters_in_english(
    program: HeadApplication, web: Client
) -> None:
    """A known name in Latin letters is shown; a form still shows and keeps the name as it was entered."""
    program.desk.players.change("main", "p1", {"latin": "Aoki Midori", "kana": "あおき みどり"})
    publish_round(program)
    desk = web.get("/desk", params={"lang": "en"}).text
    assert "Aoki Midori" in desk and "青木" not in desk
    finish_round(program)
    program.desk.ask_ranking().result(HANGS_S)
    table = program.desk.state.division().current[0].table
    pages = ["/division/main/players", "/division/main/round", "/division/main/results", "/floor", f"/floor/{table}"]
    pages += [f"/print/{kind}" for kind in ("cards", "seats", "slips", "standings", "prizes", "badges", "receipts")]
    pages += [f"/event/en/main/{page}.html" for page in ("standings", "rounds", "crosstable", "prizes")]
    pages += ["/event/en/article.html", "/division/main/round?why=p1", "/division/main/player/p1?why="]
    for page in pages:
        english = web.get(page, params={"lang": "en", **dict(URL(page).params)}).text
        shown = english.partition("<body")[2].replace('value="青木 みどり"', "").replace('title="青木 みどり"', "")
        shown = re.sub(r'data-find="[^"]*"', "", shown)
        assert "青木" not in shown, page
        japanese = web.get(page.replace("/en/", "/ja/"), params={"lang": "ja", **dict(URL(page).params)}).text
        assert ("青木" in japanese) is ("Aoki" in english), page
        assert "あおき" not in shown or not page.startswith("/print"), page
    form, button = the_form(web, "/division/main/player/p1", "/player/p1")
    assert {one.name: one.value for one in form.fields}["name"] == "青木 みどり"
    assert form.send(web, button).status_code == 303
    player = program.desk.state.division().players()["p1"]
    assert (player.name, player.latin) == ("青木 みどり", "Aoki Midori")


def test_answers_to_forms_have_names_in_latin_letters_in_english(program: HeadApplication, web: Client) -> None:
    """The confirmation of a typed result, and the page of a refused form."""
    program.desk.divisions.set_tables("main", range(1, 20))
    publish_round(program)
    game = next(one for one in program.desk.state.division().current if "p1" in one.players)
    program.desk.players.change("main", "p1", {"latin": "Aoki Midori"})
    line = {"csrf": token(web), "table": str(game.table), "black_discs": "40"}
    leave = {"csrf": token(web), "reason": "", "open_game": ""}
    program.desk.players.leave("main", "p1", "", "")
    for lang, shown, other in (("en", "Aoki Midori", "青木"), ("ja", "青木 みどり", "Aoki")):
        said = web.post("/division/main/typed.json", params={"lang": lang}, data=line).json()["said"]
        refused = web.post("/division/main/player/p1/leave", params={"lang": lang}, data=leave)
        assert refused.status_code == 409
        for text in (said, refused.text.partition("<main")[2]):
            assert shown in text and other not in text


def test_the_tournament_has_an_english_name(program: HeadApplication, web: Client) -> None:
    """It is on English pages, prints, in the record, in event files and in files for the rating list."""
    program.desk.divisions.remove("main")
    form, button = the_form(web, "/desk/new", "/desk/name")
    typed = {"name": "第3回 春の大会", "name_en": "3rd Spring Open", "date": "2031-04-05"}
    assert form.send(web, button, **typed).status_code == 303
    assert send_form(web, "/desk/new?kind=adjacent", "/desk/new", title_ja="例会", title_en="Club").status_code == 303
    (slug,) = program.desk.state.divisions
    for name in ("LUND Beatrix", "Fenn Dario"):
        program.desk.players.add(slug, [Player("", name)])
    program.desk.rounds.publish(program.desk.rounds.draft(slug).digest, slug)
    for page in ("/", "/desk", "/print/standings", "/print/slips", "/print/poster", "/event/en/index.html"):
        english, japanese = (web.get(page.replace("/en/", f"/{lang}/"), params={"lang": lang}).text
                             for lang in ("en", "ja"))  # fmt: skip
        assert "3rd Spring Open" in english and "第3回" not in english, page
        assert "第3回 春の大会" in japanese and "Spring" not in japanese, page
    assert "%%Tournament: 3rd Spring Open\n" in web.get(f"/publish/elo?division={slug}").text
    written = web.get(f"/event/files/{slug}.json").json()
    assert written["name_en"] == "3rd Spring Open" and event_of(written).name_en == written["name_en"]
    assert read_csv(write_csv(written))["name_en"] == written["name_en"]


def test_a_draft_shows_the_wins_beside_the_names(program: HeadApplication, web: Client) -> None:
    assert 'class="wins"' not in web.get("/division/main/round").text
    for _ in range(2):
        publish_round(program)
        finish_round(program)
    draft = program.desk.rounds.draft("main")
    page = web.get("/division/main/round").text
    wins = program.desk.ask_ranking().result(HANGS_S).standings
    shown = dict(re.findall(r'<td>([^<]+) <small class="wins">([^<]+)</small>', page))
    called = program.desk.state.division().called
    assert shown == {called(row.id): "1 win" if row.wins == 1 else f"{row.wins} wins" for row in wins.rows}
    assert len(shown) == 2 * len(draft.games)


def test_an_announcement_is_shown_on_all_screens(program: HeadApplication, web: Client) -> None:
    """The next start and the announcement are on the tables' page, the pairings, a phone and a hall screen."""
    form = {"csrf": token(web), "text": "昼食は\n2階です", "prizes": "16:00 舞台"}
    assert web.post("/desk/announce", data=form).status_code == 303
    starts = datetime.now().astimezone() + timedelta(minutes=20)
    program.desk.divisions.time_round("main", starts, 40)
    for page in ("/", "/pairings", "/where"):
        shown = httpx.get(f"{web.base_url}{page}", params={"lang": "en"}).text
        assert "昼食は 2階です" in shown and f"starts at {starts:%H:%M}" in shown, page
    publish_round(program)
    wall = httpx.get(f"{web.base_url}/wall", params={"lang": "en"}).text
    assert f"starts at {starts:%H:%M}" in wall and "in 20 min" in wall and "16:00 舞台" in wall


def test_a_round_that_starts_now_is_counted_down_to_its_end(program: HeadApplication, web: Client) -> None:
    """An empty time means now; pages on phones get the instants, and an invalid time of day is refused."""
    publish_round(program)
    form = {"csrf": token(web), "division": "main", "starts": "", "minutes": "40"}
    assert web.post("/desk/time", data=form).status_code == 303
    timed = program.desk.state.division().timed[1]
    ends = int((timed.starts + timedelta(minutes=40)).timestamp() * 1000)
    assert f'data-until="{ends - 40 * 60_000} {ends}"' in httpx.get(f"{web.base_url}/where").text
    assert "in 40 min" in httpx.get(f"{web.base_url}/wall", params={"lang": "en"}).text
    answer = web.post("/desk/time", data=form | {"starts": "25:70"})
    assert answer.status_code == 400 and "25:70" in answer.text


def test_an_announcement_ends_when_its_time_is_over(program: HeadApplication, web: Client) -> None:
    assert send_form(web, "/desk", "/desk/announce", text="Lunch until 13:00", minutes="20").status_code == 303
    assert "Lunch" in web.get("/pairings").text and "Shown until" in web.get("/desk").text
    program.desk.divisions.announce("Lunch until 13:00", "", "2026-01-01T00:00:00+00:00")
    assert "Lunch" not in web.get("/pairings").text and "Lunch" in web.get("/desk").text
    assert send_form(web, "/desk", "/desk/announce", text="Quiet please", minutes="").status_code == 303
    assert not program.desk.state.announced_until and "Quiet" in web.get("/pairings").text


def test_the_table_pages_show_who_has_the_draw_right(program: HeadApplication, web: Client) -> None:
    program.desk.divisions.remove("main")
    program.desk.divisions.create(event_of(event(4, "knockout")), TableRules("", 1200), "small")
    publish_round(program, "small")
    table = PlayedTable(1, program.devices.collection)
    table.live()
    table.execute_commands()
    assert table.match.draw_right is not None
    for page in ("/", "/floor/1"):
        assert web.get(page).text.count("draw right") == 1, page


def test_standings_say_that_they_are_final_and_that_finals_decide(program: HeadApplication, web: Client) -> None:
    program.desk.divisions.remove("main")
    program.desk.divisions.create(event_of(event(4, "swiss", rounds=1, finals="1-2")), TableRules("", 1200), "small")
    for said in (False, True):
        publish_round(program, "small")
        finish_round(program)
        program.desk.ask_ranking().result(HANGS_S)
        for page in ("/standings", "/print/standings"):
            assert ("ranked by them first" in web.get(page).text) is said, page
        for page in ("/standings", "/print/standings", "/wall?show=standings&lang=en"):
            assert ("Final standings" in web.get(page).text) is said, page


def test_the_number_of_rounds_can_be_changed_while_they_are_played(program: HeadApplication, web: Client) -> None:
    """It can be more or fewer, but not fewer than are published, nor after the finals have begun; nothing else can
    change."""
    program.desk.divisions.remove("main")
    program.desk.divisions.create(event_of(event(4, "swiss", rounds=3)), TableRules("", 1200), "small")

    def change(**typed: str) -> int:
        return send_form(web, "/division/small/settings", "/settings", **typed).status_code

    for _ in range(2):
        publish_round(program, "small")
        finish_round(program)
    assert change(**{"choice-rounds": "5"}) == 303 and change(**{"choice-rounds": "1"}) == 400
    assert change(**{"choice-rounds": "2", "choice-finals": "1-2"}) == 400
    assert planned_rounds(program.desk.state.division("small").event) == 5
    assert change(**{"choice-rounds": "2"}) == 303
    assert program.desk.ask_ranking("small").result(HANGS_S).over


def test_names_in_latin_letters_are_proposed_from_the_kana(program: HeadApplication, web: Client) -> None:
    """In the preview of a list, for all players of a division at once, and for one; each as it was corrected."""
    program.desk.divisions.remove("main")
    program.desk.divisions.create(event_of(event(2, "adjacent")), TableRules("", 1200), "small")

    def latin() -> dict[str | None, str | None]:
        return {one.name: one.latin for one in players_now().values() if not (one.name or "").isascii()}

    def players_now() -> Mapping[str, Player]:
        return program.desk.state.division("small").players()

    form, button = the_form(web, "/division/small/import", "/import")
    listed = "氏名\tふりがな\n大野 浩一\tおおの こういち\n井上 順\tいのうえ じゅん\n架空 花\tかくう はな"
    preview = forms_of(form.send(web, button, text=listed).text, "/division/small/import")
    taking = next(one for one in preview if one.action.endswith("/take"))
    proposed = {one.name: one.value for one in taking.fields if one.name.startswith("latin")}
    assert proposed == {"latin2": "Ono Koichi", "latin3": "Inoue Jun", "latin4": "Kaku Hana"}
    assert taking.send(web, taking.button("Import"), latin2="Ohno Koichi", latin4="").status_code == 303
    assert latin() == {"青木 みどり": None, "大野 浩一": "Ohno Koichi", "井上 順": "Inoue Jun", "架空 花": None}
    form, button = the_form(web, "/division/small/latin", "/latin")
    assert [one.value for one in form.fields if one.name.startswith("latin")] == ["Kaku Hana", ""]
    assert form.send(web, button, latin1="Kakuu Hana", latin2="Aoki Midori").status_code == 303
    assert latin() | {"架空 花": "Kakuu Hana", "青木 みどり": "Aoki Midori"} == latin()
    program.desk.players.change("small", "p1", {"latin": None, "kana": "あおき みどり"})
    form, _ = the_form(web, "/division/small/player/p1", "/player/p1")
    assert {one.name: one.value for one in form.fields}["latin"] == "Aoki Midori"


def test_a_player_s_form_changes_only_what_was_typed(program: HeadApplication, web: Client) -> None:
    """A number given while the form was open is kept; a field that was emptied is removed."""
    program.desk.players.change("main", "p1", {"club": "Kita", "latin": "Aoki Midori"})
    form, button = the_form(web, "/division/main/player/p1", "/player/p1")
    program.desk.players.change("main", "p1", {"number": 7, "wof": 5301})
    assert form.send(web, button, club="", remark="left-handed").status_code == 303
    player = program.desk.state.division("main").players()["p1"]
    assert (player.number, player.wof, player.club, player.remark) == (7, 5301, None, "left-handed")


def test_a_form_that_is_sent_twice_makes_one_division(program: HeadApplication, web: Client) -> None:
    """Another form may make one of the same name, and the same form one of another name."""
    form, button = the_form(web, "/desk/new?kind=adjacent", "/desk/new")
    assert [form.send(web, button, title_ja=name).status_code for name in ("級位", "級位", "初心者")] == [303, 409, 303]
    form, button = the_form(web, "/desk/new?kind=adjacent", "/desk/new")
    assert form.send(web, button, title_ja="級位").status_code == 303
    made = {slug: one.title[0] for slug, one in program.desk.state.divisions.items() if slug != "main"}
    assert made == {"adjacent": "級位", "adjacent-2": "初心者", "adjacent-3": "級位"}


def test_a_player_is_moved_to_another_division(program: HeadApplication, web: Client) -> None:
    assert "Move to another division" not in web.get("/division/main/player/p1").text
    program.desk.divisions.create(event_of(event(0, "adjacent")), TableRules("", 1200), "small")
    answer = send_form(web, "/division/main/player/p1", "/move", to="small")
    assert answer.headers["location"] == "/division/small/player/p1" and web.get("/division/small/player/p1").is_success
    assert "p1" not in program.desk.state.division("main").players()
    publish_round(program)
    finish_round(program)
    assert send_form(web, "/division/main/player/p2?lang=ja", "/move", to="small").status_code == 303
    (left,) = [one.body for one in program.store.operator_events() if one.kind == "player-withdrawn"]
    assert left["reason"].endswith("へ移った")  # in the operator's language, as a typed reason is
