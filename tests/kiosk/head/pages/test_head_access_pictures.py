"""A chief arbiter's first morning and a new arbiter's first minute, in a real browser on a phone and a desktop."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browsers.chromium import LANGUAGES, picture, visit
from heads.staff import PASSWORD
from heads.world import running_head
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.expected_conditions import staleness_of
from selenium.webdriver.support.ui import WebDriverWait
from waiting import until

from kiosk.head.access.limits import PER_ADDRESS
from kiosk.head.program import HeadProgram

Site = tuple[HeadProgram, str]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with running_head(tmp_path) as running:
        yield running


def _wait(browser: webdriver.Chrome, css: str) -> WebElement:
    found: WebElement = WebDriverWait(browser, 10).until(lambda b: b.find_element(By.CSS_SELECTOR, css))
    return found


def _fill(browser: webdriver.Chrome, **fields: str) -> None:
    """Fills the form in the middle of the page, sends it, and waits until the page has gone."""
    for name, value in fields.items():
        box = _wait(browser, f"main form [name={name}]")
        box.clear()
        box.send_keys(value)
    button = _wait(browser, "main form button.go")
    button.click()
    WebDriverWait(browser, 10).until(staleness_of(button))


@pytest.fixture
def shoot(browser: webdriver.Chrome, pictures: Path) -> Callable[[str], None]:
    """Shows the present page on a phone and a desktop, and takes it where pictures are wanted."""

    def take(name: str) -> None:
        lang = browser.execute_script("return document.documentElement.lang")
        for size in ("phone", "desktop"):
            visit(browser, size)
            if os.environ.get("KIOSK_PICTURES"):
                picture(browser, size, pictures / f"access-{name}-{size}-{lang}.png")
        visit(browser, "phone")

    return take


@pytest.mark.parametrize("lang", LANGUAGES)
def test_from_the_setup_code_to_a_staff_that_can_be_called_to_account(
    browser: webdriver.Chrome, site: Site, shoot: Callable[[str], None], lang: str
) -> None:
    program, url = site
    browser.delete_all_cookies() if browser.current_url.startswith("http") else None
    visit(browser, "phone", f"{url}/desk?lang={lang}")
    browser.delete_all_cookies()
    visit(browser, "phone", f"{url}/desk?lang={lang}")
    shoot("1-setup")
    _fill(browser, code=program.access.setup_code)
    _wait(browser, "[name=again]")
    shoot("2-first-chief")
    _fill(browser, name="Aoki", password=PASSWORD, again="something else")
    assert _wait(browser, ".wrong").text
    _fill(browser, name="Aoki", password=PASSWORD, again=PASSWORD)
    until(lambda: browser.current_url.rstrip("/").endswith("/desk"))

    visit(browser, "phone", f"{url}/accounts")
    _wait(browser, "main form[action='/accounts/new'] [name=name]").send_keys("後藤 大和")
    _wait(browser, "[name=role][value=arbiter]").click()
    for device in program.access._sessions.listed():
        device.password_ns = None
    _wait(browser, "form[action='/accounts/new'] button").click()
    _wait(browser, "form[action='/accounts/new'] [name=password]")
    shoot("3-password-again")
    _fill(browser, password=PASSWORD)
    code = _wait(browser, ".bigcode").text
    shoot("4-code")
    visit(browser, "phone", f"{url}/accounts")
    shoot("5-accounts")

    browser.delete_all_cookies()  # the arbiter's own phone, which has scanned the picture
    visit(browser, "phone", f"{url}/sign-in/code?lang={lang}#{code}")
    WebDriverWait(browser, 10).until(lambda b: b.find_element(By.NAME, "code").get_attribute("value") == code)
    assert code not in browser.current_url
    shoot("6-code-scanned")
    _wait(browser, "main form button.go").click()
    _fill(browser, password="three other words", again="three other words")
    until(lambda: "/sign-in" not in browser.current_url)
    visit(browser, "phone", f"{url}/audit")
    kinds = [kind.text for kind in browser.find_elements(By.CSS_SELECTOR, ".trail .kind")]
    assert len(kinds) >= 5 and not any("account-" in kind for kind in kinds)
    shoot("7-audit")
    visit(browser, "phone", f"{url}/accounts")
    assert not browser.find_elements(By.CSS_SELECTOR, "form[action='/accounts/new']")
    shoot("8-own")

    browser.delete_all_cookies()
    visit(browser, "phone", f"{url}/sign-in?lang={lang}")
    shoot("9-sign-in")
    for _ in range(PER_ADDRESS.free + 2):
        _fill(browser, name="Aoki", password="not this one")
        _wait(browser, ".wrong")
    shoot("10-wait")
    assert any(digit in _wait(browser, ".wrong").text for digit in "0123456789")
