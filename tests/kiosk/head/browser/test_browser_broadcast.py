"""Browser tests of the broadcast: boards that follow the game, running clocks, stepping back, transparent overlays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from browsers.chromium import LANGUAGES, look, visit
from browsers.live import number_of, tap, wait_for, wait_for_element
from heads.world import PlayedTable, running_head
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from waiting import until

from kiosk.head.pages.broadcast import LISTS, PARTS
from kiosk.head.program import HeadApplication


@dataclass
class Hall:
    program: HeadApplication
    url: str
    tables: list[PlayedTable]


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """Two games in play; the slot "final" is table 1."""
    with running_head(tmp_path_factory.mktemp("live"), auto=True) as (program, url):
        until(lambda: any(game.table for game in program.desk.state.current))
        tables = [PlayedTable(number, program.devices.collection) for number in (1, 2)]
        for table in tables:
            table.execute_commands()
            table.play(12)
        program.desk.divisions.set_slot("final", 1)
        yield Hall(program, url, tables)


DISCS = "return document.querySelectorAll('[data-stage] svg circle.black, [data-stage] svg circle.white').length"


def test_the_board_follows_the_game_and_a_clock_runs(browser: webdriver.Chrome, hall: Hall) -> None:
    table = hall.tables[0]
    visit(browser, "desktop", f"{hall.url}/live/final?lang=en")
    wait_for(browser, f"{DISCS} === arguments[0]", 4 + len(table.match.turns))
    clock = "return document.querySelector('.player.running [data-of=clock]').textContent"
    before = wait_for(browser, clock)
    wait_for(browser, f"return ({clock.removeprefix('return ')}) !== arguments[0]", before)
    table.play(1)
    wait_for(browser, f"{DISCS} === arguments[0]", 4 + len(table.match.turns))
    wait_for(browser, "return document.querySelectorAll('.turned').length > 0")  # the flips are marked
    assert number_of(browser, "[data-part=moves] li") == len(table.match.turns)


def test_english_pages_have_names_in_latin_letters(browser: webdriver.Chrome, hall: Hall) -> None:
    """Other English pages have them; Japanese pages keep the names as entered."""
    division = hall.program.desk.state.division("main")
    game = next(one for one in division.current if one.table == 1)
    hall.program.desk.players.change("main", game.black, {"name": "青木 みどり", "latin": "Aoki Midori"})
    for path in ("/live/final", "/live", "/overlay/final"):
        for lang, name in (("en", "Aoki Midori"), ("ja", "青木 みどり")):
            visit(browser, "desktop", f"{hall.url}{path}?lang={lang}")
            names = "return [...document.querySelectorAll('[data-of=name]')].some((one) => one.textContent === "
            wait_for(browser, f"{names}arguments[0])", name)


def test_keys_and_buttons_step_back_while_the_game_continues(browser: webdriver.Chrome, hall: Hall) -> None:
    table = hall.tables[0]
    visit(browser, "desktop", f"{hall.url}/live/final?lang=en")
    wait_for(browser, f"{DISCS} > 10")
    keys = ActionChains(browser)
    keys.send_keys(Keys.HOME).send_keys(Keys.ARROW_RIGHT).perform()
    wait_for(browser, f"{DISCS} === 5")
    table.play(1)
    wait_for(browser, "return document.querySelectorAll('[data-part=moves] li').length === arguments[0]",
             len(table.match.turns))  # fmt: skip
    assert browser.execute_script(DISCS) == 5
    tap(browser, ".steps [data-key=End]")
    wait_for(browser, f"{DISCS} === arguments[0]", 4 + len(table.match.turns))


@pytest.mark.parametrize("size", ["phone", "desktop", "wall"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_pictures_of_one_board_and_of_all(
    browser: webdriver.Chrome, hall: Hall, pictures: Path, size: str, lang: str
) -> None:
    wall = "&wall=1" if size == "wall" else ""
    for name, path in (("live-one", "/live/final"), ("live-all", "/live")):
        visit(browser, size, f"{hall.url}{path}?lang={lang}{wall}")
        wait_for(browser, "return document.querySelectorAll('svg circle.white').length > 2")
        look(browser, pictures / f"{name}-{size}-{lang}.png")


@pytest.mark.parametrize("background", ["light", "dark"][: len(LANGUAGES)])
def test_overlays_are_transparent_and_do_not_scroll(
    browser: webdriver.Chrome, hall: Hall, pictures: Path, background: str
) -> None:
    """At 1920×1080 each part is a transparent page without scroll bars, with text that is legible over any picture."""
    lang = "ja" if background == "light" else "en"
    paths = [f"?part={part}&lang={lang}" for part in PARTS] + [f"/{name}?lang={lang}" for name in LISTS]
    for path in paths:
        visit(browser, "wall", f"{hall.url}/overlay/final{path}")
        wait_for_element(browser, "body.alone")
        clear = "return getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).overflow"
        assert browser.execute_script(clear) == "rgba(0, 0, 0, 0)hidden"
        assert browser.execute_script("return document.documentElement.scrollHeight") <= 1080
        browser.execute_script("document.documentElement.style.background = arguments[0]",
                               "#e8edf0" if background == "light" else "#182026")  # fmt: skip
        part = path.strip("/?").replace("part=", "").partition("&")[0].partition("?")[0]
        look(browser, pictures / f"overlay-{part}-{background}.png")


def test_an_overlay_follows_its_slot_and_is_kept_without_connection(
    browser: webdriver.Chrome, hall: Hall
) -> None:
    visit(browser, "wall", f"{hall.url}/overlay/final?lang=en")
    wait_for(browser, f"{DISCS} > 10")
    # with the head unreachable, the stream is refused and the page does not change
    browser.execute_cdp_cmd("Network.enable", {})
    offline = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, **offline})
    names = "[...document.querySelectorAll('[data-of=name]')].map(one => one.textContent).join()"
    before = browser.execute_script(f"return {names}")
    hall.program.desk.divisions.set_slot("final", 2)
    try:
        assert browser.execute_script(DISCS) > 10
    finally:
        browser.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **offline})
    wait_for(browser, f"return {names} !== arguments[0]", before)
    hall.program.desk.divisions.set_slot("final", 1)
    wait_for(browser, f"return {names} === arguments[0]", before)


def test_a_commentator_s_arrows_and_variation_stay_in_the_browser(
    browser: webdriver.Chrome, hall: Hall, pictures: Path
) -> None:
    """They are shown in the commentator's window and in the shared one; no request is sent, and the record is
    unchanged."""
    before = len(hall.program.store.operator_events()), len(list(hall.program.store.records()))
    visit(browser, "desktop", f"{hall.url}/commentary/2?lang=ja")
    wait_for(browser, f"{DISCS} > 10")
    discs = browser.execute_script(DISCS)
    asked = "return performance.getEntriesByType('resource').length"
    requests = browser.execute_script(asked)
    own = browser.current_window_handle
    browser.switch_to.new_window("window")
    shown_window = browser.current_window_handle
    try:
        browser.get(f"{hall.url}/commentary/2?lang=ja&show=1")
        wait_for(browser, f"{DISCS} > 10")
        browser.switch_to.window(own)
        board = browser.find_element("css selector", "[data-part=board] svg")
        square = board.size["width"] / 8.7
        ActionChains(browser).move_to_element_with_offset(
            board, -3 * square, 3 * square
        ).click_and_hold().move_by_offset(int(4 * square), int(-3 * square)).release().perform()
        wait_for(browser, "return document.querySelectorAll('.marks .arrow').length === 1")
        legal = hall.tables[1].position.legal_moves()  # type: ignore[union-attr]
        at = (legal & -legal).bit_length() - 1
        name = hall.tables[1].position.geometry.name(at)  # type: ignore[union-attr]
        column, row = ord(name[0]) - ord("a"), int(name[1]) - 1
        ActionChains(browser).move_to_element_with_offset(
            board, int((column + 1.05 - 4.35) * square), int((row + 1.05 - 4.35) * square)
        ).click().perform()
        wait_for(browser, f"{DISCS} === arguments[0]", discs + 1)
        wait_for(browser, "return document.querySelector('[data-part=variation]').textContent.startsWith(arguments[0])",
                 name)  # fmt: skip
        look(browser, pictures / "commentary-desktop-ja.png")
        assert browser.execute_script(asked) == requests
        browser.switch_to.window(shown_window)
        wait_for(browser, f"{DISCS} === arguments[0]", discs + 1)
        wait_for(browser, "return document.querySelectorAll('.marks .arrow').length === 1")
    finally:
        browser.switch_to.window(shown_window)
        browser.close()
        browser.switch_to.window(own)
    after = len(hall.program.store.operator_events()), len(list(hall.program.store.records()))
    assert before == after
