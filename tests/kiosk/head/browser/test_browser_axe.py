"""Accessibility tests: axe reports nothing serious on any page, for any role, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from browsers.accessibility import axe_in, serious_violations
from browsers.chromium import visit
from browsers.signed_in import sign_in_browser
from heads.floor import floor_in_play
from selenium import webdriver

from engine.tournament.event_model import Winner
from kiosk.head.access.authentication import game_subject, player_subject
from kiosk.head.pages.http_app_and_security_headers import AREAS
from kiosk.head.publish.print_sheets import KINDS
from kiosk.head.web.help_guide import PAGES

#: parameters of addresses, filled in with values of this hall
PARTS = {
    "{table:int}": ("4", "9"),
    "{act}": ("challenge", "set_time", "forfeit", "result"),
    "{path:path}": tuple(f"ja/main/{page}.html" for page in ("standings", "rounds", "crosstable", "prizes", "games")),
    "{kind}": KINDS,
    "{division}": ("main",),
    "{player}": ("p1",),
    "{slot}": ("1",),
    "{page}": PAGES,
    "{code}": ("0" * 32,),
}
#: pages whose subject this hall does not have: a device that asks for a key, a federation; and a picture
ELSEWHERE = {
    "/organiser/{name}", "/division/{division}/import/list.{kind}", "/devices/{offer}", "/venues/{venue}",
    "/venues/{venue}/live", "/venues/{venue}/life/{trail}", "/venues/{venue}/standing",
    "/venues/{venue}/players.file", "/venue", "/venue/players", "/floor/photographs/{name}",
    "/record/{venue}/{trail}", "/record/{venue}/{trail}/{path:path}", "/rankings/{key}", "/people/{person}",
    "/people/{person}/against/{other}", "/help/pictures/{name}",
}  # fmt: skip
#: addresses that are no pages
NO_PAGE = (".json", ".css", ".zip", ".svg", ".csv", ".txt", ".ggf", ".pgn")


@dataclass(frozen=True)
class Hall:
    """A hall with a page of each kind. ``corrected``: a game whose result was corrected; ``correction``: the number of
    that act; ``slip``, ``badge``: targets of QR codes."""

    url: str
    corrected: str
    correction: int
    slip: str
    badge: str


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory, browser: webdriver.Chrome) -> Iterator[Hall]:
    with floor_in_play(tmp_path_factory.mktemp("axe")) as floor:
        desk = floor.program.desk
        game = next(game for game in desk.state.first.rounds[0] if game.outcome is not None)
        assert game.outcome is not None
        turned = replace(game.outcome, black_discs=20, white_discs=44, winner=Winner.WHITE)
        desk.results.correct(game.id, turned, "misread")
        sign_in_browser(browser, floor.program, floor.url)
        registrations = floor.program.services.registrations
        registrations.set_end("2099-01-01T00:00:00+00:00")
        registrations.add("0" * 32, "main", {"name": "西 一", "grade": "3d"}, "")
        token = floor.program.access.token
        slip, badge = token(game_subject(desk.state.first.current[0].id)), token(player_subject("main", "p1"))
        with axe_in(browser):
            yield Hall(floor.url, game.id, desk.core.events[-1].number, slip, badge)


def addresses(area: Any) -> list[str]:
    found = {address.path for address in area.ADDRESSES if address.method == "GET"}
    return sorted(path for path in found - ELSEWHERE if not path.endswith(NO_PAGE))


def places(hall: Hall, area: Any) -> list[str]:
    """Return the addresses of all pages of an area with their parameters filled in."""
    parts = PARTS | {"{game}": (hall.corrected,), "{number}": (str(hall.correction),)}
    parts |= {"/g/{token}": (f"/g/{hall.slip}?me=1",), "/p/{token}": (f"/p/{hall.badge}",)}
    found = addresses(area)
    for name, values in parts.items():
        found = [path.replace(name, value) for path in found for value in (values if name in path else ("",))]
    assert not [path for path in found if "{" in path], "say in PARTS what these pages are about"
    return found


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.__name__.rpartition(".")[2])
def test_no_page_has_a_serious_violation(hall: Hall, browser: webdriver.Chrome, area: Any) -> None:
    """The pages are checked alternately in Japanese and English."""
    found: dict[str, list[dict[str, Any]]] = {}
    for number, path in enumerate(places(hall, area)):
        lang = ("ja", "en")[number % 2]
        phone = path.startswith(("/floor", "/where", "/register"))
        size = "wall" if path == "/wall" else "phone" if phone else "desktop"
        visit(browser, size, f"{hall.url}{path.replace('/ja/', f'/{lang}/')}?lang={lang}")
        # the reload of a hall screen disturbs nobody, because nobody operates it
        if violations := serious_violations(browser, *(["meta-refresh"] if path == "/wall" else [])):
            found[path] = violations
    assert found == {}


def test_no_public_page_has_a_serious_violation(hall: Hall, browser: webdriver.Chrome) -> None:
    browser.delete_all_cookies()
    for path in ("/", "/pairings", "/standings", "/where?name=a", "/sign-in", "/desk", "/nowhere"):
        visit(browser, "phone", f"{hall.url}{path}")
        assert serious_violations(browser) == [], path
