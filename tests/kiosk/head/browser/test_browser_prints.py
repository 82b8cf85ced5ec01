"""Tests of printed pages in Chromium: nothing is cut off on A4 and Letter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from heads.world import event
from selenium import webdriver

from kiosk.head.publish.print_sheets import sheet
from kiosk.head.publish.published_event import PublishedDivision, book_of
from kiosk.records.event_file import from_dict

PRINT_CSS = Path(sheet.__code__.co_filename).parent / "static" / "print.css"
#: paper sizes in CSS pixels
PAPERS = {"a4": (794, 1123), "letter": (816, 1056)}
_CUT = """return [...document.querySelectorAll(".slip, .page")].filter(
  (one) => [...one.children].some((child) =>
    child.getBoundingClientRect().bottom > one.getBoundingClientRect().bottom + 1)).length"""


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("name", ["Maximiliana Wolkenstein-Auer", "武者小路 実篤之助 右衛門 左衛門尉"])
def test_a_sheet_of_slips_holds_eight_long_names(
    browser: webdriver.Chrome, tmp_path: Path, pictures: Path, paper: str, name: str
) -> None:
    made = event(8)
    for number, player in enumerate(made["players"]):
        player["name"] = f"{name[:-1]}{number}"
    pairs = zip(made["players"][::2], made["players"][1::2], strict=True)
    games = [{"black": one["id"], "white": other["id"], "table": at} for at, (one, other) in enumerate(pairs, 1)]
    made["rounds"] = [{"round": 1, "games": games}]
    book = book_of([PublishedDivision("open", ("無差別", "Open"), from_dict(json.loads(json.dumps(made))))])
    page = sheet(book, "slips", "en", style=PRINT_CSS.as_uri(), opens=lambda of: "http://10.0.0.1:8043/g/" + "x" * 40)
    (tmp_path / "slips.html").write_text(page, encoding="utf-8")
    width, height = PAPERS[paper]
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    try:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        browser.get((tmp_path / "slips.html").as_uri())
        browser.save_screenshot(str(pictures / f"slips-{paper}-{len(name.encode())}.png"))
        assert browser.execute_script(_CUT) == 0
        section = browser.execute_script("return document.querySelector('.page').getBoundingClientRect().height")
        assert section <= height + 1
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
