"""Browser test of the staff menu: one line on a phone that leads to every page."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from browsers.chromium import SIZES, picture, visit
from browsers.live import follow, tap, wait_for_path
from browsers.signed_in import sign_in_browser
from heads.world import running_head
from selenium import webdriver

PLACES = {"/desk", "/floor", "/pairings", "/standings", "/", "/publish", "/audit", "/accounts"}


_SHOWN = (
    "return [...document.querySelectorAll('.top nav a:not(.switch)')]"
    ".filter(e => e.checkVisibility()).map(e => e.getAttribute('href'))"
)
_FITS = (
    "const nav = document.querySelector('.top nav'), link = nav.querySelector('a');"
    "return nav.offsetHeight < 1.5 * link.offsetHeight && nav.scrollWidth <= nav.clientWidth"
)


def test_the_menu_is_one_line(browser: webdriver.Chrome, pictures: Path, tmp_path: Path) -> None:
    with running_head(tmp_path) as (program, url):
        sign_in_browser(browser, program, url)
        for size, lang in product(SIZES, ("ja", "en")):
            visit(browser, size, f"{url}/desk?lang={lang}")
            assert browser.execute_script(_FITS), size
            if browser.execute_script("return document.querySelector('.more summary').checkVisibility()"):
                tap(browser, ".more summary")
            picture(browser, size, pictures / f"menu-{size}-{lang}.png")
            assert sorted(browser.execute_script(_SHOWN)) == sorted(PLACES), size
        follow(browser, ".rest a[href='/audit']")
        wait_for_path(browser, "/audit")
