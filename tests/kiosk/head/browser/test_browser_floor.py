"""The arbiter with a phone, a tablet and a desktop, in a real browser over a hall in play."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers.chromium import picture, visit
from browsers.signed_in import sign_in_browser
from heads.floor import Floor, floor_in_play
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from waiting import until

#: what a thumb hits without looking (WCAG 2.5.5), in CSS pixels
TARGET = 44


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory, browser: webdriver.Chrome) -> Iterator[Floor]:
    with floor_in_play(tmp_path_factory.mktemp("floor")) as made:
        sign_in_browser(browser, made.program, made.url)
        yield made


def tap(browser: webdriver.Chrome, css: str) -> None:
    """Taps what is there; a live page may have replaced it in the meantime."""
    patient = WebDriverWait(browser, 10, ignored_exceptions=[StaleElementReferenceException])
    patient.until(lambda b: b.find_element(By.CSS_SELECTOR, css).click() is None)


def shown(browser: webdriver.Chrome, text: str, css: str = "main") -> None:
    patient = WebDriverWait(browser, 15, ignored_exceptions=[StaleElementReferenceException])
    patient.until(lambda b: text in b.find_element(By.CSS_SELECTOR, css).text, f"'{text}' did not appear")


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize("size", ["phone", "tablet", "desktop"])
def test_the_floor_at_a_glance(floor: Floor, browser: webdriver.Chrome, pictures: Path, size: str, lang: str) -> None:
    visit(browser, size, f"{floor.url}/floor?lang={lang}")
    order = "return [...document.querySelectorAll('.called a, .tablerow')].map(e => [e.innerText, e.className])"
    (call, _), (_, worst), *_ = browser.execute_script(order)  # at one moment: the page is live
    assert call.split()[0] == "2" and "red" in worst  # table 2 has called, and stands on top
    WebDriverWait(browser, 10).until(lambda b: ":" in b.find_element(By.CSS_SELECTOR, ".called .wait").text)
    if size == "phone":
        small = browser.execute_script(
            "return [...document.querySelectorAll('#items a, #items button, #items summary')]"
            ".filter(e => e.offsetParent && e.getBoundingClientRect().height < arguments[0]).map(e => e.outerHTML)",
            TARGET,
        )
        assert small == []
    picture(browser, size, pictures / f"floor-{size}-{lang}.png")


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_desk_sees_who_waits_for_an_arbiter(
    floor: Floor, browser: webdriver.Chrome, pictures: Path, lang: str
) -> None:
    visit(browser, "phone", f"{floor.url}/desk?lang={lang}")
    waiting = "return document.querySelector('.called a')?.innerText.split(/\\s+/) ?? []"
    first = WebDriverWait(browser, 10).until(lambda b: ":" in (now := b.execute_script(waiting))[-1] and now)
    assert first[0] == "2"  # the table's number, and at the end how long it has waited
    picture(browser, "phone", pictures / f"desk-calls-phone-{lang}.png")
    tap(browser, ".callhead a")
    WebDriverWait(browser, 10).until(lambda b: b.current_url.endswith("/floor"))


@pytest.mark.parametrize("size", ["phone", "desktop"])
@pytest.mark.parametrize("lang", ["ja", "en"])
def test_a_challenge_with_the_finding_and_both_boards(
    floor: Floor, browser: webdriver.Chrome, pictures: Path, lang: str, size: str
) -> None:
    visit(browser, size, f"{floor.url}/floor/4?lang={lang}")
    shown(browser, "IM-4", ".challenge")
    measured = "return [...document.querySelectorAll('.challenge svg.board')].map(e => e.getBoundingClientRect().width)"
    boards = browser.execute_script(measured)  # at one moment: the page is live
    assert len(boards) == 2 and all(width > 120 for width in boards)
    picture(browser, size, pictures / f"floor-challenge-{size}-{lang}.png")


def test_from_a_call_to_the_clock_running_again(floor: Floor, browser: webdriver.Chrome) -> None:
    visit(browser, "phone", f"{floor.url}/floor?lang=en")
    tap(browser, ".called a")
    WebDriverWait(browser, 10).until(lambda b: b.current_url.endswith("/floor/2"))
    tap(browser, ".now button")
    until(lambda: floor.tables[2].match.clock.running is not None)
    shown(browser, "applied", ".ordered")  # nobody reloaded


def test_a_forfeit_takes_two_pages_and_says_what_follows(
    floor: Floor, browser: webdriver.Chrome, pictures: Path
) -> None:
    visit(browser, "phone", f"{floor.url}/floor/1?lang=ja")
    tap(browser, ".now button.stop")
    until(lambda: floor.tables[1].match.phase == "HOLD")
    shown(browser, "実行済み", ".ordered")
    tap(browser, ".actlist a[href$='/forfeit']")
    WebDriverWait(browser, 10).until(lambda b: b.find_elements(By.NAME, "side"))
    picture(browser, "phone", pictures / "floor-forfeit-1-phone-ja.png")
    visit(browser, "phone")
    tap(browser, "input[name=side][value=white]")
    browser.find_element(By.NAME, "reason").send_keys("戻らなかった")
    tap(browser, "form.acting button")
    WebDriverWait(browser, 10).until(lambda b: b.find_elements(By.CSS_SELECTOR, ".consequence"))
    players = floor.tables[1].assignment.players  # type: ignore[union-attr]
    assert players[1].name in browser.find_element(By.CSS_SELECTOR, ".consequence").text
    assert floor.tables[1].match.result is None
    picture(browser, "phone", pictures / "floor-forfeit-2-phone-ja.png")
    visit(browser, "phone")
    tap(browser, "form.acting button")
    until(lambda: floor.tables[1].match.result is not None)
    assert floor.tables[1].match.result.winner == "black"


def test_all_clocks_stop_and_the_silent_table_is_named(floor: Floor, browser: webdriver.Chrome, pictures: Path) -> None:
    visit(browser, "phone", f"{floor.url}/floor?lang=en")
    running = [number for number, table in floor.tables.items() if table.match and table.match.clock.running]
    tap(browser, ".lot.stop summary")
    assert all(floor.tables[number].match.clock.running for number in running)  # opening it stops nothing
    tap(browser, ".lot.stop button")
    until(lambda: all(floor.tables[number].match.clock.running is None for number in running if number != 7))
    shown(browser, f"applied {len(running) - 1}", ".lotstate")
    shown(browser, "Table 7", ".lotstate .walk")
    picture(browser, "phone", pictures / "floor-stopped-phone-en.png")
    visit(browser, "phone", f"{floor.url}/floor?lang=en")
    tap(browser, ".lot:not(.stop) summary")
    tap(browser, ".lot:not(.stop) button")
    until(lambda: all(floor.tables[number].match.clock.running for number in running if number != 7))


def test_a_note_is_kept(floor: Floor, browser: webdriver.Chrome) -> None:
    visit(browser, "tablet", f"{floor.url}/floor/9?lang=ja")
    browser.find_element(By.CSS_SELECTOR, ".notes textarea").send_keys("椅子が不安定")
    tap(browser, ".notes button")
    shown(browser, "椅子が不安定", ".ordered")
