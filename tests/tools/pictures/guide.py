"""Takes the pictures of the guide anew: ``make pictures``, or ``.venv/bin/python tests/tools/pictures/guide.py``.

A real head in a real Chromium, in both languages, with invented names; the tables' screens are drawn from their states.
Each picture is a PNG of few colours in ``docs/guide/pictures``.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
sys.path.append(str(Path(__file__).parents[1]))

import pygame
from browsers.chromium import chromium
from browsers.live import fill, follow, tap, wait_for, wait_for_element, wait_for_path
from browsers.signed_in import sign_in_browser
from heads.floor import floor_in_play
from heads.world import event, running_head
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from tables.arbiter_states import arbiter_states
from tables.states import all_states
from waiting import until

from kiosk.head.event.act_types import Title, event_of
from kiosk.head.event.tournament_state import TableRules
from kiosk.head.program import HeadApplication
from kiosk.table.screen import PygameScreen
from kiosk.table.views import Layout, table_scene

PLACE = Path(__file__).parents[3] / "docs" / "guide" / "pictures"
COLOURS = 48
NAMES = {
    "ja": (
        "青木 みどり", "千葉 海斗", "遠藤 さくら", "後藤 大和", "石田 結衣", "加藤 隼人", "森 千尋", "小川 拓海",
        "佐野 陽向", "高村 栞", "西田 航", "野口 結菜", "浜田 悠真", "松井 美月", "上原 蒼空", "黒木 紬",
    ),
    "en": (
        "Beatrix Lund", "Dario Fenn", "Farid Oster", "Hanne Quill", "Jonas Marr", "Lena Vogt", "Nils Orre",
        "Petra Sund", "Ada Birk", "Colin Dray", "Edda Frost", "Gus Harrow", "Iris Jelk", "Kaj Lorne", "Mona Nyle",
        "Otis Prann",
    ),
}  # fmt: skip
LISTS = {
    "ja": (
        "氏名\tふりがな\t段位\t生年\t所属", "青木 みどり\tあおき みどり\t３段\t1999\t緑石会",
        "千葉 海斗\tちば かいと\t初段\t平成20年\t", "遠藤 さくら\tえんどう さくら\t四段\t2001\t緑石会",
        "後藤 大和\tごとう やまと\t2級\t2010\t北石会", "\t\t2段\t1980\t",
    ),
    "en": (
        "Name\tGrade\tBorn\tClub", "Beatrix Lund\t5d\t1988\tNorr", "Dario Fenn\t2d\t1990\t",
        "Farid Oster\t1d\t1979\tNorr", "Hanne Quill\t4d\t1985\t", "\t2d\t1980\t",
    ),
}  # fmt: skip
CLUBS = {"ja": ("緑石会", "北石会", ""), "en": ("Norr", "Green Discs", "")}
TITLES = {"ja": "春のオセロ大会", "en": "Spring Open"}
SCREENS = ("turn", "result", "club")
#: the cursor stands in the line for the next result
LINE = "return document.activeElement.name === 'table' && document.activeElement.value === ''"
#: width and height of what is shown, in CSS pixels
PHONE, PAGE = (400, 760), (960, 720)


def save(data: bytes, name: str, width: int = 0) -> None:
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    if width:
        picture = picture.resize((width, width * picture.height // picture.width), Image.Resampling.LANCZOS)
    few = picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(PLACE / f"{name}.png", optimize=True)


class Camera:
    def __init__(self, browser: webdriver.Chrome, url: str, lang: str) -> None:
        self.browser, self.url, self.lang = browser, url, lang

    def go(self, path: str, size: tuple[int, int] = PAGE) -> None:
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.browser.get(f"{self.url}{path}{'&' if '?' in path else '?'}lang={self.lang}")

    def take(self, name: str, css: str = "") -> None:
        """The screen, from the element ``css`` on."""
        if css:
            self.browser.execute_script("document.querySelector(arguments[0]).scrollIntoView()", css)
        save(self.browser.get_screenshot_as_png(), f"{name}-{self.lang}")


def desk(camera: Camera, program: HeadApplication) -> None:
    slug, lang, browser = "open", camera.lang, camera.browser
    program.desk.divisions.rename_tournament(TITLES[lang], "2031-04-05")
    for number, (name, players) in enumerate((("open", 12), ("women", 4))):
        data = event(players, "adjacent", rounds=4)
        for at, player in enumerate(data["players"]):
            player |= {"id": f"{name[0]}{player['id']}", "name": NAMES[lang][at + 12 * number]}
            player |= {"club": CLUBS[lang][at % 3], "country": ""}
        title = Title("無差別", "Open") if name == "open" else Title("女子", "Women")
        program.desk.divisions.create(event_of(data), TableRules("", 1200), name, title=title)
        program.desk.divisions.set_tables(name, range(11 + 10 * number, 19 + 10 * number))
    camera.go("/desk/new?kind=swiss")
    follow(browser, "main form button.go")
    third = list(program.desk.state.divisions)[-1]
    camera.go(f"/division/{third}/import")
    fill(browser, "[name=text]", "\n".join(LISTS[lang]))
    follow(browser, "main form button.go")
    camera.take("import")
    follow(browser, "form[action$='/import/take'] button.go")
    camera.go(f"/division/{slug}/players")
    for number in (1, 2, 4, 5, 7):
        tap(browser, f"button[value='here op{number}']")
        until(lambda number=number: f"op{number}" in program.desk.state.division(slug).here)
    tap(browser, "button[value='absent op3']")
    until(lambda: program.desk.state.division(slug).players()["op3"].absent)
    camera.go(f"/division/{slug}/players")
    camera.take("players")
    tap(browser, "button[value='here op3']")
    until(lambda: not program.desk.state.division(slug).players()["op3"].absent)
    camera.go(f"/division/{slug}/players")
    follow(browser, "button[value='all-here']")
    camera.go(f"/division/{slug}/round")
    wait_for_element(browser, "form.publish button.go")
    camera.take("round")
    follow(browser, "form.publish button.go")
    until(lambda: program.desk.state.division(slug).rounds)
    camera.go(f"/division/{slug}/results")
    for table, discs in ((11, "40"), (12, "29"), (13, "33")):
        wait_for(browser, LINE)
        # after a table of two figures the cursor goes on by itself
        ActionChains(browser).send_keys(f"{table}{discs}\n").perform()
        wait_for_element(browser, f".recent-results li:nth-child({table - 10})")
    wait_for(browser, LINE)
    camera.take("results")
    camera.go("/desk", (960, 800))
    wait_for_element(browser, ".step a")
    camera.take("desk")
    camera.go("/print/slips?division=open", (760, 560))
    camera.take("slips")
    for game in program.desk.state.division(slug).current:
        if game.is_open:
            camera.go(f"/division/{slug}/game/{game.id}")
            fill(browser, "[name=black_discs]", "36")
            fill(browser, "[name=white_discs]", "28")
            follow(browser, "form[action$='/enter'] button.go")
    program.desk.rounds.publish(program.desk.rounds.draft(slug).digest, slug)
    wrong = program.desk.state.division(slug).rounds[0][0]
    camera.go(f"/division/{slug}/game/{wrong.id}")
    fill(browser, "[name=black_discs]", str(wrong.outcome.white_discs))
    fill(browser, "[name=white_discs]", str(wrong.outcome.black_discs))
    fill(browser, "[name=reason]", {"ja": "黒白の書き違い", "en": "slip read the wrong way"}[lang])
    follow(browser, "form[action$='/correct'] button.go")
    wait_for_element(browser, ".correction tbody tr")
    camera.take("correction", ".correction")


def screens(lang: str) -> None:
    screen = PygameScreen((800, 480))
    states = arbiter_states(lang) | all_states(lang)
    with tempfile.TemporaryDirectory() as folder:
        for name in SCREENS:
            screen.draw(table_scene(states[name], 0, Layout(800, 480)))
            pygame.image.save(screen._surface, str(Path(folder) / "screen.png"))
            save((Path(folder) / "screen.png").read_bytes(), f"{name}-{lang}", width=640)


def main() -> None:
    PLACE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for lang, names in NAMES.items():
            screens(lang)
            with patch("heads.world.NAMES", names), chromium(folder / f"profile-{lang}") as browser:
                with running_head(folder / f"desk-{lang}", event=None, tables=4) as (program, url):
                    sign_in_browser(browser, program, url)
                    desk(Camera(browser, url, lang), program)
                    browser.get("about:blank")
                with floor_in_play(folder / f"floor-{lang}") as floor:
                    floor.program.desk.divisions.rename_tournament(TITLES[lang], "2031-04-05")
                    sign_in_browser(browser, floor.program, floor.url)
                    camera = Camera(browser, floor.url, lang)
                    camera.go("/floor", PHONE)
                    wait_for_element(browser, "ul.called")
                    camera.take("floor")
                    camera.go("/floor/4", PHONE)
                    wait_for_path(browser, "/floor/4")
                    camera.take("table")
                    browser.get("about:blank")


if __name__ == "__main__":
    main()
