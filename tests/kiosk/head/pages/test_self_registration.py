"""Tests of registration by phone: the form, the desk's list, what each of them is told, and who sees what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest
from heads.forms import send_form, the_form
from heads.staff import first_chief
from heads.tournaments import outcome
from heads.world import event, running_head
from waiting import HANGS_S

from kiosk.head.access.authentication import player_subject
from kiosk.head.event.act_types import Title, event_of
from kiosk.head.event.tournament_state import TableRules
from kiosk.head.program import HeadApplication
from kiosk.head.registration.self_registration_store import PER_HOUR

PAGE, LIST = "/register", "/desk/registrations"
ADDRESS = "http://10.42.0.1:8043"
SORA = {"name": "新田 空", "kana": "にった そら", "grade": "三段", "club": "東京", "birth_year": "平成24年",
        "national": "A-77", "agree": "yes"}  # fmt: skip


@dataclass
class Venue:
    program: HeadApplication
    url: str
    desk: httpx.Client

    def phone(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=HANGS_S, headers={"accept-language": "en"})

    def open(self) -> None:
        until = f"{datetime.now() + timedelta(days=1):%Y-%m-%dT%H:%M}"
        assert send_form(self.desk, LIST, "/open", until=until).status_code == 303

    def send(self, phone: httpx.Client, page: str = PAGE, **typed: str) -> httpx.Response:
        return send_form(phone, page, page, "Send to the desk", **{**SORA, **typed})

    def mark(self, words: str) -> httpx.Response:
        return send_form(self.desk, LIST, "/mark", words)

    def names(self, division: str = "main") -> list[str | None]:
        return [one.name for one in self.program.desk.state.division(division).event.players]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Venue]:
    with (
        running_head(tmp_path_factory.mktemp("head"), event=None, tables=1, address=ADDRESS) as (program, url),
        httpx.Client(base_url=url, timeout=HANGS_S, headers={"accept-language": "en"}) as desk,
    ):
        first_chief(desk, program.access.setup_code)
        yield Venue(program, url, desk)


@pytest.fixture
def venue(running: Venue, monkeypatch: pytest.MonkeyPatch) -> Iterator[Venue]:
    """An empty division ``main``, registration closed, and no limit used up."""
    running.program.services.registrations.set_end("")
    monkeypatch.setattr(running.program.services.registrations._quota, "_left", {})
    told = {**event(0), "date": "2099-04-06"}
    running.program.desk.divisions.create(event_of(told), TableRules("", 1200), "main", title=Title("無差別", "Open"))
    yield running
    for one in running.program.services.registrations.waiting:
        running.program.services.registrations.accept({one.number: "x"})
    for slug in [*running.program.desk.state.divisions]:
        running.program.desk.divisions.remove(slug)


def test_a_registration_waits_until_the_desk_taps_once(venue: Venue) -> None:
    """Before that the audit trail has nothing of it. The phone's page goes on to the player's own page."""
    with venue.phone() as phone:
        assert "not open now" in phone.get(PAGE).text
        venue.open()
        before = len(venue.program.store.operator_events())
        sent = venue.send(phone)
        assert sent.status_code == 303 and re.fullmatch(r"/register/[0-9a-f]{32}", sent.headers["location"])
        own = phone.get(sent.headers["location"]).text
        assert "waits for the desk" in own and "にった そら" in own and "A-77" in own
        assert len(venue.program.store.operator_events()) == before and venue.names() == []
        assert all("1 registration waits" in venue.desk.get(at).text for at in ("/desk", "/division/main/players"))
        assert venue.mark("Accept").status_code == 303
        (player,) = venue.program.desk.state.division().event.players
        assert (player.name, player.kana, player.grade, player.birth_year, player.national) == (
            "新田 空", "にった そら", "3d", 2012, "A-77",
        )  # fmt: skip
        day = f"/p/{venue.program.access.token(player_subject('main', player.id))}"
        assert day in phone.get(sent.headers["location"]).text and phone.get(day).status_code == 200
        assert [act.kind for act in venue.program.store.operator_events()[before:]] == ["players-added"]
        assert "Nobody waits" in venue.desk.get(LIST).text
        venue.program.desk.players.remove("main", player.id)
        assert "changed your entry" in phone.get(sent.headers["location"]).text


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"name": ""}, "a player needs a name"),
        ({"grade": "strong"}, "strong"),
        ({"birth_year": "平成40年"}, "平成40"),
        ({"club": "東" * 61}, "Club: at most 60 letters"),
        ({"wof": "-3"}, "-3"),
        ({"agree": ""}, "please agree"),
    ],
)
def test_a_field_that_cannot_be_used_is_named_and_nothing_typed_is_lost(
    venue: Venue, typed: dict[str, str], said: str
) -> None:
    venue.open()
    with venue.phone() as phone:
        answer = venue.send(phone, **typed)
        assert answer.status_code == 400 and said in answer.text
        kept = {**SORA, **typed}
        del kept["agree"]
        assert all(f'value="{value}"' in answer.text for value in kept.values())
    assert not venue.program.services.registrations.waiting


def test_typed_text_is_kept_when_registration_has_closed_or_is_too_fast(venue: Venue) -> None:
    venue.open()
    with venue.phone() as phone:
        form, button = the_form(phone, PAGE, PAGE, "Send to the desk")
        for number in range(PER_HOUR):
            assert venue.send(phone, name=f"Player {number:02}", national=str(number)).status_code == 303
        fast = form.send(phone, button, **SORA)
        assert fast.status_code == 429 and "too many registrations" in fast.text and "新田 空" in fast.text
        closing, close = the_form(venue.desk, LIST, "/close")
        assert closing.send(venue.desk, close).status_code == 303
        late = form.send(phone, button, **SORA)
        assert late.status_code == 409 and "registration is closed" in late.text and "新田 空" in late.text
        assert "not open now" in phone.get(PAGE).text
    assert venue.mark(f"Accept the {PER_HOUR}").status_code == 303
    assert len(venue.names()) == PER_HOUR


def test_a_form_from_elsewhere_or_too_long_is_refused_before_it_is_stored(venue: Venue) -> None:
    venue.open()
    with venue.phone() as phone:
        for headers, body, status in (
            ({"origin": "http://elsewhere.example"}, {"name": "A", "agree": "yes"}, 403),
            ({}, {"name": "A" * 13_000}, 413),
            ({}, {"name": "A", "rating": "2000"}, 400),
        ):
            assert phone.post(PAGE, data=body, headers=headers).status_code == status
        assert phone.post(LIST + "/mark", data={"mark": "all"}).status_code in (303, 403)
        assert phone.get(LIST).status_code == 303, "the list is the desk's"
    assert not venue.program.services.registrations.waiting


def test_a_form_sent_twice_is_one_registration_and_another_person_is_another(venue: Venue) -> None:
    """Pressing twice, or going back and sending again, changes nothing; other data is never put over the first."""
    venue.open()
    with venue.phone() as phone:
        form, button = the_form(phone, PAGE, PAGE, "Send to the desk")
        first, again = (form.send(phone, button, **SORA).headers["location"] for _ in range(2))
        assert first == again
        other = form.send(phone, button, **{**SORA, "name": "新田 海"}).headers["location"]
        assert other != first and len(venue.program.services.registrations.waiting) == 2
        forged = phone.post(PAGE, data={**SORA, "code": "1", "name": "A. Nother"}).headers["location"]
        assert len(forged) == len(first)
        fixed = venue.send(phone, f"{first}/correct", grade="4d")
        assert fixed.headers["location"] == first and ">4d<" in phone.get(first).text
    assert len(venue.program.services.registrations.waiting) == 3


def test_a_possible_duplicate_is_shown_and_makes_no_second_entry(venue: Venue) -> None:
    """The same name in this division, in another one, twice among the waiting, and a number that is somebody else's."""
    told = {**event(0, "swiss"), "options": {"rounds": 3}}
    venue.program.desk.divisions.create(
        event_of(told), TableRules("", 1200), "juniors", title=Title("小学生", "Juniors")
    )
    questions = venue.desk.get("/division/main/import/list.txt").text.splitlines()
    assert questions[-3:] == ["部門 / Division", "  - 無差別 Open", "  - 小学生 Juniors"]
    venue.open()
    with venue.phone() as phone:
        assert venue.send(phone, division="").status_code == 400
        pages = [venue.send(phone, division=to).headers["location"] for to in ("main", "main", "juniors")]
        shown = venue.desk.get(LIST).text
        assert "the same person as in line 1" in shown
        assert shown.count("also entered in") == 2 and "Accept the" not in shown
        venue.mark("Accept")
        assert venue.names() == ["新田 空"] and "This player is entered already." in venue.desk.get(LIST).text
        venue.mark("The same person")
        venue.mark("Refuse")
        assert venue.names() == ["新田 空"] and venue.names("juniors") == []
        assert ["accepted" in phone.get(page).text for page in pages[:2]] == [True, True]
        assert "did not accept" in phone.get(pages[2]).text
        venue.mark("Undo")
        assert "waits for the desk" in phone.get(pages[2]).text
        venue.send(phone, name="Otto Lind", division="main")
        shown = venue.desk.get(LIST).text
        assert "the membership number A-77 belongs to" in shown and "can correct it on the phone" in shown


