"""Browser tests after the last game: closing the event with one button, copying lists, stepping through a game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers.chromium import LANGUAGES, picture, visit
from browsers.live import fill, follow, tap, text_of, wait_for, wait_for_element
from browsers.signed_in import sign_in_browser
from heads.finished_tournament import played_tournament
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from waiting import until

from kiosk.head.program import HeadApplication

pytestmark = pytest.mark.slow
#: selectors of pages that are also viewed at the width of a phone
PAGES = ("close", "lists/games", "lists/entries", "lists/certificates", "publish/elsewhere", "division/open/numbers")
HALL = {"open": ("無差別", "swiss", 6, 2), "juniors": ("小学生", "knockout", 4, 2)}


@pytest.fixture(scope="module")
def hall(browser: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HeadApplication, str]]:
    """A head and a browser in which the chief is signed in."""
    with played_tournament(tmp_path_factory.mktemp("head"), HALL) as running:
        sign_in_browser(browser, *running)
        yield running


def recorded(program: HeadApplication) -> str:
    """Return a game of the open division that has a transcript."""
    games = program.desk.state.division("open").whole().rounds[0].games
    return next(f"r1g{number}" for number, game in enumerate(games, start=1) if game.transcript)


def test_the_event_is_closed_with_one_button(
    browser: webdriver.Chrome, hall: tuple[HeadApplication, str], pictures: Path
) -> None:
    """The page shows the progress by itself, and the zip can be saved; no new page is wider than a phone."""
    program, url = hall
    visit(browser, "desktop", f"{url}/close?lang=ja")
    assert "すべての対局が終わりました" in text_of(browser, "main")
    for name, said in (("place", "千代田"), ("country", "Japan"), ("sender", "A. Sato")):
        fill(browser, f"input[name={name}]", said)
    tap(browser, "form .go")
    wait_for_element(browser, "a[href='/close/event.zip']")
    until(lambda: not program.outbound.closing.progress.running)
    for lang in LANGUAGES:
        for page in (*PAGES, f"event/{lang}/article.html", f"event/{lang}/open/games/{recorded(program)}.html"):
            visit(browser, "phone", f"{url}/{page}?lang={lang}")
            for size in ("phone", "desktop"):
                visit(browser, size)
                picture(browser, size, pictures / f"evening-{page.replace('/', '-')}-{size}-{lang}.png")


def test_a_list_is_copied_completely(browser: webdriver.Chrome, hall: tuple[HeadApplication, str]) -> None:
    program, url = hall
    visit(browser, "desktop", f"{url}/lists/games?lang=en")
    rows = browser.execute_script("return document.querySelectorAll('tbody tr').length")
    cells = browser.execute_script("return document.getElementById('cells').value")
    played = sum(len(one.games) for each in program.desk.state.divisions.values() for one in each.whole().rounds)
    assert rows == played and cells.count("\n") == played + 1 and cells.startswith("Date\tEvent\t")
    browser.find_element("css selector", "button[data-copies]").click()  # copying needs a click
    until(lambda: text_of(browser, "button[data-copies]") == "Copied")


def test_arrow_keys_step_through_a_game(browser: webdriver.Chrome, hall: tuple[HeadApplication, str]) -> None:
    """On the published page the left key goes one move back, Home to the start, End to the last move."""
    program, url = hall
    visit(browser, "desktop", f"{url}/event/en/open/games/{recorded(program)}.html")
    for key, step in ((Keys.HOME, "m0"), (Keys.ARROW_RIGHT, "m1"), (Keys.ARROW_RIGHT, "m2"), (Keys.ARROW_LEFT, "m1"),
                      (Keys.END, "record")):  # fmt: skip
        ActionChains(browser).send_keys(key).perform()
        wait_for(browser, "return document.getElementById(arguments[0]).checkVisibility()", step)


def test_a_refused_form_is_shown_again_as_it_was_typed(
    browser: webdriver.Chrome, hall: tuple[HeadApplication, str]
) -> None:
    program, url = hall
    game = program.desk.state.division("open").rounds[0][0]
    visit(browser, "desktop", f"{url}/division/open/game/{game.id}?lang=ja")
    typed = {"black_discs": "31", "white_discs": "34", "reason": "黒白が逆"}
    for name, text in typed.items():
        fill(browser, f"input[name={name}]", text)
    follow(browser, "form button.go")
    assert "65石" in text_of(browser, ".refused")
    # The script ends before the page is left for the one before it; else Chromium may run it again there.
    browser.execute_script("setTimeout(() => document.querySelector('.refused a').click())")
    wait_for_element(browser, "input[name=reason]")
    assert {name: browser.find_element("name", name).get_property("value") for name in typed} == typed
