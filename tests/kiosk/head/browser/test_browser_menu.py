"""The menu of somebody who is signed in: one line on a phone, with every page behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsers.chromium import SIZES, picture, visit
from browsers.signed_in import sign_in_browser
from heads.world import running_head
from selenium import webdriver
from selenium.webdriver.common.by import By

PLACES = {"/desk", "/floor", "/pairings", "/standings", "/", "/publish", "/audit", "/accounts"}


def _shown(browser: webdriver.Chrome) -> list[str]:
    links = browser.find_elements(By.CSS_SELECTOR, ".top nav a:not(.switch)")
    return [link.get_dom_attribute("href") for link in links if link.is_displayed()]


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_menu_is_one_line(browser: webdriver.Chrome, pictures: Path, tmp_path: Path, lang: str) -> None:
    with running_head(tmp_path) as (program, url):
        sign_in_browser(browser, program, url)
        for size in SIZES:
            visit(browser, size, f"{url}/desk?lang={lang}")
            nav = browser.find_element(By.CSS_SELECTOR, ".top nav")
            link = nav.find_element(By.TAG_NAME, "a")
            assert nav.size["height"] < 1.5 * link.size["height"], size
            nav_fits = "const n = arguments[0]; return n.scrollWidth <= n.clientWidth"
            assert browser.execute_script(nav_fits, nav), size
            more = browser.find_element(By.CSS_SELECTOR, ".more summary")
            if more.is_displayed():
                more.click()
            picture(browser, size, pictures / f"menu-{size}-{lang}.png")
            assert sorted(_shown(browser)) == sorted(PLACES), size
        browser.find_element(By.CSS_SELECTOR, ".rest a[href='/audit']").click()
        assert browser.current_url.endswith("/audit")
