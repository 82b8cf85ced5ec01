"""A volunteer's day at the desk: a real head and Chromium, Japanese pages, from player lists to exported files.

``python -m benchmarks.desk_day [PLAYERS] [KIOSKS] [--divisions N]`` prints JSON: clicks, keys and seconds (machine
time, without thinking or reading) of each part of the day, for 60 players in four divisions and lists with a mistake in
two lines of three; ``KIOSKS``: number of tables in each division with one; the others' cards are typed. The volunteer
follows the next step on /desk, and presses the button of the page it leads to. ``silent``: names of the lists that are
neither players nor reported as rejected; ``dead_ends``: pages that refused, or lacked the button to continue;
``english``, ``japanese``: sentences of the other language on the pages opened, at the end each again in English. A
paste is one click and two keys.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from browsers.chromium import chromium, visit
from browsers.live import fill, follow, number_of, tap, wait_for
from browsers.signed_in import sign_in_browser
from heads.world import PlayedTable, quick_card, running_head
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from waiting import until

from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.program import HeadApplication

SMALLEST = ("4", "--divisions", "1")
KINDS = ("adjacent", "elementary", "swiss", "women")
FAMILY = (
    "青木", "千葉", "遠藤", "後藤", "石田", "加藤", "森", "小川", "佐野", "高村", "西田", "野口", "浜田", "松井",
)  # fmt: skip
GIVEN = ("陽太", "結菜", "蒼空", "美月")
#: faulty lines in lists; every line with a name must still become a player
MISTAKES = (
    "{name}\t３段\t平成20年", "{name}　\t初段\tH12", "{name}\t参段\t", "{name}\t2級\t令和40年", "\t5段\t1990",
    "{name}\t四段\t1988/4/5", "合計 {n}名\t\t", "{name}\t七十段\t2001", "{name}\t\t", "{name}\t1dan\t生年不明",
)  # fmt: skip
ENGLISH = re.compile(r"\b[A-Z]?[a-z]{2,}(?: [a-z]{2,}){3,}")
#: a Japanese sentence contains a run of kana; a name does not
JAPANESE = re.compile(r"[ぁ-んァ-ヶー一-龥]*[ぁ-ん]{3,}[ぁ-んァ-ヶー一-龥]*")
STATUS = "return performance.getEntriesByType('navigation')[0]?.responseStatus ?? 200"
REFUSED = "return [...document.querySelectorAll('textarea[name^=mended]')].map(one => one.value)"
STEPS = "return [...document.querySelectorAll('.step:not(.waits) a.button.go')].map(one => one.getAttribute('href'))"
LINE = "return document.activeElement.name === 'table' && document.activeElement.value === ''"


@dataclass
class Volunteer:
    browser: webdriver.Chrome
    program: HeadApplication
    url: str
    clicks: int = 0
    keys: int = 0
    parts: dict[str, dict[str, float]] = field(default_factory=dict)
    english: set[str] = field(default_factory=set)
    japanese: set[str] = field(default_factory=set)
    dead_ends: list[str] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        before, begun_s = (self.clicks, self.keys), time.perf_counter()
        yield
        spent = {
            "clicks": self.clicks - before[0],
            "keys": self.keys - before[1],
            "seconds": time.perf_counter() - begun_s,
        }
        so_far = self.parts.get(name, {})
        self.parts[name] = {what: round(much + so_far.get(what, 0), 1) for what, much in spent.items()}

    def go(self, path: str) -> None:
        visit(self.browser, "desktop", f"{self.url}{path}?lang=ja")
        self.read()

    def read(self) -> None:
        text = self._text()
        self.english |= set(ENGLISH.findall(text))
        self.opened.add(self.browser.current_url.removeprefix(self.url).partition("?")[0])
        if self.browser.execute_script(STATUS) >= 400:
            self.dead_ends.append(f"{self.browser.current_url.removeprefix(self.url)}: {text[:200]}")

    def _text(self) -> str:
        return str(self.browser.execute_script("return document.querySelector('main')?.innerText ?? ''"))

    def read_in_english(self) -> None:
        """Open every page again in English; people's names are as typed."""
        for path in sorted(self.opened):
            visit(self.browser, "desktop", f"{self.url}{path}?lang=en")
            self.japanese |= {f"{path}: {found}" for found in JAPANESE.findall(self._text())}

    def has(self, css: str, patience_s: float = 60) -> bool:
        """Return whether such a button exists, or appears when the pairing has been computed."""
        until_s = time.perf_counter() + patience_s
        while not number_of(self.browser, css):
            if time.perf_counter() > until_s:
                where = self.browser.current_url.removeprefix(self.url)
                self.dead_ends.append(f"{where}: no {css}; {self._text()[:200]}")
                return False
            time.sleep(0.05)
        return True

    def press(self, css: str) -> None:
        self.clicks += 1
        follow(self.browser, css)
        self.read()

    def type(self, keys: str) -> None:
        self.keys += len(keys)
        ActionChains(self.browser).send_keys(keys).perform()

    def write(self, css: str, text: str) -> None:
        """Type into a field selected by one click."""
        self.clicks, self.keys = self.clicks + 1, self.keys + len(text)
        fill(self.browser, css, text)

    def paste(self, css: str, text: str) -> None:
        self.clicks, self.keys = self.clicks + 1, self.keys + 2
        fill(self.browser, css, text)


