"""Results of plain tables are entered from slips: by keyboard only, one line each, with feedback in place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from browsers.chromium import picture, visit
from browsers.live import shown, tap, text_of, wait_for
from browsers.signed_in import sign_in_browser
from events.whole import team_event
from heads import world
from heads.world import running_head
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from waiting import until

from kiosk.head.event.games import HeadGame
from kiosk.head.program import HeadProgram

FOCUS = "return document.activeElement.name === arguments[0]"
#: what stands in the line
LINE = "const f = document.querySelector('form.typing').elements; return [f.table.value, f.black_discs.value]"


@dataclass
class Clerk:
    program: HeadProgram
    browser: webdriver.Chrome
    keys: int = 0

    def press(self, keys: str) -> None:
        self.keys += len(keys)
        ActionChains(self.browser).send_keys(keys).perform()

    def games(self) -> dict[int, HeadGame]:
        return {game.table: game for game in self.program.desk.state.division().current if game.table}

    def open_tables(self) -> list[int]:
        return [table for table, game in self.games().items() if game.is_open]


@pytest.fixture
def clerk(browser: webdriver.Chrome, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Clerk]:
    """Eight plain tables, numbers 3 to 10; the format as the test wants it."""
    with running_head(tmp_path, tables=2) as (program, url):
        desk = program.desk
        desk.divisions.set_tables("main", range(3, 20))
        desk.rounds.publish(desk.rounds.draft("main").digest, "main")
        sign_in_browser(browser, program, url)
        visit(browser, "desktop", f"{url}/division/main/results?lang=ja")
        wait_for(browser, FOCUS, "table")
        yield Clerk(program, browser)
        browser.get("about:blank")


@pytest.mark.timeout(200)
def test_slips_are_typed_with_at_most_six_keys_each(clerk: Clerk, pictures: Path) -> None:
    """The cursor is in the line, goes on by itself, and is back for the next slip; what was recorded stands beneath."""
    assert clerk.games()[3].designated
    for table in clerk.open_tables():
        clerk.press(f"{table}\n40\n" if table < 2 else f"{table}40\n")
        until(lambda table=table: not clerk.games()[table].is_open)
        wait_for(clerk.browser, FOCUS, "table")
    assert clerk.keys <= 6 * 8
    assert {(g.outcome.black_discs, g.outcome.white_discs) for g in clerk.games().values() if g.outcome} == {(40, 24)}
    shown(clerk.browser, "✓", ".lately")
    picture(clerk.browser, "desktop", pictures / "typing-desktop-ja.png")


@pytest.mark.timeout(200)
def test_what_is_typed_is_read_kindly_and_refused_in_its_place(clerk: Clerk) -> None:
    """Full-width digits and signs are digits; nothing typed is lost when a line is refused, or another result comes."""
    clerk.press("３４０\n")
    until(lambda: not clerk.games()[3].is_open)
    clerk.press("4" + "40-20\n")
    shown(clerk.browser, "64", ".said.warnings")
    wait_for(clerk.browser, LINE + ".join(' ') === '4 40-20'")
    assert clerk.games()[4].is_open and "/results" in clerk.browser.current_url
    clerk.press("20-44\n")  # it is marked, so that it is typed over
    until(lambda: not clerk.games()[4].is_open)
    clerk.press("5" + "3")
    games = clerk.games()
    clerk.program.desk.results.take_back(games[3].id, "while he types")
    wait_for(clerk.browser, "return document.querySelector('tr[data-table=\"3\"]') !== null")
    assert clerk.browser.execute_script(LINE) == ["5", "3"]
    clerk.press("1\n")
    until(lambda: not clerk.games()[5].is_open)
    outcome = clerk.games()[5].outcome
    assert outcome is not None and (outcome.black_discs, outcome.winner) == (31, "white")
    clerk.press("5" + "40\n")  # the same slip again
    shown(clerk.browser, "登録済み", ".said.warnings")
    clerk.press(Keys.ESCAPE)
    tap(clerk.browser, f".lately li[data-game='{games[5].id}'] button")
    until(lambda: clerk.games()[5].is_open)


@pytest.mark.timeout(200)
def test_who_had_black_is_one_key_where_the_players_settle_it(clerk: Clerk) -> None:
    """At the knock-out of this format nobody designates colours: 1 or 2 names Black, and nobody is preselected."""
    program, browser = clerk.program, clerk.browser
    game = clerk.games()[6]
    browser.execute_script("document.querySelector('tr[data-table=\"6\"]').dataset.open = ''")  # as for such a game
    clerk.press("6")
    wait_for(browser, FOCUS, "black")
    assert browser.execute_script("return document.activeElement.value") == ""
    assert program.desk.state.division().called(game.white) in text_of(browser, "form.typing .who")
    clerk.press("1" + "50\n")
    until(lambda: not clerk.games()[6].is_open)
    clerk.press(Keys.ESCAPE)
    wait_for(browser, FOCUS, "table")


@pytest.mark.timeout(200)
def test_a_match_of_teams_is_typed_board_after_board(
    browser: webdriver.Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one board the cursor is at the next of the same match, whatever else is open; then at the table again."""
    monkeypatch.setattr(world, "event", lambda: team_event(4, sheets=False))
    with running_head(tmp_path, tables=6) as (program, url):
        program.desk.rounds.publish(program.desk.rounds.draft("main").digest, "main")
        sign_in_browser(browser, program, url)
        visit(browser, "desktop", f"{url}/division/main/results?lang=ja")
        wait_for(browser, FOCUS, "table")
        clerk = Clerk(program, browser)
        match = [4, 5, 6]
        clerk.press("4")
        for table in match:
            wait_for(
                browser,
                "return document.querySelector('form.typing').elements.table.value === arguments[0]",
                str(table),
            )
            wait_for(browser, FOCUS, "black")
            clerk.press("1" + "40\n")
            until(lambda table=table: not clerk.games()[table].is_open)
        wait_for(browser, FOCUS, "table")
        assert clerk.keys == 1 + 3 * 4 and clerk.open_tables() == [1, 2, 3]
        browser.get("about:blank")
