"""Browser tests of the guide: it fits a phone, and the player's sheet is one printed page."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers.chromium import PICTURES, SIZES, look, visit
from browsers.live import wait_for
from heads.world import running_head
from selenium import webdriver

from kiosk.head.web.help_guide import PAGES

#: A4 in inches
A4 = {"paperWidth": 8.27, "paperHeight": 11.69}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_head(tmp_path_factory.mktemp("guide")) as (_, address):
        yield address


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_pages_fit_a_phone(browser: webdriver.Chrome, url: str, pictures: Path, lang: str) -> None:
    for name in PAGES:
        visit(browser, "phone", f"{url}/help/{name}?lang={lang}")
        for size in SIZES if PICTURES else ():  # a test with axe opens them on a desktop
            visit(browser, size)
        look(browser, pictures / f"guide-{name}-{lang}.png")


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_players_sheet_is_one_page(browser: webdriver.Chrome, url: str, pictures: Path, lang: str) -> None:
    visit(browser, "desktop", f"{url}/help/player?lang={lang}")
    wait_for(browser, "return document.readyState === 'complete'")  # with its pictures
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {**A4, "printBackground": True})["data"])
    (pictures / f"player-{lang}.pdf").write_bytes(printed)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
