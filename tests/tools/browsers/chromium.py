"""Debian's Chromium as a fixture for tests of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

#: width, height, pixel ratio
SIZES = {"phone": (390, 844, 2), "tablet": (820, 1180, 2), "desktop": (1280, 800, 1), "wall": (1920, 1080, 1)}

#: whether pictures are wanted: one costs as much processor time as opening its page, and only a person can judge it
PICTURES = bool(os.environ.get("KIOSK_PICTURES"))

#: pages are looked at in both languages where pictures are wanted; a test of what they do needs one
LANGUAGES = ("ja", "en") if PICTURES else ("ja",)

_MISSING = "chromium and chromedriver are needed to look at the pages (apt install chromium chromium-driver)"


@contextmanager
def chromium(profile: Path) -> Iterator[webdriver.Chrome]:
    """Yield a running browser.

    :raises pytest.skip.Exception: it is not installed here; in CI that is a failure.
    """
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        pytest.fail(_MISSING) if os.environ.get("CI") else pytest.skip(_MISSING)
    options = Options()
    options.binary_location = str(program)
    options.page_load_strategy = "eager"  # an open event stream is never "loaded"
    for argument in (
        "headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
        "disable-component-update", "disable-sync", "hide-scrollbars", f"user-data-dir={profile}",
        # one process draws all pages, and none is started or kept for a page that may come: that is a third cheaper
        "renderer-process-limit=1", "disable-site-isolation-trials", "disable-extensions",
        "disable-back-forward-cache",
        "disable-features=SpareRendererForSitePerProcess",
    ):  # fmt: skip
        options.add_argument(f"--{argument}")
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield started
    finally:
        started.quit()


def visit(browser: webdriver.Chrome, size: str, address: str = "") -> None:
    """Open an address on a device of that size, or show the present page on it."""
    width, height, ratio = SIZES[size]
    scale, mobile = (ratio if PICTURES else 1), size in ("phone", "tablet")
    metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    if address:
        browser.get(address)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width, "wider than the screen"


def picture(browser: webdriver.Chrome, size: str, file: Path) -> None:
    """Check that the page is not empty; where pictures are wanted, save one of the whole page."""
    assert browser.execute_script("return document.body.innerText.trim()"), "an empty page"
    if not PICTURES:
        return
    width, _, ratio = SIZES[size]
    height = browser.execute_script("return Math.max(document.documentElement.scrollHeight, 300)")
    metrics = {"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": size in ("phone", "tablet")}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    look(browser, file)


def look(browser: webdriver.Chrome, file: Path) -> None:
    """Save what the screen shows now, where pictures are wanted."""
    if PICTURES:
        browser.save_screenshot(str(file))
        assert file.read_bytes().startswith(b"\x89PNG") and file.stat().st_size > 8_000
