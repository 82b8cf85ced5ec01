"""Browser tests of the pages on a phone and a hall screen, in both languages, and of a venue's broadcast at its
federation: all boards, one board, a game that continues.

``KIOSK_PICTURES=DIR`` saves pictures of the pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from browsers.chromium import look, visit
from browsers.live import follow, number_of, text_of, texts_of, wait_for, wait_for_element, wait_for_text
from browsers.signed_in import sign_in_browser
from heads.floor import play_to_round_3
from heads.world import PlayedTable, running_head
from selenium import webdriver
from waiting import until

from engine.board.ggf import read_ggf
from engine.board.pgn import read_pgn
from engine.match import Seat
from engine.match.match_events_and_effects import Hold
from kiosk.head.program import HeadApplication

SIZES = ("phone", "wall")
DISCS = "return document.querySelectorAll('.stage svg circle.black, .stage svg circle.white').length"
CLOCK = "return document.querySelector('.stage .running [data-of=clock]').textContent"

#: the last turns look like a move, a pass and a move
PASSED = """
const {stage} = othelloLive, by = "black";
const moves = [{by, move: "f5", changes: "Xe5f5"}, {by: "white", move: "--"}, {by, move: "d6", changes: "Xd6"}];
stage.show({...stage.game, start: null, board: null, moves});
return document.querySelector("[data-part=at]").textContent;
"""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HeadApplication, str]]:
    """Round 3 of an event: games in play, a call for the arbiter, a finished game, silent tables."""
    with running_head(tmp_path_factory.mktemp("head"), auto=True) as (program, url):
        tables = [PlayedTable(number, program.devices.collection) for number in range(1, 9)]
        play_to_round_3(program, tables)
        tables[1].apply_event(Hold(tables[1].at_ns + 3_000_000_000, Seat.LEFT))
        tables[3].slip()
        tables[4].finish()
        for table in tables[:7]:
            table.live(unsynced=3 if table.number == 6 else 0)
        program.desk.orders.send(3, "arbiter", revision=1, body={"action": "resume", "reason": ""})
        yield program, url


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", ["ja", "en"])
def test_tables_live(browser: webdriver.Chrome, hall, pictures: Path, size: str, lang: str) -> None:
    visit(browser, size, f"{hall[1]}/?lang={lang}")
    wait_for_element(browser, ".side.running .clock")
    sections = texts_of(browser, "#items > section:not([data-key=announcement])")
    assert len(sections) == 8
    assert "arbiter" in sections[0].lower() or "審判" in sections[0]  # the call is first
    assert number_of(browser, "svg.board") >= 6
    assert "IM-" not in browser.page_source
    look(browser, pictures / f"tables-{size}-{lang}.png")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("page", "rows"), [("pairings", 8), ("standings", 16)])
def test_lists(browser: webdriver.Chrome, hall, pictures: Path, size: str, page: str, rows: int) -> None:
    for lang in ("ja", "en"):
        visit(browser, size, f"{hall[1]}/{page}?lang={lang}")
        assert number_of(browser, "tbody tr") == rows and "青木 みどり" in text_of(browser, "main")
        look(browser, pictures / f"{page}-{size}-{lang}.png")


def test_a_clock_counts_down_in_the_browser(browser: webdriver.Chrome, hall) -> None:
    visit(browser, "wall", f"{hall[1]}/?lang=en")
    wait_for_element(browser, ".side.running .clock")
    clock = "return document.querySelector('.side.running .clock').textContent"
    before = _seconds(browser.execute_script(clock))
    until(lambda: _seconds(browser.execute_script(clock)) < before)


def _seconds(clock: str) -> int:
    minutes, seconds = clock.split(":")
    return int(minutes) * 60 + int(seconds)


def test_the_desk(browser: webdriver.Chrome, hall, pictures: Path) -> None:
    program, url = hall
    sign_in_browser(browser, program, url)
    for size in SIZES:
        for lang in ("ja", "en"):
            visit(browser, size, f"{url}/desk?lang={lang}")
            assert number_of(browser, ".step") == 1  # one next step
            assert number_of(browser, "progress")
            look(browser, pictures / f"desk-{size}-{lang}.png")


def test_the_operator_publishes_a_draft_in_the_browser(
    browser: webdriver.Chrome, pictures: Path, tmp_path: Path
) -> None:
    with running_head(tmp_path) as (program, url):
        sign_in_browser(browser, program, url)
        visit(browser, "wall", f"{url}/desk?lang=en")
        follow(browser, ".step a")  # the next step: check the draft
        wait_for_element(browser, "form.publish button.go")
        look(browser, pictures / "draft-wall-en.png")
        follow(browser, "form.publish button.go")
        until(lambda: len(program.desk.state.first.rounds) == 1)
        visit(browser, "phone", f"{url}/?lang=ja")
        table = PlayedTable(1, program.devices.collection)
        table.execute_commands()
        table.play(3)
        wait_for_text(browser, "4手目", "#items")  # without a reload
        look(browser, pictures / "first-moves-phone-ja.png")


def test_a_venues_boards_at_the_federation(
    browser: webdriver.Chrome, pictures: Path, tmp_path: Path, federation: tuple[HeadApplication, str, dict[str, Any]]
) -> None:
    _, above, options = federation
    with running_head(tmp_path / "osaka", auto=True, **options) as (venue, _):
        until(lambda: any(game.table for game in venue.desk.state.current))
        table = PlayedTable(1, venue.devices.collection)
        table.execute_commands()
        table.play(9)
        until(lambda: venue.outbound.relay is not None and venue.outbound.relay.status.games > 0)
        visit(browser, "desktop", f"{above}/venues/osaka?lang=en")
        follow(browser, "a[href='/venues/osaka/live']")
        wait_for(browser, "return document.querySelectorAll('.boards a').length > 0")
        look(browser, pictures / "venue-live-all-desktop-en.png")
        visit(browser, "phone", f"{above}/venues/osaka/live?lang=ja#1")
        wait_for(browser, f"{DISCS} === 13")
        wait_for(browser, "return document.querySelector('.stage .players').innerText.includes('二段')")
        table.play(1)
        wait_for(browser, f"{DISCS} === 14")
        before = wait_for(browser, CLOCK)
        wait_for(browser, f"return ({CLOCK.removeprefix('return ')}) !== arguments[0]", before)
        look(browser, pictures / "venue-live-one-phone-ja.png")
        assert "2手目" in browser.execute_script(PASSED)  # at once: the next poll shows the game as it is
        pgn = httpx.get(f"{above}/venues/osaka/live/games.pgn").text
        assert [len(game.moves) for game in read_pgn(pgn)] == [10]
        ggf = httpx.get(f"{above}/venues/osaka/live/games.ggf").text
        assert [len(game.moves) for game in read_ggf(ggf)] == [10]
