"""Browser tests of the hall's screens without JavaScript, and of the table search on a player's phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from browsers.chromium import LANGUAGES, look, picture, visit
from browsers.live import fill, follow, number_of, tap, text_of, wait_for, wait_for_element, wait_for_text
from heads.floor import Floor
from heads.tournaments import outcome
from heads.world import running_head
from selenium import webdriver

from kiosk.head.access.authentication import game_subject, player_subject

#: font size as a share of the screen's height: 29 mm on a screen of 55 inches, legible at 10 m
LEGIBLE = 0.05


@pytest.fixture
def without_script(browser: webdriver.Chrome) -> Iterator[webdriver.Chrome]:
    browser.delete_all_cookies()
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    yield browser
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def metrics(browser: webdriver.Chrome, width: int, height: int) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", ["pairings", "standings", "boards"])
def test_a_screen_is_filled_and_legible_at_ten_metres(
    floor: Floor, browser: webdriver.Chrome, pictures: Path, kind: str, lang: str
) -> None:
    visit(browser, "wall", f"{floor.url}/wall?show={kind}&lang={lang}")
    wait_for(browser, "return document.readyState === 'complete'")  # its style sheet is loaded
    assert browser.execute_script("return document.documentElement.scrollHeight") <= 1080
    crooked = browser.execute_script(
        "const middle = e => { const r = e.getBoundingClientRect(); return (r.top + r.bottom) / 2 };"
        "return [...document.querySelectorAll('td span')].filter(e => Math.abs(middle(e) - middle(e.closest('tr')))"
        " > e.closest('tr').offsetHeight / 10).map(e => e.textContent)"
    )
    assert crooked == []
    if kind != "boards":
        height = browser.execute_script("return parseFloat(getComputedStyle(document.querySelector('td')).fontSize)")
        assert height / 1080 >= LEGIBLE
    picture(browser, "wall", pictures / f"screen-{kind}-{lang}.png")


def test_nothing_of_a_long_list_is_cut_off(tmp_path: Path, browser: webdriver.Chrome) -> None:
    """A list in two columns with scores, long names, additions for namesakes and discs is shown completely. Before a
    round is over the ranking is empty and not shown."""
    with running_head(tmp_path, tables=2) as (program, url):
        desk = program.desk
        names = ("吉田 一", "吉田 一", "Wolfeschlegelstein Hubert", "武者小路 実篤")
        for id, name in zip(desk.state.division().players(), names, strict=False):
            desk.players.change("main", id, {"name": name})
        desk.rounds.publish(desk.rounds.draft("main").digest, "main")
        for game in desk.state.division().current[1:]:
            desk.results.enter(game.id, outcome(game, 40))
        visit(browser, "wall", f"{url}/wall?rows=4&lang=ja")
        cut = browser.execute_script(
            "return [...document.querySelectorAll('td, td span')].filter(e => e.scrollWidth > e.clientWidth + 1 && "
            "e.clientWidth || e.tagName === 'SPAN' && e.scrollHeight > 1.5 * e.clientHeight).map(e => e.innerText)"
        )
        assert cut == [] and number_of(browser, ".columns table") == 2
        assert browser.execute_script("return document.querySelector('progress').max") == 1, "pairings alone"


def test_a_screen_pages_by_itself_through_all_players(floor: Floor, without_script: webdriver.Chrome) -> None:
    browser = without_script
    metrics(browser, 1920, 1080)
    browser.get(f"{floor.url}/wall?show=standings&lang=both&rows=10&seconds=2")
    names, pages = set(), []
    another = (
        "if (document.readyState === 'loading' || arguments[0].includes(location.href)) return null;"
        "const who = [...document.querySelectorAll('.who')].map(e => e.innerText);"
        "return [location.href, document.querySelector('meta[http-equiv=refresh]').content, who]"
    )
    for _ in range(2):
        here, following, who = wait_for(browser, another, pages)
        pages.append(here)
        names |= set(who)
    players = floor.program.desk.state.first.players()
    assert names == {player.name for player in players.values()}
    pages.append(floor.url + following.partition("url=")[2])
    with httpx.Client() as web:
        languages = [re.findall('html lang="(..)"', web.get(page).text) for page in pages]
    assert languages == [["ja"], ["ja"], ["en"]]  # the whole list in one language, then in the other


def test_an_empty_screen_says_so_and_reloads(floor: Floor, browser: webdriver.Chrome) -> None:
    visit(browser, "wall", f"{floor.url}/wall?divisions=nobody&lang=en&seconds=5")
    wait_for_text(browser, "There is nothing to show here")
    assert number_of(browser, "meta[http-equiv=refresh]")


def test_setting_up_a_screen(floor: Floor, browser: webdriver.Chrome, pictures: Path) -> None:
    visit(browser, "phone", f"{floor.url}/wall/choose?lang=ja")
    picture(browser, "phone", pictures / "screen-choose-phone-ja.png")
    visit(browser, "tablet")
    tap(browser, "input[value=boards]")
    follow(browser, "main button.go")
    wait_for_element(browser, ".boards article")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_player_finds_the_table(floor: Floor, without_script: webdriver.Chrome, pictures: Path, lang: str) -> None:
    browser = without_script
    metrics(browser, 390, 844)
    browser.get(f"{floor.url}/where?lang={lang}")
    game = next(game for game in floor.program.desk.state.current if game.table == 3)
    division = floor.program.desk.state.first
    fill(browser, "[name=name]", division.called(game.white)[:4])
    follow(browser, ".ask button")
    text = text_of(browser, "article.seat")
    assert "3" in text and division.called(game.black) in text and ("白" if lang == "ja" else "White") in text
    look(browser, pictures / f"where-phone-{lang}.png")


_SPY = """
window.done = {rung: 0, vibrated: 0, awake: 0};
const tone = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { window.done.rung += 1; return tone.call(this); };
navigator.vibrate = () => { window.done.vibrated += 1; };
const lock = WakeLock.prototype.request;
WakeLock.prototype.request = async function (kind) {
  const held = await lock.call(this, kind); window.done.awake += 1; return held;
};
"""


def test_a_phone_rings_when_its_table_is_published(tmp_path: Path, browser: webdriver.Chrome, pictures: Path) -> None:
    """It does so on the page of a slip whose form is still open, and on that of a badge in a window in the background.
    The state before the tap, a result, and the same table again cause no sound."""
    with running_head(tmp_path, tables=2) as (program, url):
        desk = program.desk
        desk.divisions.set_tables("main", range(1, 20))
        desk.rounds.publish(desk.rounds.draft("main").digest, "main")
        game = next(one for one in desk.state.division().current if one.table == 5)
        slip, badge = game_subject(game.id), player_subject("main", str(game.white))
        windows = {}
        for path, lang, says in (
            (f"g/{program.access.token(slip)}?me=1&", "ja", "振動"),
            (f"p/{program.access.token(badge)}?", "en", "vibrates"),
        ):
            browser.switch_to.new_window("tab")
            windows[path] = browser.current_window_handle
            visit(browser, "phone", f"{url}/{path}lang={lang}")
            browser.execute_script(_SPY)
            picture(browser, "phone", pictures / f"notify-before-phone-{lang}.png")
            tap(browser, ".notify button")
            wait_for(browser, "return window.done.awake === 1 && window.done.rung === 1 && window.done.vibrated === 1")
            wait_for_text(browser, says, ".notify")
            assert number_of(browser, ".notify > :not([hidden])") == 1
            picture(browser, "phone", pictures / f"notify-phone-{lang}.png")
        for one in desk.state.division().current:
            desk.results.enter(one.id, outcome(one, 40))
        wait_for_text(browser, "✓", "[data-key=report]")
        assert browser.execute_script("return window.done.rung") == 1
        desk.rounds.publish(desk.rounds.draft("main").digest, "main")
        for window in windows.values():
            browser.switch_to.window(window)
            wait_for(browser, "return window.done.rung === 6 && window.done.vibrated === 2")
            wait_for_element(browser, "[data-called]")
        desk.divisions.announce("昼休み", "")
        wait_for_text(browser, "昼休み", "[data-key=announcement]")
        assert browser.execute_script("return window.done.rung") == 6
        picture(browser, "phone", pictures / "notify-rung-phone-en.png")
        for window in windows.values():
            browser.switch_to.window(window)
            browser.close()
        browser.switch_to.window(browser.window_handles[0])


def test_an_unknown_name_is_reported(floor: Floor, browser: webdriver.Chrome) -> None:
    visit(browser, "phone", f"{floor.url}/where?lang=en&name=%3Cscript%3E")
    wait_for_text(browser, "Nobody of that name")
