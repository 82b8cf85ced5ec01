"""Browser tests with a head that hangs: its connections stay open without data, and each page reports that."""

from __future__ import annotations

import signal
from pathlib import Path

from browsers.live import wait_for
from heads.process import HeadProcess, configured
from selenium import webdriver

#: the page's clock, which the test sets forward
CLOCK = "const now = performance.now.bind(performance); performance.now = () => now() + (window.later || 0)"
SILENT = (
    "const said = document.getElementById('silent'); return !said.hidden && said.checkVisibility() && said.innerText"
)


def test_a_page_of_a_hanging_head_shows_a_warning_until_data_arrives(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    head = HeadProcess(configured(tmp_path, [1]))
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": CLOCK})
    try:
        browser.get(f"{head.url}/?lang=ja")
        wait_for(browser, "return document.getElementById('silent').hidden")
        head.process.send_signal(signal.SIGSTOP)
        try:
            browser.execute_script("window.later = 15001")
            assert "15秒" in wait_for(browser, SILENT)
            assert browser.execute_script("return document.body.classList.contains('stale')")
        finally:
            head.process.send_signal(signal.SIGCONT)
        wait_for(browser, "return document.getElementById('silent').hidden && !document.body.matches('.stale')")
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        browser.get("about:blank")
        head.stop()
