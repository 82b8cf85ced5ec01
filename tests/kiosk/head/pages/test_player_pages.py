"""Tests of results reported by phone at tables without a kiosk, and of a player's own page: what a QR code opens,
and what it does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from heads.forms import forms_of
from heads.staff import first_chief
from heads.tournaments import outcome, publish_round
from heads.world import running_head
from waiting import HANGS_S

from engine.tournament.player_entry_fields import ASKED
from kiosk.head.access.authentication import game_subject, player_subject
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.program import HeadApplication
from kiosk.head.registration.player_list_import import decode, parse_list
from kiosk.head.registration.workbook_reader import sheets_of

#: the head's address for phones
ADDRESS = "http://10.42.0.1:8043"


@dataclass
class Hall:
    program: HeadApplication
    url: str

    def phone(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=HANGS_S, params={"lang": "en"})

    def game(self, table: int) -> HeadGame:
        return next(game for game in self.program.desk.state.division().current if game.table == table)

    def slip(self, game: HeadGame) -> str:
        return f"/g/{self.program.access.token(game_subject(game.id))}"

    def say(self, phone: httpx.Client, page: str, **form: str) -> httpx.Response:
        phone.get(page)
        return phone.post(page, data=form)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A hall in which tables 1 and 2 have kiosks and the others are plain."""
    with running_head(tmp_path, tables=2, address=ADDRESS) as (program, url):
        program.desk.divisions.set_tables("main", range(1, 20))
        publish_round(program)
        yield Hall(program, url)


def test_one_player_enters_and_the_other_confirms_on_his_own_phone(hall: Hall) -> None:
    """The result is then in the trail like one entered at the desk, with both names; nobody has signed in. The names on
    the English page are others than those entered."""
    game = hall.game(3)
    hall.program.desk.players.change("main", game.black, {"name": "青木 緑", "latin": "Aoki Midori"})
    page = hall.slip(game)
    with hall.phone() as one, hall.phone() as other:
        assert "Who are you?" in one.get(page).text
        for winner in ("neither", f"without {game.white}"):  # only the desk enters a forfeit
            assert hall.say(one, page, me="1", winner=winner).status_code == 400
        assert hall.say(one, page, me="1", black_discs="４０").status_code == 303
        assert hall.game(3).is_open and "40–24" in one.get(page, params={"me": "1"}).text
        same_phone = _agree(hall, one, page)
        assert same_phone.status_code == 409 and "on another phone" in same_phone.text
        shown = other.get(page, params={"me": "2"}).text
        assert "That is right" in shown and "40–24" in shown
        assert hall.say(other, page, me="2", agree="something else").status_code == 400
        assert _agree(hall, other, page).status_code == 303
        done = hall.game(3)
        assert done.outcome is not None and (done.outcome.black_discs, done.outcome.white_discs) == (40, 24)
        assert done.source == "desk" and "recorded" in other.get(page, params={"me": "2"}).text
        assert hall.say(one, page, me="1", black_discs="33").status_code == 409
    (entered,) = hall.program.desk.results.history(game.id)
    division = hall.program.desk.state.division()
    assert all(division.called(id) in entered.body["reason"] for id in game.players)
    hall.program.desk.results.take_back(game.id, "typed wrongly")
    assert hall.game(3).is_open and not hall.program.desk.state.reports


def test_the_page_of_a_slip_shows_the_table_of_the_next_round(hall: Hall) -> None:
    """The page's stream stays open and brings the next table; the slip accepts no other result."""
    game, desk = hall.game(3), hall.program.desk
    page = hall.slip(game)
    for each in desk.state.division().current:
        desk.results.enter(each.id, outcome(each, 40))
    with hall.phone() as phone:
        assert "Wait for the next round" in phone.get(page, params={"me": "1"}).text
        desk.divisions.end("main", ended=True)
        desk.ask_ranking("main").result()
        assert "Your games are over" in phone.get(page, params={"me": "1"}).text
        desk.divisions.end("main", ended=False)
        desk.rounds.publish(desk.rounds.draft("main").digest, "main")
        division = desk.state.division()
        table = next(each.table for each in division.current if game.black in each.players)
        with phone.stream("GET", f"/stream{page}", params={"me": "1"}) as stream:
            assert stream.status_code == 200
            said = next(line for line in stream.iter_lines() if line.startswith("data:"))
        assert "Round 2 is published" in said and f"Table <b>{table}</b>" in said
        assert said.count("data-called=") == 1 and division.called(game.black) in said
        assert "Wait for the next round" not in phone.get(page).text
        assert hall.say(phone, page, me="1", black_discs="20").status_code == 409


def test_a_phone_shows_the_winner_and_his_colour(hall: Hall) -> None:
    """It does so before the opponent confirms, when he does, and once the result is recorded; equal discs and marks
    alone name nobody."""
    game = hall.game(3)
    page = hall.slip(game)
    called = hall.program.desk.state.division().called
    told = f"Black {called(game.black)} · White {called(str(game.white))} · Winner: {called(str(game.white))}"
    with hall.phone() as one, hall.phone() as other:
        hall.say(one, page, me="1", black_discs="20")
        assert told in one.get(page, params={"me": "1"}).text and told in other.get(page, params={"me": "2"}).text
        assert _agree(hall, other, page).status_code == 303
        assert told in one.get(page, params={"me": "1"}).text


def _agree(hall: Hall, phone: httpx.Client, page: str) -> httpx.Response:
    """Confirm as the second player what the page shows."""
    (shown,) = re.findall(r'name="agree" value="([^"]*)"', phone.get(page, params={"me": "2"}).text)
    return hall.say(phone, page, me="2", agree=shown)


