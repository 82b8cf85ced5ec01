"""Browser tests of the arbiter's pages on a phone, a tablet and a desktop, with a hall in play."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsers.chromium import LANGUAGES, picture, visit
from browsers.live import fill, follow, tap, wait_for, wait_for_element, wait_for_path, wait_for_text
from browsers.signed_in import sign_in_browser
from heads.floor import Floor, S
from selenium import webdriver
from waiting import until

from engine.match import Seat
from engine.match.match_events_and_effects import Hold

#: minimum size of a touch target (WCAG 2.5.5), in CSS pixels
TARGET = 44


@pytest.fixture(scope="module", autouse=True)
def _signed_in(floor: Floor, browser: webdriver.Chrome) -> None:
    sign_in_browser(browser, floor.program, floor.url)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("size", ["phone", "tablet", "desktop"])
def test_page_shows_all_tables(floor: Floor, browser: webdriver.Chrome, pictures: Path, size: str, lang: str) -> None:
    visit(browser, size, f"{floor.url}/floor?lang={lang}")
    order = "return [...document.querySelectorAll('.called a, .tablerow')].map(e => [e.innerText, e.className])"
    (call, _), (_, worst), *_ = browser.execute_script(order)  # at one moment: the page is live
    assert call.split()[0] == "2" and "red" in worst  # table 2 has called the arbiter and is first
    wait_for_text(browser, ":", ".called .wait")
    if size == "phone":
        small = browser.execute_script(
            "return [...document.querySelectorAll('#items a, #items button, #items summary')]"
            ".filter(e => e.offsetParent && e.getBoundingClientRect().height < arguments[0]).map(e => e.outerHTML)",
            TARGET,
        )
        assert small == []
    picture(browser, size, pictures / f"floor-{size}-{lang}.png")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_desk_shows_tables_that_wait_for_an_arbiter(
    floor: Floor, browser: webdriver.Chrome, pictures: Path, lang: str
) -> None:
    visit(browser, "phone", f"{floor.url}/desk?lang={lang}")
    waiting = "const says = document.querySelector('.called a')?.innerText; return says?.includes(':') && says"
    assert wait_for(browser, waiting).split()[0] == "2"  # the table's number, and at the end the time of waiting
    picture(browser, "phone", pictures / f"desk-calls-phone-{lang}.png")
    tap(browser, ".callhead a")
    wait_for_path(browser, "/floor")


@pytest.mark.parametrize("size", ["phone", "desktop"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_challenge_with_the_finding_and_both_boards(
    floor: Floor, browser: webdriver.Chrome, pictures: Path, lang: str, size: str
) -> None:
    visit(browser, size, f"{floor.url}/floor/4?lang={lang}")
    wait_for_text(browser, "IM-4", ".challenge")
    measured = "return [...document.querySelectorAll('.challenge svg.board')].map(e => e.getBoundingClientRect().width)"
    boards = browser.execute_script(measured)  # at one moment: the page is live
    assert len(boards) == 2 and all(width > 120 for width in boards)
    picture(browser, size, pictures / f"floor-challenge-{size}-{lang}.png")


def test_a_call_is_answered_and_the_clock_resumed(floor: Floor, browser: webdriver.Chrome) -> None:
    visit(browser, "phone", f"{floor.url}/floor?lang=en")
    tap(browser, ".called a")
    wait_for_path(browser, "/floor/2")
    tap(browser, ".now button")
    until(lambda: floor.tables[2].match.clock.running is not None)
    wait_for_text(browser, "applied", ".ordered")  # without a reload
    floor.tables[2].at_ns += S
    floor.tables[2].apply_event(Hold(floor.tables[2].at_ns, Seat.LEFT))  # the tables are in the state before


def test_an_unfinished_note_is_kept_over_live_updates(floor: Floor, browser: webdriver.Chrome) -> None:
    """A live page does not update a form that somebody has begun to fill in, also without focus; when the text is
    removed, the held update is shown."""
    visit(browser, "tablet", f"{floor.url}/floor/3?lang=en")
    wait_for_element(browser, ".now button.stop")
    fill(browser, ".notes textarea", "the chair")
    browser.execute_script("document.activeElement.blur()")
    floor.program.desk.orders.send(3, "hold", body={})
    wait_for_text(browser, "applied", ".ordered")
    assert browser.execute_script("return document.querySelector('.notes textarea').value") == "the chair"
    fill(browser, ".notes textarea", "")
    browser.execute_script("document.activeElement.blur()")
    follow(browser, ".now button.go")
    until(lambda: floor.tables[3].match.clock.running is not None)


def test_unchanged_items_of_a_stream_are_not_replaced(floor: Floor, browser: webdriver.Chrome) -> None:
    """The first message repeats every item; the elements stay the same, so that a tap meets its button."""
    early = "addEventListener('DOMContentLoaded', () => { window.button = document.querySelector('.notes button') })"
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": early})
    visit(browser, "tablet", f"{floor.url}/floor/9?lang=en")
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    floor.program.desk.orders.note(9, "a second clock lies ready")
    wait_for_text(browser, "a second clock lies ready", ".ordered")
    assert browser.execute_script("return window.button === document.querySelector('.notes button')")
