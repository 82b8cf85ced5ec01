"""Browser test with a head that hangs: its connections stay open without data, and each page reports that."""

from __future__ import annotations

import threading

from browsers.live import wait_for
from selenium import webdriver
from waiting import HANGS_S

from kiosk.head.program import HeadApplication

#: the page's clock, which the test sets forward
CLOCK = "const now = performance.now.bind(performance); performance.now = () => now() + (window.later || 0)"
SILENT = (
    "const said = document.getElementById('silent'); return !said.hidden && said.checkVisibility() && said.innerText"
)


def test_a_page_of_a_hanging_head_shows_a_warning_until_data_arrives(
    browser: webdriver.Chrome, running: tuple[HeadApplication, str]
) -> None:
    program, url = running
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": CLOCK})
    goes_on = threading.Event()
    try:
        browser.get(f"{url}/?lang=ja")
        wait_for(browser, "return document.getElementById('silent').hidden")
        loop = program.services.pages.changes._loop
        assert loop is not None
        loop.call_soon_threadsafe(goes_on.wait, HANGS_S)
        browser.execute_script("window.later = 15001")
        assert "15秒" in wait_for(browser, SILENT)
        assert browser.execute_script("return document.body.classList.contains('stale')")
        goes_on.set()
        wait_for(browser, "return document.getElementById('silent').hidden && !document.body.matches('.stale')")
    finally:
        goes_on.set()
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        browser.get("about:blank")