def test_contradicting_results_are_shown_to_the_desk(hall: Hall) -> None:
    """The desk accepts one of them with one tap, which also removes the notice; never one that it has not seen."""
    game = hall.game(4)
    page = hall.slip(game)
    with hall.phone() as one, hall.phone() as other, hall.phone() as chief:
        first_chief(chief, hall.program.access.setup_code)
        hall.say(one, page, me="1", black_discs="40")
        hall.say(other, page, me="2", black_discs="30")
        (notice,) = hall.program.desk.state.notices
        assert notice.kind == "reports-differ" and notice.table == 4
        assert "Your entries differ" in one.get(page, params={"me": "1"}).text
        shown = chief.get("/division/main/results").text
        assert "40–24" in shown and "30–34" in shown
        assert hall.say(other, page, me="2", black_discs="20").status_code == 303  # after the desk has looked
        for text, status in ((shown, 409), (chief.get("/division/main/results").text, 303)):
            _, form = (one for one in forms_of(text) if one.action.endswith("/typed/confirm"))
            assert hall.game(4).is_open and form.send(chief, *form.buttons).status_code == status
    outcome = hall.game(4).outcome
    assert outcome is not None and outcome.winner == "white" and not hall.program.desk.state.notices


def test_a_code_opens_only_its_own_game_at_a_plain_table(hall: Hall) -> None:
    """A wrong code, a code of a finished round, a game at a kiosk and a cross-site form record no result."""
    with hall.phone() as phone:
        kiosk = hall.slip(hall.game(1))
        assert "entered at its table" in phone.get(kiosk, params={"me": "1"}).text
        assert hall.say(phone, kiosk, me="1", black_discs="40").status_code == 409
        page = hall.slip(hall.game(5))
        assert phone.get(page[:-1] + ("a" if page[-1] != "a" else "b")).status_code == 404
        foreign = phone.post(page, data={"me": "1", "black_discs": "40"}, headers={"origin": "http://evil.example"})
        assert foreign.status_code == 403
        assert hall.say(phone, page, me="1", black_discs="65").status_code == 400
        assert hall.say(phone, page, me="3", black_discs="40").status_code == 400
        hall.program.desk.rounds.undo("main", 1, "wrong list")
        assert phone.get(page).status_code == 404
    assert not hall.program.desk.state.reports


def test_a_badge_opens_its_player_s_page(hall: Hall) -> None:
    """It shows table, colour, opponent, result and rank without entering a name; the game's result can be entered
    there too."""
    game = hall.game(6)
    division = hall.program.desk.state.division()
    with hall.phone() as one, hall.phone() as other:
        mine, theirs = (
            f"/p/{hall.program.access.token(player_subject('main', str(id)))}" for id in (game.black, game.white)
        )
        shown = one.get(mine).text
        assert division.called(game.white) in shown and "<b>6</b>" in shown and "Enter the result" in shown
        assert hall.say(one, mine, black_discs="40").status_code == 303
        assert _agree(hall, other, theirs).status_code == 303
        assert not hall.game(6).is_open and "recorded" in one.get(mine).text
        assert "Rank" in one.get(mine).text


def test_a_page_left_open_reports_no_result_of_the_player_s_next_game(hall: Hall) -> None:
    """A badge's page stays valid, but what was entered on it belongs to the game that it showed."""
    game = hall.game(6)
    with hall.phone() as phone:
        page = f"/p/{hall.program.access.token(player_subject('main', game.black))}"
        (form,) = (one for one in forms_of(phone.get(page).text) if any(f.name == "black_discs" for f in one.fields))
        hall.program.desk.rounds.undo("main", 1, "wrong list")
        publish_round(hall.program)
        late = form.send(phone, black_discs="40")
        assert late.status_code == 400 and "another game" in late.text
        assert not hall.program.desk.state.reports


def test_printed_pages_have_the_codes(hall: Hall) -> None:
    """Slips of plain tables, badges and the poster have a QR code of their address; the form and the empty list name
    the columns of the import."""
    with hall.phone() as chief:
        first_chief(chief, hall.program.access.setup_code)
        plain = [game for game in hall.program.desk.state.division().current if game.table not in (1, 2)]
        assert chief.get("/print/slips").text.count("<svg") == len(plain) == 6
        assert chief.get("/print/badges").text.count("<svg") == 16
        assert chief.get("/print/poster").text.count("<svg") == 4 and "/where" in chief.get("/print/poster").text
        assert chief.get("/print/numbers").text.count("<p>") == 19 and "Sign-up form" in chief.get("/print/entry").text
        for lang in ("ja", "en"):
            empty = decode(chief.get("/division/main/import/list.csv", params={"lang": lang}).content)
            listing = parse_list(empty + "Aoki,あおき,AOKI,1d,2001,F,Club,JPN,T,A-7,7,x\n", [])
            assert listing.columns == tuple(one.key for one in ASKED)
            assert not listing.ignored_headings and not listing.problems
            book = chief.get("/division/main/import/list.xlsx", params={"lang": lang}).content
            ((_, text),) = sheets_of(book)
            assert text.rstrip().split("\t") == empty.removeprefix("\ufeff").rstrip().split(",")
        questions = chief.get("/division/main/import/list.txt").text.splitlines()
        assert questions[0] == "氏名 / Name"
        answers = "タイムスタンプ," + ",".join(questions) + "\n1/2,Aoki,あおき,AOKI,1d,2001,F,Club,JPN,A-7,7,x\n"
        assert parse_list(answers).columns == ("", *(one.key for one in ASKED if one.key != "team"))
        assert chief.get("/division/main/import/list.doc").status_code == 404