def test_only_its_phone_and_the_desk_see_a_registration(venue: Venue) -> None:
    venue.open()
    with venue.phone() as phone, venue.phone() as stranger:
        venue.send(phone)
        for page in ("/", "/where?name=新田", "/event.json", PAGE, f"{PAGE}/{'0' * 32}", f"{PAGE}/{'0' * 32}/correct"):
            assert "にった" not in stranger.get(page).text, page
        assert stranger.get(f"{PAGE}/{'0' * 32}").status_code == 404


@pytest.mark.parametrize("typed", ["", "soon", "2001-01-01T09:00", "9999-12-31T23:59", "2031-04-05T09:00+99:00"])
def test_the_closing_time_is_within_a_year(venue: Venue, typed: str) -> None:
    assert send_form(venue.desk, LIST, "/open", until=typed).status_code == 400
    assert not venue.program.services.registrations.is_open


def test_a_division_whose_games_are_all_played_takes_no_registration(tmp_path: Path) -> None:
    """It is not offered; a form sent all the same says why, and one that waits cannot be accepted."""
    with (
        running_head(tmp_path, tables=1, data=event(2, "round-robin")) as (program, url),
        httpx.Client(base_url=url, timeout=HANGS_S, headers={"accept-language": "en"}) as desk,
    ):
        first_chief(desk, program.access.setup_code)
        venue, (old,) = Venue(program, url, desk), program.desk.state.divisions
        program.desk.divisions.create(event_of(event(0)), TableRules("", 1200), "kids", title=Title("小学生", "Kids"))
        venue.open()
        with venue.phone() as phone:
            assert f'value="{old}"' in phone.get(PAGE).text
            assert venue.send(phone, division=old).status_code == 303
            program.desk.rounds.publish(program.desk.rounds.draft(old).digest, old)
            program.desk.results.enter(program.desk.state.division(old).current[0].id,
                                       outcome(program.desk.state.division(old).current[0], 40))  # fmt: skip
            page = phone.get(PAGE).text
            assert f'value="{old}"' not in page and 'value="kids"' in page
            refused = venue.send(phone, division=old)
            assert refused.status_code == 409 and "all games of this division are played" in refused.text
            assert "all games of this division are played" in desk.get(LIST).text
            assert venue.mark("Refuse").status_code == 303 and len(venue.names(old)) == 2
            assert venue.send(phone, division="kids").status_code == 303
            program.desk.divisions.remove("kids")
            assert "not open now" in phone.get(PAGE).text


def test_the_poster_has_the_address_that_phones_open(venue: Venue) -> None:
    """In both languages on one page."""
    for lang in ("ja", "en"):
        page = venue.desk.get("/print/register", params={"lang": lang}).text
        assert page.count("<svg") == 1 and f"{ADDRESS}/register" in page
        assert "Register with your phone" in page and "スマートフォン" in page