def day(volunteer: Volunteer, players: int, kiosks: int, kinds: tuple[str, ...]) -> dict[str, object]:
    desk, tables = (
        volunteer.program.desk,
        [PlayedTable(at, volunteer.program.devices.collection) for at in range(1, 1 + len(kinds) * kiosks)],
    )
    rejected, silent = _prepare(volunteer, players, kiosks, kinds)
    typed = rounds = 0
    walls: dict[str, float] = {}
    while any(not desk.ask_ranking(slug).result().over for slug in desk.state.divisions):
        for table in tables:
            _play(table)
        with volunteer.part("finding the next step"):
            volunteer.go("/desk")
            steps = volunteer.browser.execute_script(STEPS)
            if not steps:
                continue
            # steps that bring people to their tables come first, then typing
            step = min(steps, key=lambda one: one.endswith("/results"))
            volunteer.press(f"a.button.go[href='{step}']")
        slug, page = step.split("/")[2:4]
        match page:
            case "round" if volunteer.has("form.publish button.go"):
                with volunteer.part("rounds, published"):
                    volunteer.press("form.publish button.go")
                    rounds += 1
                if rounds == len(kinds):
                    walls = _wall(volunteer)
            case "lots":
                with volunteer.part("lots"):
                    volunteer.press("form[action$='/lots'] button[value=seed]")
            case "results":
                with volunteer.part("results"):
                    typed += _type_results(volunteer, slug)
                if "one announcement" not in volunteer.parts:
                    _mishaps(volunteer, slug)
            case _:
                volunteer.dead_ends.append(f"/desk: {step}")
                break
        if len(volunteer.dead_ends) > 20:
            break
    with volunteer.part("the end"):
        volunteer.go("/close")
        for name, said in (("place", "千代田"), ("country", "Japan"), ("sender", "A. Sato")):
            volunteer.write(f"input[name={name}]", said)
        volunteer.press("form .go")
        volunteer.has("a[href='/close/event.zip']", 300)
        for sheet in ("standings", "prizes", "certificates", "cards", "slips"):
            volunteer.go(f"/print/{sheet}")
    volunteer.read_in_english()
    results = volunteer.parts["results"]
    return {
        "players": sum(len(one.players()) for one in desk.state.divisions.values()),
        "lines_named_as_not_taken": rejected,
        "silent": silent,
        "rounds": rounds,
        "games": sum(
            not game.is_bye for one in desk.state.divisions.values() for games in one.rounds for game in games
        ),
        "typed": typed,
        "wall": walls,
        "keys_a_result": round(results["keys"] / typed, 1),
        "seconds_for_30_results": round(30 * results["seconds"] / typed, 1),
        "clicks": volunteer.clicks,
        "keys": volunteer.keys,
        "parts": volunteer.parts,
        "dead_ends": volunteer.dead_ends,
        "english": sorted(volunteer.english),
        "japanese": sorted(volunteer.japanese),
    }


def _prepare(volunteer: Volunteer, players: int, kiosks: int, kinds: tuple[str, ...]) -> tuple[int, int]:
    """Set up divisions, lists and check-in; return (lines reported as rejected, names lost silently)."""
    desk, each, silent, rejected = volunteer.program.desk, players // len(kinds), 0, 0
    with volunteer.part("divisions"):
        for number, kind in enumerate(kinds):
            volunteer.go("/desk")
            volunteer.press("a[href='/desk/new']")
            volunteer.press(f"a[href$='kind={kind}']")
            plain = len(kinds) * kiosks + 1 + number * 40
            own = f"{number * kiosks + 1}-{(number + 1) * kiosks}, " if kiosks else ""
            volunteer.write("[name=tables]", f"{own}{plain}-{plain + 39}")
            volunteer.press("main form button.go")
    slugs = list(desk.state.divisions)
    with volunteer.part("lists"):
        for number, slug in enumerate(slugs):
            names = [f"{FAMILY[at % 14]} {GIVEN[number]}{at // 14 or ''}" for at in range(each)]
            lines = ["氏名\t段位\t生年"]
            for at, name in enumerate(names):
                shape = MISTAKES[at % len(MISTAKES)] if at % 3 else "{name}\t3段\t1999"
                lines.append(shape.format(name=name, n=each))
            listed = {name for name, line in zip(names, lines[1:], strict=True) if name in line}
            volunteer.go(f"/division/{slug}/import")
            volunteer.paste("[name=text]", "\n".join(lines))
            volunteer.press("main form button.go")
            refused = number_of(volunteer.browser, "td.warnings")
            rejections = volunteer.browser.execute_script(REFUSED)
            volunteer.press("form[action$='/import/take'] button.go")
            entered = {player.name for player in desk.state.division(slug).players().values()}
            rejected += refused
            silent += sum(name not in entered and not any(name in line for line in rejections) for name in listed)
    with volunteer.part("check-in"):
        for slug in slugs:
            volunteer.go(f"/division/{slug}/players")
            for id, player in desk.state.division(slug).players().items():
                wait_for(volunteer.browser, "return document.activeElement.name === 'find'")
                volunteer.type((player.name or "").replace(" ", "") + "\n")
                until(lambda slug=slug, id=id: id in desk.state.division(slug).here)  # type: ignore[misc]
    return rejected, silent


