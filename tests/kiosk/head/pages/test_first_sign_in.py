"""Browser tests of a chief arbiter's and a new arbiter's first sign-in, on a phone."""

from __future__ import annotations

import pytest
from browsers.chromium import LANGUAGES, visit
from browsers.live import fill, follow, number_of, tap, text_of, texts_of, wait_for, wait_for_element
from heads.staff import PASSWORD
from selenium import webdriver
from waiting import until

from kiosk.head.program import HeadApplication


def _fill(browser: webdriver.Chrome, **fields: str) -> None:
    """Fill in and send the form in the middle of the page; the page that follows fits a phone."""
    for name, value in fields.items():
        fill(browser, f"main form [name={name}]", value)
    follow(browser, "main form button.go")
    visit(browser, "phone")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_chief_and_an_arbiter_sign_in_for_the_first_time(
    browser: webdriver.Chrome, running: tuple[HeadApplication, str], lang: str
) -> None:
    program, url = running
    browser.delete_all_cookies() if browser.current_url.startswith("http") else None
    visit(browser, "phone", f"{url}/desk?lang={lang}")
    browser.delete_all_cookies()
    visit(browser, "phone", f"{url}/desk?lang={lang}")
    _fill(browser, code=program.access.setup_code)
    wait_for_element(browser, "[name=again]")
    _fill(browser, name="Aoki", password=PASSWORD, again="something else")
    assert text_of(browser, ".wrong")
    _fill(browser, name="Aoki", password=PASSWORD, again=PASSWORD)
    until(lambda: browser.current_url.rstrip("/").endswith("/desk"))

    visit(browser, "phone", f"{url}/accounts")
    fill(browser, "main form[action='/accounts/new'] [name=name]", "後藤 大和")
    tap(browser, "[name=role][value=arbiter]")
    for device in program.access._sessions.listed():
        device.password_ns = None
    follow(browser, "form[action='/accounts/new'] button")
    wait_for_element(browser, "form[action='/accounts/new'] [name=password]")
    _fill(browser, password=PASSWORD)
    code = text_of(browser, ".bigcode")
    visit(browser, "phone", f"{url}/accounts")

    browser.delete_all_cookies()  # the arbiter's own phone, after scanning the QR code
    visit(browser, "phone", f"{url}/sign-in/code?lang={lang}#{code}")
    wait_for(browser, "return document.querySelector('[name=code]').value === arguments[0]", code)
    assert code not in browser.current_url
    follow(browser, "main form button.go")
    _fill(browser, password="three other words", again="three other words")
    until(lambda: "/sign-in" not in browser.current_url)
    visit(browser, "phone", f"{url}/audit")
    kinds = texts_of(browser, ".trail .kind")
    assert len(kinds) >= 5 and not any("account-" in kind for kind in kinds)
    visit(browser, "phone", f"{url}/accounts")
    assert not number_of(browser, "form[action='/accounts/new']")
