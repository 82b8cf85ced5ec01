"""Browser tests of lists: they are saved as pictures, and a player is found in any division."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsers.chromium import visit
from browsers.live import fill, follow, tap, wait_for, wait_for_text
from browsers.signed_in import sign_in_browser
from heads.tournaments import outcome, publish_round
from heads.world import event, running_head
from selenium import webdriver

from kiosk.head.event.act_types import event_of
from kiosk.head.event.tournament_state import TableRules

#: size of the picture that the browser saves
CATCH = """
window.made = null;
HTMLAnchorElement.prototype.click = function () {
  const name = this.download;
  createImageBitmap(window.blob).then((drawn) => { window.made = [name, drawn.width, drawn.height]; });
};
const url = URL.createObjectURL.bind(URL);
URL.createObjectURL = (blob) => { window.blob = blob; return url(blob); };
return true;
"""


@pytest.mark.timeout(200)
def test_pairings_are_a_png_with_one_tap(browser: webdriver.Chrome, tmp_path: Path) -> None:
    with running_head(tmp_path, tables=2) as (program, url):
        publish_round(program)
        for page in ("pairings", "standings", "event/en/main/crosstable.html"):
            visit(browser, "desktop", f"{url}/{page}?lang=en")
            wait_for(browser, CATCH)
            tap(browser, "button.picture")
            name, width, height = wait_for(browser, "return window.made")
            assert name.endswith(".png") and width > 300 and height > 400, (page, name, width, height)
        browser.get("about:blank")


@pytest.mark.timeout(200)
def test_the_desk_finds_a_player_in_all_divisions(browser: webdriver.Chrome, tmp_path: Path) -> None:
    with running_head(tmp_path, tables=2) as (program, url):
        other = event(4, "round-robin")
        other["players"][3]["name"] = "Zoe Kwist"
        program.desk.divisions.create(event_of(other), TableRules("m43", 600), "children")
        sign_in_browser(browser, program, url)
        visit(browser, "desktop", f"{url}/desk?lang=en")
        fill(browser, ".find-all [name=name]", "kwist")
        follow(browser, ".find-all button")
        wait_for_text(browser, "Zoe Kwist", ".found")
        follow(browser, ".found a")
        wait_for_text(browser, "Zoe Kwist")
        browser.get("about:blank")


@pytest.mark.timeout(200)
def test_long_names_and_the_games_of_a_match_fit_a_phone(browser: webdriver.Chrome, tmp_path: Path) -> None:
    final = event(4, "swiss", rounds=1, finals="1-2", final_games=3)
    for player in final["players"]:
        player["name"] = f"Renée-Françoise de la Bourdonnais-Laval {player['id']}"
    with running_head(tmp_path, data=final, tables=2) as (program, url):
        for discs in (50, None):
            publish_round(program)
            for game in program.desk.state.current if discs else ():
                program.desk.results.enter(game.id, outcome(game, discs))
        match = "game 1 of 3"
        for page, shown in (("pairings", match), ("event/en/main/rounds.html", match), ("live", "Renée")):
            visit(browser, "phone", f"{url}/{page}?lang=en")
            wait_for_text(browser, shown)
            visit(browser, "phone")
        browser.get("about:blank")


#: marks the element that has the text itself
MARK = """for (const one of document.querySelectorAll('main *, body *'))
  if ([...one.childNodes].some(part => part.nodeType === 3 && part.data.includes(arguments[0]))) one.id = 'marked';"""


def fonts_of(browser: webdriver.Chrome, text: str) -> set[str]:
    """Return the fonts from which the browser takes the letters of a text."""
    wait_for_text(browser, text, "body")
    browser.execute_script(MARK, text)
    for domain in ("DOM", "CSS"):
        browser.execute_cdp_cmd(f"{domain}.enable", {})
    root = browser.execute_cdp_cmd("DOM.getDocument", {})["root"]["nodeId"]
    node = browser.execute_cdp_cmd("DOM.querySelector", {"nodeId": root, "selector": "#marked"})["nodeId"]
    used = browser.execute_cdp_cmd("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    return {one["familyName"] for one in used}


@pytest.mark.timeout(200)
def test_letters_that_the_japanese_font_lacks_are_of_another(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """The browser would make ř of r and an accent beside it."""
    data = event(4, "round-robin")
    for player in data["players"]:
        player["name"] = "Dvořák Jiří"
    with running_head(tmp_path, data=data, tables=2) as (program, url):
        sign_in_browser(browser, program, url)
        publish_round(program)
        for page in ("pairings", "wall?show=pairings", "event/ja/main/rounds.html", "print/cards"):
            visit(browser, "desktop", f"{url}/{page}")
            assert any("CJK" not in name for name in fonts_of(browser, "Dvořák")), page
        browser.get("about:blank")


@pytest.mark.timeout(200)
def test_a_proposed_name_is_legible_on_a_page_that_fits_a_phone(browser: webdriver.Chrome, tmp_path: Path) -> None:
    columns = "氏名\tふりがな\t段級位\t生年\t所属\t備考\n高村 栞\tたかむら しおり\t六段\t1979\t緑石会\t初参加"
    with running_head(tmp_path, tables=2) as (program, url):
        sign_in_browser(browser, program, url)
        visit(browser, "desktop", f"{url}/division/main/import?lang=ja")
        fill(browser, "[name=text]", columns)
        follow(browser, "main form button.go")
        field = "const one = document.querySelector('[name^=latin]'); return one && one.value === 'Takamura Shiori'"
        wait_for(browser, f"{field} && one.scrollWidth <= one.clientWidth")
        visit(browser, "phone")
        browser.get("about:blank")