def _play(table: PlayedTable) -> None:
    """Submit the card of a game assigned to a kiosk."""
    for command in table.execute_commands():
        if command.kind == "assign":
            table.send("card", quick_card(command, 34 + (7 * table.number + 11 * int(table.seq)) % 30))


def _type_results(volunteer: Volunteer, slug: str) -> int:
    """Type the cards of all tables without a kiosk, in the order of the tables; return their number."""
    desk, browser = volunteer.program.desk, volunteer.browser
    wait_for(browser, LINE)
    games = desk.state.division(slug).current
    most = max(game.table or 0 for game in games)
    mine = sorted((one for one in games if one.is_open and one.table and one.table not in desk.tables), key=_table)
    for number, game in enumerate(mine):
        on = "" if _table(game) * 10 > most else "\n"
        discs = 33 + (5 * number + 3 * game.round) % 31
        volunteer.type(f"{game.table}{on}{discs}\n" if game.designated else f"{game.table}{on}1{discs}\n")
        wait_for(browser, LINE)
    ids = {game.id for game in mine}
    until(lambda: not any(game.is_open for game in desk.state.division(slug).current if game.id in ids))
    volunteer.read()
    return len(mine)


def _wall(volunteer: Volunteer) -> dict[str, float]:
    """Return how long it takes until each game of the round has been shown on the rotating hall screen."""
    current = [(slug, game) for slug, one in volunteer.program.desk.state.divisions.items() for game in one.current]
    left = {one.division(slug).called(game.black) for one in [volunteer.program.desk.state] for slug, game in current}
    games, begun_s = len(left), time.perf_counter()
    visit(volunteer.browser, "wall", f"{volunteer.url}/wall?lang=ja")
    while left and time.perf_counter() < begun_s + 180:
        seen = wait_for(volunteer.browser, "return document.body?.innerText")
        left = {name for name in left if name not in seen}
        time.sleep(0.1)
    return {"games": games, "unseen": len(left), "seconds": round(time.perf_counter() - begun_s, 1)}


def _table(game: HeadGame) -> int:
    return game.table or 0


def _mishaps(volunteer: Volunteer, slug: str) -> None:
    """Handle the events of every day, once each: a wrong result, a player leaves, a player comes late, a notice to the
    hall.
    """
    desk = volunteer.program.desk
    game = next(one for one in desk.state.division(slug).current if not one.is_bye)
    leaves = next(iter(desk.state.division(slug).players()))
    with volunteer.part("one result corrected"):
        volunteer.go(f"/division/{slug}/results")
        volunteer.press(f"a[href$='/game/{game.id}']")
        volunteer.write("[name=black_discs]", "20")
        volunteer.write("[name=white_discs]", "44")
        volunteer.write("[name=reason]", "カードの読み違い")
        volunteer.press("form[action$='/correct'] button.go")
    with volunteer.part("one goes home, one comes late"):
        volunteer.go(f"/division/{slug}/player/{leaves}")
        volunteer.press("form[action$='/leave'] button")
        volunteer.go(f"/division/{slug}/players")
        volunteer.write("form[action$='/players'] [name=name]", "遅刻 太郎")
        volunteer.press("form[action$='/players'] button.go")
    with volunteer.part("one announcement"):
        volunteer.go("/desk")
        volunteer.clicks += 1
        tap(volunteer.browser, "details:has([action='/desk/announce']) summary")
        volunteer.write("[name=text]", "昼食 13:00")
        volunteer.press("form[action='/desk/announce'] button")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", type=int, nargs="?", default=60)
    parser.add_argument("kiosks", type=int, nargs="?", default=0)
    parser.add_argument("--divisions", type=int, choices=range(1, 1 + len(KINDS)), default=len(KINDS))
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        chromium(Path(folder) / "profile") as browser,
        running_head(Path(folder) / "head", event=None, tables=arguments.divisions * arguments.kiosks) as (
            program,
            url,
        ),
    ):
        sign_in_browser(browser, program, url)
        found = day(Volunteer(browser, program, url), arguments.players, arguments.kiosks, KINDS[: arguments.divisions])
        print(json.dumps(found, ensure_ascii=False, indent=1))
        browser.get("about:blank")


if __name__ == "__main__":
    main()
