"""Tests of the federation's event and person pages, over HTTP and in a real browser in both languages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import httpx
import msgspec
import pytest
from browsers.accessibility import axe_in, serious_violations
from browsers.chromium import LANGUAGES, picture, visit
from heads.addresses import filled, targets
from heads.federation_in_process import Day, day
from heads.forms import send_form
from heads.staff import chief_at, first_chief, token
from heads.tournaments import publish_round
from heads.venue_pushes import answered, push_of, rows_of_store
from heads.world import running_head
from selenium import webdriver
from waiting import until

from engine.board.opening_recognition import recognise
from engine.board.transcript import parse_transcript
from engine.tournament.event_model import Player
from kiosk.head.federation.push_protocol import PushResponse, sign
from kiosk.head.federation.push_receiver_and_venue_quarantine import QuarantineDecision
from kiosk.head.federation.venue_keys import save_venues
from kiosk.head.program import HeadApplication

KEYS = {name: name.encode() * 8 for name in ("osaka", "sapporo")}
SEASONS = """
[[ranking]]
key = "oza"
title_ja = "2031年 王座戦ポイント"
title_en = "Oza points 2031"
from = 2031-01-01
to = 2031-12-31
best = 5
players = 3
qualify = ["oza"]
points = { place = [20, 16, 13, 11, 9, 8, 7, 6], win = 1 }
"""


@dataclass
class Served:
    """A served federation. ``chief``: the cookie of a signed-in user."""

    program: HeadApplication
    url: str
    chief: str = ""

    def push(self, venue: str, one: Day) -> None:
        collector = self.program.remote.federation.collector
        key = (KEYS[venue] * 4)[:32]

        def send(body: bytes) -> PushResponse:
            said, _ = collector.collect(venue, sign(key, "", body), body)
            return msgspec.msgpack.decode(said, type=PushResponse)

        assert answered(send, push_of(venue, one.events, one.records)).counted

    def get(self, path: str, lang: str = "en") -> str:
        answer = httpx.get(f"{self.url}{path}{'&' if '?' in path else '?'}lang={lang}", follow_redirects=True)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:300])
        return answer.text


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory, hasty_federation: None) -> Iterator[Served]:
    """Osaka's event is over and fourteen of its players have numbers; Sapporo's is in round 1, and none has."""
    home = tmp_path_factory.mktemp("federation")
    save_venues(home / "venues.json", {name: (key * 4)[:32] for name, key in KEYS.items()})
    (home / "seasons.toml").write_text(SEASONS, encoding="utf-8")
    config = {"venues": home / "venues.json", "seasons": home / "seasons.toml", "tables": 0, "event": None}
    with running_head(home, **config) as (program, url):
        made = Served(program, url)
        made.push("osaka", day(0, numbered=True))
        made.push("sapporo", day())
        with httpx.Client(base_url=url) as web:
            first_chief(web, program.access.setup_code)
            made.chief = web.cookies["kiosk_session"]
        until(lambda: len(httpx.get(f"{url}/venues.json").json()["venues"]) == 2)
        yield made


def test_the_calendar_leads_to_each_record_and_its_files(head: Served) -> None:
    page = head.get("/calendar?year=2031")
    assert "osaka" in page and "sapporo" in page and "2031-04-05" in page and "小川 拓海" in page  # the winner
    assert "No event of that year" in head.get("/calendar?year=1999")
    assert "sapporo" not in head.get("/calendar?year=2031&venue=osaka")
    assert "Final standings" in head.get("/record/osaka/trail/en/main/standings.html")
    assert "Spring Open" in head.get("/record/osaka/trail")
    (event,) = httpx.get(f"{head.url}/venues/osaka/events.json").json()["events"]
    assert event["divisions"][0] | {"title": 0} == {
        "division": "main", "title": 0, "format": "m43-open", "entrants": 16, "rounds": 8, "over": True,
        "winner": "小川 拓海", "event_file": "/record/osaka/trail/files/main.json",
    }  # fmt: skip
    found = httpx.get(f"{head.url}/venues/osaka/events/trail/files.json").json()["files"]
    assert {one["kind"] for one in found} >= {"json", "csv", "papp", "ggf"}
    for one in found:
        assert httpx.get(head.url + one["address"]).status_code == 200, one
    assert httpx.get(head.url + event["divisions"][0]["event_file"]).json()["schema"] == "othello-event/1"


NOT_THERE = (
    "/record/osaka/none", "/record/osaka/trail/x", "/people/999", "/people/x", "/rankings/x", "/venues/no/events.json",
    "/people/1/against/99999999999", "/people/%00",
)  # fmt: skip


@pytest.mark.parametrize("path", NOT_THERE)
def test_missing_pages_are_reported(head: Served, path: str) -> None:
    assert httpx.get(head.url + path, follow_redirects=True).status_code == 404


def test_a_persons_page_has_his_events_and_opponents(head: Served) -> None:
    found = head.get(f"/people?name={quote('青木')}")
    assert 'href="/people/1"' in found and "Entries of people without a number" in found
    page = head.get("/people/1")
    assert "青木 みどり" in page and "11 / 16" in page and "Membership number" not in page
    with httpx.Client(base_url=head.url, cookies={"kiosk_session": head.chief}) as web:
        assert "Membership number 501" in web.get("/people/1?lang=en").text, "for whoever is signed in"
    other = page.partition("/people/1/against/")[2].partition('"')[0]
    assert "Round" in head.get(f"/people/1/against/{other}")


def test_nobody_has_black_in_a_chouchou_game(tmp_path: Path, hasty_federation: None) -> None:
    with chief_at(tmp_path / "venue", event=None, tables=0) as (venue, web):
        send_form(web, "/desk/new?kind=chouchou", "/desk/new", tables="1")
        venue.desk.players.add("chouchou", [Player("", "甲", national="601"), Player("", "乙", national="602")])
        publish_round(venue, "chouchou")
        send_form(web, "/division/chouchou/results", "/typed", table="1", black_discs="11-4")
        events, records = rows_of_store(venue.store)
    save_venues(tmp_path / "venues.json", {"osaka": (KEYS["osaka"] * 4)[:32]})
    with running_head(tmp_path / "head", venues=tmp_path / "venues.json", tables=0, event=None) as (program, url):
        head = Served(program, url)
        head.push("osaka", Day(tuple(events), tuple(records)))
        until(lambda: "/people/1" in head.get("/people?name=甲"))
        page = head.get("/people/1/against/2")
    assert "11 – 4" in page and "Black" not in page


#: for the variable parts of addresses that show something of a venue
OF_A_VENUE = {"venue": "osaka", "trail": "trail", "person": "1", "other": "2", "key": "oza", "table": "1"}
PATHS = ("en/main/standings.html", "ja/main/rounds.html", "en/main/crosstable.html", "files/main.json")


def test_a_quarantined_venue_is_at_no_public_address(head: Served) -> None:
    """With both venues in quarantine no address shows a person or an event to spectators."""
    paths = [one.path for one in targets(head.program.app.routes) if one.method == "GET"]
    known = {filled(path, OF_A_VENUE | {"path": page}) for path in paths for page in PATHS} - {None}
    known |= {"/calendar?year=2031", "/people?name=%E9%9D%92", "/people?name=o", f"/people?name={quote('みどり')}"}
    collector = head.program.remote.federation.collector
    venues = {name: collector.venue(name) for name in KEYS}
    names = {player.name for player in venues["osaka"].state.first.event.players} | {"Spring Open"}  # type: ignore[union-attr]

    def shown() -> dict[str, set[str]]:
        """Return the addresses that name somebody or the event, with the names."""
        with httpx.Client(base_url=head.url, follow_redirects=True) as web:
            pages = {path: _first_part(web, str(path)) for path in known}
        found = {str(path): {name for name in names if name in page} for path, page in pages.items()}
        return {path: some for path, some in found.items() if some}

    before = shown()
    assert len(before) > 15 and {"/people/1", "/rankings/oza", "/venues/osaka", "/calendar"} <= before.keys()
    try:
        for venue in venues.values():
            collector.decide(venue, QuarantineDecision.QUARANTINED, "looked at")  # type: ignore[arg-type]
        assert shown() == {}
    finally:
        for venue in venues.values():
            collector.decide(venue, QuarantineDecision.RETURNED, "fine")  # type: ignore[arg-type]
    assert shown() == before


def _first_part(web: httpx.Client, path: str) -> str:
    """Return an answer, of a stream its first items."""
    with web.stream("GET", path) as answer:
        if "event-stream" not in answer.headers.get("content-type", ""):
            return answer.read().decode("utf-8", "replace")
        found = ""
        for part in answer.iter_text():
            found += part
            if "\ndata: " in found and found.endswith("\n\n"):
                break
        return found


def test_openings_of_a_person_are_counted_from_public_games(head: Served) -> None:
    """Osaka's games are counted by the deepest opening name, with results; Sapporo's round is not over and does not
    count."""
    event = httpx.get(f"{head.url}/record/osaka/trail/files/main.json").json()
    (me,) = (one["id"] for one in event["players"] if one["name"] == "青木 みどり")
    wanted: Counter[str] = Counter()
    for game in (
        game for each in event["rounds"] for game in each["games"] if me in (game.get("black"), game.get("white"))
    ):
        if (opening := recognise(parse_transcript(game.get("transcript", "")))) is not None:
            wanted[str(opening.name)] += 1
    shown = dict(
        re.findall(r"<tr><td>([^<]+)</td><td class=.num.>(\d+)</td>", head.get("/people/1").partition("Openings")[2])
    )
    assert shown == {name: str(n) for name, n in wanted.items()} != {}


def test_a_season_is_ranked_by_its_rules(head: Served) -> None:
    """The Meijin of 16 gives 20 points and a point for each win; a qualification by the Oza counts too."""
    page = head.get("/rankings/oza", "ja")
    assert "王座戦" in page and page.index("森 千尋") < page.index("Nils Orre")
    assert "entries are of nobody with a number" in head.get("/rankings/oza")
    assert "/rankings/oza" in head.get("/rankings")


def test_staff_decide_identities_and_undo_decisions(head: Served) -> None:
    assert httpx.get(f"{head.url}/who").status_code == 303
    with httpx.Client(base_url=head.url, cookies={"kiosk_session": head.chief}) as web:
        page = web.get("/who?lang=en").text
        assert page.count("Yes, the same") == 14
        csrf = token(web)
        entry = page.partition('name="entry" value="')[2].partition('"')[0]
        person = page.partition('name="person" value="')[2].partition('"')[0]
        before = head.get(f"/people/{person}")
        done = web.post("/who/join", data={"csrf": csrf, "entry": entry, "person": person})
        assert done.status_code == 303 and done.headers["location"] == "/who"
        assert "2 events" not in before and "sapporo" in head.get(f"/people/{person}")
        number = web.get("/who").text.partition('name="number" value="')[2].partition('"')[0]
        assert web.post("/who/undo", data={"csrf": csrf, "number": number, "reason": ""}).status_code == 400
        assert web.post("/who/undo", data={"csrf": csrf, "number": number, "reason": "no"}).status_code == 303
        assert head.get(f"/people/{person}").partition("<main")[2] == before.partition("<main")[2]
        assert "decision taken back" in web.get("/audit?lang=en").text
        wrong = web.post("/who/merge", data={"csrf": csrf, "person": "1", "other": "777", "reason": "x"})
        assert wrong.status_code == 404 and "777" in wrong.text


def test_a_head_without_venues_says_so(tmp_path: Path) -> None:
    with running_head(tmp_path) as (_, url):
        assert httpx.get(f"{url}/venues.json").json() == {"venues": []}
        for path in ("/calendar", "/people", "/people/1", "/rankings", "/record/a/b", "/venues/a/events.json"):
            assert httpx.get(url + path).status_code == 404


@pytest.mark.parametrize("lang", LANGUAGES)
def test_pages_fit_a_phone(browser: webdriver.Chrome, pictures: Path, head: Served, lang: str) -> None:
    """Every page fits a phone's width, and axe finds nothing serious."""
    browser.get(f"{head.url}/static/icon.svg")
    browser.add_cookie({"name": "kiosk_session", "value": head.chief, "path": "/"})
    with axe_in(browser):
        for name, path in PAGES.items():
            visit(browser, "phone", f"{head.url}{path}{'&' if '?' in path else '?'}lang={lang}")
            for size in ("phone", "desktop"):
                visit(browser, size)
                picture(browser, size, pictures / f"federation-{name}-{size}-{lang}.png")
            assert serious_violations(browser) == [], path


PAGES = {
    "calendar": "/calendar", "people": f"/people?name={quote('青木')}", "person": "/people/1", "rankings": "/rankings",
    "ranking": "/rankings/oza", "against": "/people/1/against/7", "venues": "/venues", "venue": "/venues/sapporo",
    "who": "/who",
}  # fmt: skip
