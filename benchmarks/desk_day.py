"""What a volunteer's day at the desk costs: a real head, a real Chromium, plain tables only, pages in Japanese.

``python -m benchmarks.desk_day [PLAYERS]`` prints JSON: clicks, keys and seconds (of the machine; nobody thinks or
reads here) of each part of the day, for 60 players in four divisions and lists with a mistake in two lines of three.
``silent``: names of the lists that are neither players nor named as not taken; ``english``: sentences in English on the
Japanese pages that were opened. A paste is one click and two keys.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "tools"))

from browsers.chromium import chromium, visit
from browsers.live import fill, follow, number_of, wait_for
from browsers.signed_in import sign_in_browser
from heads.world import running_head
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from waiting import until

from kiosk.head.program import HeadProgram

KINDS = ("adjacent", "elementary", "swiss", "women")
FAMILY = (
    "青木", "千葉", "遠藤", "後藤", "石田", "加藤", "森", "小川", "佐野", "高村", "西田", "野口", "浜田", "松井",
)  # fmt: skip
GIVEN = ("陽太", "結菜", "蒼空", "美月")
#: what lists hold that is not as it should be; every one with a name is a player all the same
MISTAKES = (
    "{name}\t３段\t平成20年", "{name}　\t初段\tH12", "{name}\t参段\t", "{name}\t2級\t令和40年", "\t5段\t1990",
    "{name}\t四段\t1988/4/5", "合計 {n}名\t\t", "{name}\t七十段\t2001", "{name}\t\t", "{name}\t1dan\t生年不明",
)  # fmt: skip
ENGLISH = re.compile(r"\b[A-Z]?[a-z]{2,}(?: [a-z]{2,}){3,}")
REFUSED = "return [...document.querySelectorAll('textarea[name^=mended]')].map(one => one.value)"
LINE = "return document.activeElement.name === 'table' && document.activeElement.value === ''"


@dataclass
class Volunteer:
    browser: webdriver.Chrome
    program: HeadProgram
    url: str
    clicks: int = 0
    keys: int = 0
    parts: dict[str, dict[str, float]] = field(default_factory=dict)
    english: set[str] = field(default_factory=set)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        before, begun_s = (self.clicks, self.keys), time.perf_counter()
        yield
        spent = {"clicks": self.clicks - before[0], "keys": self.keys - before[1]}
        self.parts[name] = spent | {"seconds": round(time.perf_counter() - begun_s, 1)}

    def go(self, path: str) -> None:
        visit(self.browser, "desktop", f"{self.url}{path}?lang=ja")
        self.read()

    def read(self) -> None:
        text = self.browser.execute_script("return document.querySelector('main')?.innerText ?? ''")
        self.english |= set(ENGLISH.findall(text))

    def press(self, css: str) -> None:
        self.clicks += 1
        follow(self.browser, css)
        self.read()

    def type(self, keys: str) -> None:
        self.keys += len(keys)
        ActionChains(self.browser).send_keys(keys).perform()

    def paste(self, css: str, text: str) -> None:
        self.clicks, self.keys = self.clicks + 1, self.keys + 2
        fill(self.browser, css, text)


def day(volunteer: Volunteer, players: int) -> dict[str, object]:
    desk, each, silent, told = volunteer.program.desk, players // len(KINDS), 0, 0
    with volunteer.part("divisions"):
        for number, kind in enumerate(KINDS):
            volunteer.go("/desk")
            volunteer.press("a[href='/desk/new']")
            volunteer.press(f"a[href$='kind={kind}']")
            first = 1 + number * 40
            volunteer.keys += len(f"{first}-{first + 39}")
            fill(volunteer.browser, "[name=tables]", f"{first}-{first + 39}")
            volunteer.press("main form button.go")
    slugs = list(desk.state.divisions)
    with volunteer.part("lists"):
        for number, slug in enumerate(slugs):
            names = [f"{FAMILY[at % 14]} {GIVEN[number]}{at // 14 or ''}" for at in range(each)]
            lines = ["氏名\t段位\t生年"]
            for at, name in enumerate(names):
                shape = MISTAKES[at % len(MISTAKES)] if at % 3 else "{name}\t3段\t1999"
                lines.append(shape.format(name=name, n=each))
            held = {name for name in names if any(name in line for line in lines)}
            volunteer.go(f"/division/{slug}/import")
            volunteer.paste("[name=text]", "\n".join(lines))
            volunteer.press("main form button.go")
            refused = number_of(volunteer.browser, "td.warnings")
            shown = volunteer.browser.execute_script(REFUSED)
            volunteer.press("form[action$='/import/take'] button.go")
            taken = {player.name for player in desk.state.division(slug).players().values()}
            told += refused
            silent += sum(name not in taken and not any(name in line for line in shown) for name in held)
    with volunteer.part("check-in"):
        for slug in slugs:
            volunteer.go(f"/division/{slug}/players")
            for id, player in desk.state.division(slug).players().items():
                wait_for(volunteer.browser, "return document.activeElement.name === 'find'")
                volunteer.type((player.name or "").replace(" ", "") + "\n")
                until(lambda slug=slug, id=id: id in desk.state.division(slug).here, 20)
    with volunteer.part("round 1"):
        for slug in slugs:
            volunteer.go(f"/division/{slug}/round")
            volunteer.press("form.publish button.go")
    entered = 0
    with volunteer.part("results"):
        for slug in slugs:
            volunteer.go(f"/division/{slug}/results")
            wait_for(volunteer.browser, LINE)
            most = max(game.table or 0 for game in desk.state.division(slug).current)
            for game in desk.state.division(slug).current:
                if game.is_bye:
                    continue
                on = "" if (game.table or 0) * 10 > most else "\n"
                volunteer.type(f"{game.table}{on}40\n" if game.designated else f"{game.table}{on}140\n")
                wait_for(volunteer.browser, LINE)
                entered += 1
            until(lambda slug=slug: desk.state.division(slug).round_is_complete, 20)
    results = volunteer.parts["results"]
    return {
        "players": sum(len(one.players()) for one in desk.state.divisions.values()),
        "lines_named_as_not_taken": told,
        "silent": silent,
        "results": entered,
        "keys_a_result": round(results["keys"] / entered, 1),
        "seconds_for_30_results": round(30 * results["seconds"] / entered, 1),
        "parts": volunteer.parts,
        "english": sorted(volunteer.english),
    }


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with (
        tempfile.TemporaryDirectory() as folder,
        chromium(Path(folder) / "profile") as browser,
        running_head(Path(folder) / "head", event=None, tables=0) as (program, url),
    ):
        sign_in_browser(browser, program, url)
        print(json.dumps(day(Volunteer(browser, program, url), asked), ensure_ascii=False))
        browser.get("about:blank")
