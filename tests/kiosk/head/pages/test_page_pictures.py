"""Browser tests of the pages on a phone and a hall screen, in both languages.

``KIOSK_PICTURES=DIR`` saves pictures of the pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers.chromium import look, visit
from browsers.live import fill, follow, number_of, text_of, texts_of, wait_for_element, wait_for_text
from heads.floor import play_to_round_3
from heads.world import PlayedTable, running_head
from selenium import webdriver
from waiting import until

from engine.match import Seat
from engine.match.match_events_and_effects import Hold

SIZES = ("phone", "wall")


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Round 3 of an event: games in play, a call for the arbiter, a finished game, silent tables. Address and code."""
    with running_head(tmp_path_factory.mktemp("head"), auto=True) as (program, url):
        tables = [PlayedTable(number, program.devices.collection) for number in range(1, 9)]
        play_to_round_3(program, tables)
        tables[1].apply_event(Hold(tables[1].at_ns + 3_000_000_000, Seat.LEFT))
        tables[3].slip()
        tables[4].finish()
        for table in tables[:7]:
            table.live(unsynced=3 if table.number == 6 else 0)
        program.desk.orders.send(3, "arbiter", revision=1, body={"action": "resume", "reason": ""})
        yield url, program.access.setup_code


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", ["ja", "en"])
def test_tables_live(browser: webdriver.Chrome, hall, pictures: Path, size: str, lang: str) -> None:
    visit(browser, size, f"{hall[0]}/?lang={lang}")
    wait_for_element(browser, ".side.running .clock")
    sections = texts_of(browser, "#items > section:not([data-key=announcement])")
    assert len(sections) == 8
    assert "arbiter" in sections[0].lower() or "審判" in sections[0]  # the call is first
    assert number_of(browser, "svg.board") >= 6
    assert "IM-" not in browser.page_source
    look(browser, pictures / f"tables-{size}-{lang}.png")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize("page", ["pairings", "standings"])
def test_lists(browser: webdriver.Chrome, hall, pictures: Path, size: str, lang: str, page: str) -> None:
    visit(browser, size, f"{hall[0]}/{page}?lang={lang}")
    assert number_of(browser, "tbody tr") == (8 if page == "pairings" else 16)
    assert "青木 みどり" in text_of(browser, "main")
    look(browser, pictures / f"{page}-{size}-{lang}.png")


def test_a_clock_counts_down_in_the_browser(browser: webdriver.Chrome, hall) -> None:
    visit(browser, "wall", f"{hall[0]}/?lang=en")
    wait_for_element(browser, ".side.running .clock")
    clock = "return document.querySelector('.side.running .clock').textContent"
    before = _seconds(browser.execute_script(clock))
    until(lambda: _seconds(browser.execute_script(clock)) < before)


def _seconds(clock: str) -> int:
    minutes, seconds = clock.split(":")
    return int(minutes) * 60 + int(seconds)


def _first_chief(browser: webdriver.Chrome, code: str) -> None:
    fill(browser, "[name=code]", code)
    follow(browser, "form.panel button")
    fill(browser, "[name=name]", "Chief")
    for field in ("password", "again"):
        fill(browser, f"[name={field}]", "green discs rule")
    follow(browser, "form.panel button")


def test_the_desk(browser: webdriver.Chrome, hall, pictures: Path) -> None:
    url, code = hall
    visit(browser, "phone", f"{url}/desk?lang=ja")
    assert number_of(browser, "input[name=code]")
    look(browser, pictures / "login-phone-ja.png")
    _first_chief(browser, code)
    wait_for_element(browser, ".step")
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
        visit(browser, "wall", f"{url}/desk?lang=en")
        _first_chief(browser, program.access.setup_code)
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
