"""Browser test of check-in: typing a name and Enter marks the player present, without a page reload."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsers.chromium import picture, visit
from browsers.live import fill, tap, wait_for, wait_for_text
from browsers.signed_in import sign_in_browser
from heads.world import running_head
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from waiting import until

ROWS = "return [...document.querySelectorAll('.checkin tbody tr')].filter(r => !r.hidden).length === arguments[0]"


@pytest.mark.timeout(200)
def test_enter_or_a_tap_checks_a_player_in(browser: webdriver.Chrome, pictures: Path, tmp_path: Path) -> None:
    """The search field has the focus; typed text narrows the list by name or kana; Enter marks the first player, a tap
    marks any. The page neither reloads nor scrolls."""
    with running_head(tmp_path, tables=2) as (program, url):
        desk = program.desk
        desk.players.change("main", "p3", {"kana": "ちば かいと"})
        desk.players.change("main", "p9", {"kana": "いしだ ゆい"})
        sign_in_browser(browser, program, url)
        visit(browser, "phone", f"{url}/division/main/players?lang=ja")
        wait_for(browser, "return document.activeElement.name === 'find'")
        search, button = browser.find_elements("css selector", "form.find :is(input, button)")
        assert search.size["height"] < 60 and button.size["height"] < 60, "the button's word is on one line"
        browser.execute_script("window.same = true")
        for typed, id in (("チバ", "p3"), ("ｲｼﾀﾞ", "p9")):
            fill(browser, "[name=find]", typed)
            wait_for(browser, ROWS, 1)
            ActionChains(browser).send_keys("\n").perform()
            until(lambda id=id: id in desk.state.division().here)
            wait_for_text(browser, "✓", f".checkin tr:has(a[href$='/{id}'])")
        fill(browser, "[name=find]", "ぜんぜん")
        wait_for_text(browser, "この部門にはいません", "form.find output")
        assert not browser.execute_script("return document.querySelector('.roll .links').checkVisibility()")
        fill(browser, "[name=find]", " ")
        wait_for(browser, ROWS, 16)
        wait_for_text(browser, "まだの14人を欠席にする", ".roll .links")
        tap(browser, ".index button[value='た']")
        wait_for(browser, ROWS, 1)
        tap(browser, ".index button[value='']")
        tap(browser, "button[value='absent p16']")
        until(lambda: desk.state.division().event.player("p16").absent)
        wait_for(browser, "return document.querySelector(\"button[value='here p16']\") !== null")
        at = browser.execute_script("return scrollY")
        tap(browser, "button[value='here p16']")
        until(lambda: not desk.state.division().event.player("p16").absent)
        wait_for_text(browser, "✓", ".checkin tr:has(a[href$='/p16'])")
        assert browser.execute_script("return window.same && Math.abs(scrollY - arguments[0]) < 400", at)
        picture(browser, "phone", pictures / "checkin-phone-ja.png")
        browser.get("about:blank")


@pytest.mark.timeout(200)
def test_undo_is_of_the_last_mark(browser: webdriver.Chrome, tmp_path: Path) -> None:
    with running_head(tmp_path, tables=2) as (program, url):
        sign_in_browser(browser, program, url)
        visit(browser, "phone", f"{url}/division/main/players?lang=en")
        tap(browser, "button[value='here p1']")
        until(lambda: "p1" in program.desk.state.division().here)
        visit(browser, "phone", f"{url}/division/main/players?lang=en")
        tap(browser, "button[value='here p2']")
        wait_for_text(browser, "✓", ".checkin tr:has(a[href$='/p2'])")
        tap(browser, ".last-done button")
        until(lambda: program.desk.state.division().here == {"p1"})
        browser.get("about:blank")
