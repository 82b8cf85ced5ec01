"""Browser tests of a newcomer who runs an event of two divisions guided only by the pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from browsers.chromium import PICTURES, picture, visit
from browsers.live import choose, fill, follow, number_of, tap, text_of, wait_for, wait_for_element, wait_for_text
from browsers.signed_in import sign_in_browser
from heads.world import PlayedTable, quick_card, running_head
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from waiting import until

from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.program import HeadApplication

#: the empty line of the result entry has the focus
TO_THE_LINE = """
const { table, black_discs: discs } = document.querySelector("form.typing").elements;
[table.value, discs.value] = ["", ""];
table.focus();
return document.activeElement === table;
"""
OPEN = """氏名\t段位\t生年\t所属
青木 みどり\t３段\t1999\t緑石会
Beatrix Lund\t5d\t1988\tNorr
千葉 海斗\t初段\t平成20年\t
Dario Fenn\t2d\t1990\t
遠藤 さくら\t四段\t2001\t緑石会
Farid Oster\t1d\t1979\t
後藤 大和\t2級\t2010\t
Hanne Quill\t4d\t1985\tNorr
\t2段\t1980\t
青木みどり\t3段\t1999\t緑石会
"""
CHILDREN = "石田 結衣,女\n加藤 隼人,男\n森 千尋,女\n小川 拓海,男\n"


@dataclass
class Newcomer:
    """A person at the desk. ``size``: size of the screen; ``lang``: language of the pages."""

    browser: webdriver.Chrome
    program: HeadApplication
    url: str
    size: str
    lang: str
    pictures: Path

    def go(self, path: str) -> None:
        joint = "&" if "?" in path else "?"
        visit(self.browser, self.size, f"{self.url}{path}{joint}lang={self.lang}")

    def look(self, name: str) -> None:
        visit(self.browser, self.size)
        picture(self.browser, self.size, self.pictures / f"newcomer-{name}-{self.size}-{self.lang}.png")
        visit(self.browser, self.size)

    def next(self, division: int = 0) -> None:
        """Press the button of the next step."""
        self.go("/desk")
        self.press(f".part:nth-of-type({division + 3}) .step a")

    def press(self, css: str) -> None:
        follow(self.browser, css)

    def type(self, name: str, text: str) -> None:
        fill(self.browser, f"[name={name}]", text)

    def choose(self, css: str, value: str | int) -> None:
        choose(self.browser, css, value)

    def open(self, css: str) -> None:
        """Open a folded part of the page."""
        tap(self.browser, f"{css} summary")
        wait_for(self.browser, "return document.querySelector(arguments[0]).open", css)

    def paste(self, text: str) -> None:
        self.press("a[href$='/import']")
        self.type("text", text)
        self.press("main form button.go")

    def text(self) -> str:
        return text_of(self.browser, "main")

    def division(self, slug: str) -> DivisionState:
        return self.program.desk.state.division(slug)


#: each case runs once: test_browser_axe checks sizes and languages of all pages
ALSO = [("desktop", "en"), ("phone", "ja"), ("phone", "en")] if PICTURES else []


@pytest.fixture(params=[("phone", "ja"), *ALSO[:1]], ids="-".join)
def newcomer(
    request: pytest.FixtureRequest, browser: webdriver.Chrome, pictures: Path, tmp_path: Path
) -> Iterator[Newcomer]:
    size, lang = request.param
    with running_head(tmp_path, event=None, tables=4) as (program, url):
        sign_in_browser(browser, program, url)
        yield Newcomer(browser, program, url, size, lang, pictures)
        browser.get("about:blank")


@pytest.mark.timeout(400)
def test_a_newcomer_runs_two_divisions(newcomer: Newcomer) -> None:
    """Before, during and after the rounds, with mistakes, the page always shows the next step."""
    new = newcomer
    new.go("/desk")
    new.look("1-start")
    _two_divisions(new)
    _players(new)
    _first_round(new)
    _mistakes(new)


def _two_divisions(new: Newcomer) -> None:
    new.press(".step-first a.go")
    new.type("name", "緑の大会 Green Open")
    new.press("form[action='/desk/name'] button")
    new.look("2-kinds")
    new.press("a[href$='kind=adjacent']")
    new.look("3-new")
    new.type("choice-rounds", "3")
    new.type("tables", "1-4")
    new.press("main form button.go")
    new.go("/desk/new?kind=elementary")
    new.type("tables", "11-12")
    new.press("main form button.go")
    assert [(one.format, one.tables) for one in new.program.desk.state.divisions.values()] == [
        ("adjacent", (1, 2, 3, 4)),
        ("m43-division", (11, 12)),
    ]
    assert new.division("elementary").table_rules.main_s == 600
    new.go("/desk")
    new.look("4-two-divisions")


def _players(new: Newcomer) -> None:
    new.next(0)
    new.paste(OPEN)
    new.look("5-list")
    assert number_of(new.browser, "td.warnings") == 2  # no name; a duplicate
    new.press("form[action$='/import/take'] button.go")
    assert len(new.division("adjacent").players()) == 8
    new.paste(OPEN)  # the same list a second time, by mistake
    assert not number_of(new.browser, "form[action$='/import/take'] button.go")
    new.go("/division/adjacent/players")
    tap(new.browser, "button[value='here p1']")
    until(lambda: "p1" in new.division("adjacent").here)
    new.look("6-check-in")
    new.next(0)  # check-in is on: the step leads back here
    tap(new.browser, "button[value='absent p8']")
    until(lambda: new.division("adjacent").players()["p8"].absent)
    new.press("button[value='all-here']")
    new.type("name", "Ivo Late")
    new.press("form[action$='/players'] button.go")
    new.press("button[value='all-here']")
    new.next(1)
    new.paste(CHILDREN)
    new.press("form[action$='/import/take'] button.go")
    assert [p.sex for p in new.division("elementary").players().values()] == ["F", "M", "F", "M"]


def _first_round(new: Newcomer) -> None:
    new.next(0)
    new.look("7-draft")
    ids = list(new.division("adjacent").players())
    new.open(".change")
    new.choose("form[action$='/wish'] select[name='one']", ids[0])
    new.choose("form[action$='/wish'] select[name='other']", ids[4])
    new.press("form[action$='/wish'] button[value='forbidden']")  # they belong to one club
    wait_for_element(new.browser, ".constraints li")
    wait_for_element(new.browser, ".price")
    new.look("8-changed-draft")
    new.press("form.publish button.go")
    until(lambda: len(new.division("adjacent").rounds) == 1)
    assert not any({ids[0], ids[4]} <= game.players for game in new.division("adjacent").current)
    new.next(1)
    new.press("form.publish button.go")
    until(lambda: len(new.division("elementary").rounds) == 1)
    tables = [PlayedTable(number, new.program.devices.collection) for number in (1, 2, 3, 4)]
    for table in tables[:3]:  # results arrive automatically
        (command,) = table.execute_commands()
        table.send("card", quick_card(command, 30 + 3 * table.number))
    tables[3].execute_commands()
    until(lambda: sum(game.is_open for game in new.division("adjacent").current) == 1)
    new.go("/desk")
    new.look("9-running")
    new.next(1)  # tables without a kiosk: results are entered from the slips
    for discs in ("40-20", "40-24"):  # 40-20 does not add up to 64
        wait_for(new.browser, TO_THE_LINE)
        ActionChains(new.browser).send_keys(f"11{discs}\n").perform()
        if discs == "40-20":
            wait_for_text(new.browser, "64", ".lines .warnings")
            assert "64" in new.text() and ("数え直して" in new.text() or "Count again" in new.text())
            new.look("10-not-64")
    wait_for_element(new.browser, ".recent-results li")
    new.look("11-typing")


def _mistakes(new: Newcomer) -> None:
    """Publish after a wrong result, withdraw a player during a round, take a round back and restore it."""
    division = new.division("adjacent")
    playing = next(game for game in division.current if game.is_open)
    new.go(f"/division/adjacent/player/{playing.black}")
    new.choose("select[name='open_game']", "forfeit")
    new.look("12-leaves")
    new.press("form[action$='/leave'] button")
    until(lambda: new.division("adjacent").round_is_complete)
    new.next(0)
    new.press("form.publish button.go")
    until(lambda: len(new.division("adjacent").rounds) == 2)
    wrong = new.division("adjacent").rounds[0][0]
    new.go("/division/adjacent/results?round=1")
    new.look("13-results")
    new.press(f"a[href$='{wrong.id}']")
    o = wrong.outcome
    assert o is not None
    new.type("black_discs", str(o.white_discs))
    new.type("white_discs", str(o.black_discs))
    new.type("reason", "card read the wrong way")
    new.look("14-correct")
    new.press("form[action$='/correct'] button.go")
    wait_for_element(new.browser, ".correction h2")
    new.look("15-consequences")
    assert number_of(new.browser, ".correction tbody tr") >= 2
    new.go("/division/adjacent/round")
    new.open(".undo details")
    new.type("reason", "the wrong result")
    new.press("form[action$='/undo'] button")
    until(lambda: len(new.division("adjacent").rounds) == 1)
    new.go("/division/adjacent/round")
    new.look("16-undone")
    new.open(".undone")
    new.press("form[action$='/restore'] button")
    until(lambda: len(new.division("adjacent").rounds) == 2)
    new.go("/division/adjacent/settings")
    new.look("17-settings")
    new.go("/division/elementary/timetable")
    new.look("18-timetable")


@pytest.fixture
def desk(
    request: pytest.FixtureRequest, browser: webdriver.Chrome, pictures: Path, tmp_path: Path
) -> Iterator[Newcomer]:
    """A newcomer at the desk; ``request.param``: size of the screen and language."""
    with running_head(tmp_path, event=None, tables=4) as (program, url):
        sign_in_browser(browser, program, url)
        yield Newcomer(browser, program, url, *request.param, pictures)
        browser.get("about:blank")


@pytest.mark.timeout(400)
@pytest.mark.parametrize("desk", [("desktop", "en"), *ALSO[1:2]], indirect=True, ids="-".join)
def test_lots_are_drawn_on_the_hall_screen(desk: Newcomer) -> None:
    desk.go("/desk/new?kind=m40-33-64")
    desk.press("main form button.go")
    desk.paste("\n".join(f"選手{number}" for number in range(1, 35)))
    desk.press("form[action$='/import/take'] button.go")
    desk.next()  # next step: draw the lots
    desk.look("lots")
    for number, ballot in enumerate(("12345", "67890", "00042"), start=1):
        desk.type(f"ballot{number}", ballot)
    desk.press("button[value='ballots']")
    lots = [player.lot for player in desk.division("m40-33-64").players().values()]
    assert sorted(lots) == list(range(11, 45))
    desk.press("a[href^='/draw']")
    assert "123456789000042" in desk.text() and str(123456789000042 % 8_388_608) in desk.text()
    desk.look("draw")
    desk.next()
    assert number_of(desk.browser, "form.publish")  # and now the pairing
    desk.look("draft-of-leagues")


@pytest.mark.timeout(400)
@pytest.mark.parametrize("desk", [("desktop", "ja"), *ALSO[2:]], indirect=True, ids="-".join)
def test_teams_and_their_order_sheets(desk: Newcomer) -> None:
    desk.go("/desk/new?kind=team")
    desk.press("main form button.go")
    desk.paste("\n".join(f"選手{number}" for number in range(1, 7)))
    desk.press("form[action$='/import/take'] button.go")
    for number in (1, 2):
        desk.next()  # next step: make the teams
        desk.type("name", f"チーム{number}")
        for member in (1, 2, 3):
            desk.choose(f"select[name='player{member}']", member)
        desk.press("form[action$='/teams'] button.go")
    assert [len(team.players) for team in desk.division("team").teams().values()] == [3, 3]
    desk.next()  # next step: two order sheets are missing
    for number in (1, 2):
        desk.press(f".two > div > .panel:nth-of-type({number}) form[action$='/order'] button")
    desk.look("teams")
    desk.next()
    desk.press("form.publish button.go")
    until(lambda: len(desk.division("team").rounds) == 1)
    assert len(desk.division("team").current) == 3
    desk.go("/division/team/results")
    desk.look("team-results")
