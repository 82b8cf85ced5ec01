"""Browser tests of a venue's broadcast at its federation: all boards, one board, a game that continues."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from browsers.chromium import look, visit
from browsers.live import follow, wait_for
from heads.world import PlayedTable, running_head
from selenium import webdriver
from waiting import until

from engine.board.ggf import read_ggf
from engine.board.pgn import read_pgn
from kiosk.head.program import HeadApplication

DISCS = "return document.querySelectorAll('.stage svg circle.black, .stage svg circle.white').length"
CLOCK = "return document.querySelector('.stage .running [data-of=clock]').textContent"

#: the last turns look like a move, a pass and a move
PASSED = """
const {stage} = othelloLive, by = "black";
const moves = [{by, move: "f5", changes: "Xe5f5"}, {by: "white", move: "--"}, {by, move: "d6", changes: "Xd6"}];
stage.show({...stage.game, start: null, board: null, moves});
return document.querySelector("[data-part=at]").textContent;
"""


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
