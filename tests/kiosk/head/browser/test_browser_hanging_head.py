"""Browser tests with a head that hangs: its connections stay open without data, and each page reports that."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from browsers.live import wait_for
from heads.process import HeadProcess
from selenium import webdriver

from kiosk.link.table_keys import new_keys, save_keys

#: the page's clock, which the test sets forward
CLOCK = "const now = performance.now.bind(performance); performance.now = () => now() + (window.later || 0)"
SILENT = (
    "const said = document.getElementById('silent'); return !said.hidden && said.checkVisibility() && said.innerText"
)


@pytest.mark.parametrize(("lang", "words"), [("ja", "15秒"), ("en", "15 seconds")])
def test_a_page_of_a_hanging_head_shows_a_warning_until_data_arrives(
    browser: webdriver.Chrome, tmp_path: Path, lang: str, words: str
) -> None:
    save_keys(tmp_path / "keys.json", new_keys([1]))
    (tmp_path / "head.toml").write_text('data = "data"\nkeys = "keys.json"\nhost = "127.0.0.1"\nport = 0\n')
    head = HeadProcess(tmp_path / "head.toml")
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": CLOCK})
    try:
        browser.get(f"{head.url}/?lang={lang}")
        wait_for(browser, "return document.getElementById('silent').hidden")
        head.process.send_signal(signal.SIGSTOP)
        try:
            browser.execute_script("window.later = 15001")
            assert words in wait_for(browser, SILENT)
            assert browser.execute_script("return document.body.classList.contains('stale')")
        finally:
            head.process.send_signal(signal.SIGCONT)
        wait_for(browser, "return document.getElementById('silent').hidden && !document.body.matches('.stale')")
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        browser.get("about:blank")
        head.stop()
