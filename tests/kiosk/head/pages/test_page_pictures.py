"""Browser tests of the pages on a phone and a hall screen, in both languages, and of a venue's broadcast at its
federation: all boards, one board, a game that continues.

``KIOSK_PICTURES=DIR`` saves pictures of the pages.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from browsers.chromium import LANGUAGES, look, visit
from browsers.live import follow, number_of, texts_of, wait_for, wait_for_element
from heads.floor import Floor
from heads.world import PlayedTable, running_head
from selenium import webdriver
from waiting import until

from engine.board.ggf import read_ggf
from engine.board.pgn import read_pgn
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


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_tables_live(browser: webdriver.Chrome, floor: Floor, pictures: Path, size: str, lang: str) -> None:
    visit(browser, size, f"{floor.url}/?lang={lang}")
    wait_for_element(browser, ".side.running .clock")
    sections = texts_of(browser, "#items > section:not([data-key=announcement])")
    assert len(sections) == len(floor.tables)
    assert "arbiter" in sections[0].lower() or "審判" in sections[0]  # the call is first
    assert number_of(browser, "svg.board") >= 6
    assert "IM-" not in browser.page_source
    look(browser, pictures / f"tables-{size}-{lang}.png")


def test_a_clock_counts_down_in_the_browser(browser: webdriver.Chrome, floor: Floor) -> None:
    visit(browser, "wall", f"{floor.url}/?lang=en")
    wait_for_element(browser, ".side.running .clock")
    clock = "return document.querySelector('.side.running .clock').textContent"
    before = _seconds(browser.execute_script(clock))
    until(lambda: _seconds(browser.execute_script(clock)) < before)


def _seconds(clock: str) -> int:
    minutes, seconds = clock.split(":")
    return int(minutes) * 60 + int(seconds)


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
