"""The pages in a real browser, on a phone and on a wall, in both languages.

``KIOSK_PICTURES=DIR`` keeps the pictures to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers.chromium import visit
from heads.floor import play_to_round_3
from heads.world import PlayedTable, running_head
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from waiting import until

from engine.match import Seat
from engine.match.events import Hold

SIZES = ("phone", "wall")


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Round 3 of an event: games in play, a call for the arbiter, a finished game, silent tables. Address and code."""
    with running_head(tmp_path_factory.mktemp("head"), auto=True) as (program, url):
        tables = [PlayedTable(number, program.collection) for number in range(1, 9)]
        play_to_round_3(program, tables)
        tables[1].tell(Hold(tables[1].at_ns + 3_000_000_000, Seat.LEFT))
        tables[3].slip()
        tables[4].finish()
        for table in tables[:7]:
            table.live(unsynced=3 if table.number == 6 else 0)
        program.desk.orders.send(3, "arbiter", revision=1, body={"action": "resume", "reason": ""})
        yield url, program.access.setup_code


def _keep(browser: webdriver.Chrome, picture: Path) -> None:
    browser.save_screenshot(str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 10_000


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", ["ja", "en"])
def test_tables_live(browser: webdriver.Chrome, hall, pictures: Path, size: str, lang: str) -> None:
    visit(browser, size, f"{hall[0]}/?lang={lang}")
    WebDriverWait(browser, 10).until(lambda b: b.find_elements(By.CSS_SELECTOR, ".side.running .clock"))
    sections = browser.find_elements(By.CSS_SELECTOR, "#items > section")
    assert len(sections) == 8
    assert "arbiter" in sections[0].text.lower() or "審判" in sections[0].text  # the call comes first
    assert len(browser.find_elements(By.CSS_SELECTOR, "svg.board")) >= 6
    assert "IM-" not in browser.page_source
    _keep(browser, pictures / f"tables-{size}-{lang}.png")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize("page", ["pairings", "standings"])
def test_lists(browser: webdriver.Chrome, hall, pictures: Path, size: str, lang: str, page: str) -> None:
    visit(browser, size, f"{hall[0]}/{page}?lang={lang}")
    rows = browser.find_elements(By.CSS_SELECTOR, "tbody tr")
    assert len(rows) == (8 if page == "pairings" else 16)
    assert "青木 みどり" in browser.find_element(By.TAG_NAME, "main").text
    _keep(browser, pictures / f"{page}-{size}-{lang}.png")


def test_a_clock_counts_down_in_the_browser(browser: webdriver.Chrome, hall) -> None:
    visit(browser, "wall", f"{hall[0]}/?lang=en")
    WebDriverWait(browser, 10).until(lambda b: b.find_elements(By.CSS_SELECTOR, ".side.running .clock"))
    shown = "return document.querySelector('.side.running .clock').textContent"
    before = _seconds(browser.execute_script(shown))
    WebDriverWait(browser, 10).until(lambda b: _seconds(b.execute_script(shown)) < before)


def _seconds(clock: str) -> int:
    minutes, seconds = clock.split(":")
    return int(minutes) * 60 + int(seconds)


def _first_chief(browser: webdriver.Chrome, code: str) -> None:
    browser.find_element(By.NAME, "code").send_keys(code)
    browser.find_element(By.CSS_SELECTOR, "form.panel button").click()
    WebDriverWait(browser, 10).until(lambda b: b.find_elements(By.NAME, "again"))
    browser.find_element(By.NAME, "name").send_keys("Chief")
    for field in ("password", "again"):
        browser.find_element(By.NAME, field).send_keys("green discs rule")
    browser.find_element(By.CSS_SELECTOR, "form.panel button").click()


def test_the_desk(browser: webdriver.Chrome, hall, pictures: Path) -> None:
    url, code = hall
    visit(browser, "phone", f"{url}/desk?lang=ja")
    assert browser.find_elements(By.CSS_SELECTOR, "input[name=code]")
    _keep(browser, pictures / "login-phone-ja.png")
    _first_chief(browser, code)
    WebDriverWait(browser, 10).until(lambda b: b.find_elements(By.CSS_SELECTOR, ".step"))
    for size in SIZES:
        for lang in ("ja", "en"):
            visit(browser, size, f"{url}/desk?lang={lang}")
            assert len(browser.find_elements(By.CSS_SELECTOR, ".step")) == 1  # one thing to do next
            assert browser.find_elements(By.CSS_SELECTOR, "progress")
            _keep(browser, pictures / f"desk-{size}-{lang}.png")


def test_the_operator_publishes_a_draft_in_the_browser(
    browser: webdriver.Chrome, pictures: Path, tmp_path: Path
) -> None:
    with running_head(tmp_path) as (program, url):
        visit(browser, "wall", f"{url}/desk?lang=en")
        _first_chief(browser, program.access.setup_code)
        # The page replaces what has changed, so what is found may be another one by the time it is clicked.
        patient = WebDriverWait(browser, 10, ignored_exceptions=[StaleElementReferenceException])
        step = (By.CSS_SELECTOR, ".step a")
        patient.until(lambda b: b.find_element(*step).click() is None)  # the one thing to do next: look at the draft
        publish = (By.CSS_SELECTOR, "form.publish button.go")
        WebDriverWait(browser, 10).until(lambda b: b.find_element(*publish))
        _keep(browser, pictures / "draft-wall-en.png")
        patient.until(lambda b: b.find_element(*publish).click() is None)
        until(lambda: len(program.desk.state.first.rounds) == 1)
        visit(browser, "phone", f"{url}/?lang=ja")
        table = PlayedTable(1, program.collection)
        table.obey()
        table.play(3)
        WebDriverWait(browser, 10).until(lambda b: "4手目" in b.find_element(By.ID, "items").text)  # nobody reloaded
        _keep(browser, pictures / "first-moves-phone-ja.png")
