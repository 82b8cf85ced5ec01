"""Browser tests of result entry from slips by keyboard: one line a result, answered next to the line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from browsers.chromium import picture, visit
from browsers.live import fill, follow, tap, text_of, wait_for, wait_for_element, wait_for_text
from browsers.signed_in import sign_in_browser
from events.random_events import team_event
from heads import world
from heads.staff import CHIEF, PASSWORD
from heads.tournaments import outcome, publish_round
from heads.world import running_head
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from waiting import until

from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.program import HeadApplication

FOCUS = "return document.activeElement.name === arguments[0]"
#: content of the line
LINE = "const f = document.querySelector('form.typing').elements; return [f.table.value, f.black_discs.value]"


def focused(browser: webdriver.Chrome) -> str:
    """Return the name of the field with the focus."""
    return str(browser.switch_to.active_element.get_attribute("name"))


#: delay of the head's answers
LATENCIES = pytest.mark.parametrize("latency", (0, 400))


@dataclass
class Clerk:
    program: HeadApplication
    browser: webdriver.Chrome
    keys: int = 0

    def press(self, keys: str) -> None:
        self.keys += len(keys)
        ActionChains(self.browser).send_keys(keys).perform()

    def delay_answers(self, latency: int) -> None:
        """Delay every further answer of the head by so many milliseconds."""
        self.browser.execute_cdp_cmd("Network.enable", {})
        line = {"offline": False, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
        self.browser.execute_cdp_cmd("Network.emulateNetworkConditions", line)

    def recorded(self) -> dict[int, int | None]:
        """Return Black's discs at every table that has a result."""
        return {table: game.outcome.black_discs for table, game in self.games().items() if game.outcome}

    def games(self) -> dict[int, HeadGame]:
        return {game.table: game for game in self.program.desk.state.division().current if game.table}

    def open_tables(self) -> list[int]:
        return [table for table, game in self.games().items() if game.is_open]


@pytest.fixture
def clerk(browser: webdriver.Chrome, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Clerk]:
    """A clerk at the desk of eight tables without kiosks, numbers 3 to 10, in the test's format."""
    with running_head(tmp_path, tables=2) as (program, url):
        desk = program.desk
        desk.divisions.set_tables("main", range(3, 20))
        desk.rounds.publish(desk.rounds.draft("main").digest, "main")
        sign_in_browser(browser, program, url)
        visit(browser, "desktop", f"{url}/division/main/results?lang=ja")
        wait_for(browser, FOCUS, "table")
        clerk = Clerk(program, browser)
        yield clerk
        clerk.delay_answers(0)
        browser.get("about:blank")


@pytest.mark.timeout(200)
def test_slips_are_typed_with_at_most_six_keys_each(clerk: Clerk, pictures: Path) -> None:
    """The cursor starts in the field, moves on automatically and returns for the next slip; the recorded result is
    listed below."""
    assert clerk.games()[3].designated
    for table in clerk.open_tables():
        clerk.press(f"{table}\n40\n" if table < 2 else f"{table}40\n")
        until(lambda table=table: not clerk.games()[table].is_open)
        wait_for(clerk.browser, FOCUS, "table")
    assert clerk.keys <= 6 * 8
    assert {(g.outcome.black_discs, g.outcome.white_discs) for g in clerk.games().values() if g.outcome} == {(40, 24)}
    wait_for_text(clerk.browser, "✓", ".recent-results")
    picture(clerk.browser, "desktop", pictures / "typing-desktop-ja.png")


@pytest.mark.timeout(200)
def test_undo_of_an_earlier_change_is_not_offered_after_a_line(clerk: Clerk) -> None:
    browser, page = clerk.browser, clerk.browser.current_url
    browser.get(page.replace("results", "player/p1"))
    fill(browser, "[name=remark]", "pays later")
    follow(browser, ".panel form button.go, form[action$='/player/p1'] button")
    browser.get(page)
    wait_for(browser, FOCUS, "table")
    offered = "return document.querySelector('.last-done button').checkVisibility({checkVisibilityCSS: true})"
    assert browser.execute_script(offered)
    clerk.press("340\n")
    wait_for_text(browser, "✓", ".recent-results")
    wait_for(browser, f"return !(() => {{ {offered} }})()")


@pytest.mark.timeout(200)
def test_full_width_digits_are_accepted_and_errors_shown_at_the_line(clerk: Clerk) -> None:
    """Full-width digits and signs count as digits; typed text is kept when a line is refused or another result
    arrives."""
    clerk.press("３４０\n")
    until(lambda: not clerk.games()[3].is_open)
    clerk.press("4" + "40-20\n")
    wait_for_text(clerk.browser, "64", ".lines .warnings")
    assert clerk.browser.execute_script(LINE) == ["", ""]
    assert clerk.games()[4].is_open and "/results" in clerk.browser.current_url
    clerk.press(Keys.ARROW_UP)
    assert clerk.browser.execute_script(LINE) == ["4", "40-20"]
    clerk.press("20-44\n")  # it is selected, so that typing replaces it
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
    wait_for_text(clerk.browser, "登録済み", ".lines .warnings")
    clerk.press(Keys.ARROW_UP + Keys.ESCAPE)
    assert clerk.browser.execute_script(LINE) == ["", ""]
    assert not clerk.browser.execute_script("return document.querySelector('.lines li')")
    tap(clerk.browser, f".recent-results li[data-game='{games[5].id}'] button")
    until(lambda: clerk.games()[5].is_open)


@pytest.mark.timeout(200)
def test_black_is_chosen_with_one_key_if_players_choose_colours(clerk: Clerk) -> None:
    """In the knock-out of this format colours are not designated: 1 or 2 names Black, and neither is preselected."""
    program, browser = clerk.program, clerk.browser
    game = clerk.games()[6]
    browser.execute_script("document.querySelector('tr[data-table=\"6\"]').dataset.open = ''")  # as in such a game
    clerk.press("6")
    wait_for(browser, FOCUS, "black")
    assert browser.execute_script("return document.activeElement.value") == ""
    assert program.desk.state.division().called(game.white) in text_of(browser, "form.typing .who")
    clerk.press("1" + "50\n")
    until(lambda: not clerk.games()[6].is_open)
    clerk.press(Keys.ESCAPE)
    wait_for(browser, FOCUS, "table")


@pytest.mark.timeout(200)
def test_a_team_match_is_entered_board_after_board(
    browser: webdriver.Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one board the cursor is at the next board of the same match, and after the last at the table again."""
    monkeypatch.setattr(world, "event", lambda: team_event(4, sheets=False))
    with running_head(tmp_path, tables=6) as (program, url):
        publish_round(program)
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


@LATENCIES
@pytest.mark.timeout(200)
def test_an_empty_field_does_nothing_on_enter(clerk: Clerk, latency: int) -> None:
    """Enter in an empty field sends nothing: the cursor moves on automatically after 10, and 33 typed next are its
    discs."""
    clerk.delay_answers(latency)
    for keys in ("\n", "10", "\n", "33", "\n", "\n"):
        clerk.press(keys)
    until(lambda: clerk.recorded())
    clerk.press("\n" + "3\n\n40\n")
    until(lambda: len(clerk.recorded()) == 2)
    assert clerk.recorded() == {10: 33, 3: 40}
    wait_for(clerk.browser, "return !document.querySelector('.lines li')")


@LATENCIES
@pytest.mark.timeout(200)
def test_a_burst_of_keys_is_recorded_as_it_was_typed(clerk: Clerk, latency: int) -> None:
    """If all slips are typed at once, with an Enter after each part, a wrong total and an unknown table, each line
    belongs to its table, and refused lines wait to be corrected."""
    clerk.delay_answers(latency)
    typed = {3: "40", 4: "17", 6: "33", 7: "12", 8: "64", 9: "31", 10: "5"}
    lines = [f"{table}\n{discs}\n" for table, discs in typed.items()]
    lines[3:3] = ["5\n40-20\n", "2\n2\n"]
    clerk.press("".join(lines))
    until(lambda: len(clerk.recorded()) == len(typed))
    wait_for(clerk.browser, "return !document.querySelector('.lines .pending')")
    assert clerk.recorded() == {table: int(discs) for table, discs in typed.items()}
    assert clerk.browser.execute_script(LINE) == ["", ""]
    refused = "return [...document.querySelectorAll('.lines li')].map((line) => line.dataset.table).sort().join()"
    assert clerk.browser.execute_script(refused) == "2,5"
    tap(clerk.browser, ".lines li[data-table='5'] button")
    clerk.press("40-24\n")
    until(lambda: clerk.recorded().get(5) == 40)


@LATENCIES
@pytest.mark.timeout(200)
def test_text_typed_while_a_line_is_sent_belongs_to_the_next_line(clerk: Clerk, latency: int) -> None:
    """A refusal or an answer that arrives between two keys changes neither the line nor the cursor; the first of two
    lines for one table counts."""
    clerk.delay_answers(latency)
    clerk.press("4\n40-20\n" + "6")
    wait_for_text(clerk.browser, "64", ".lines .warnings")
    clerk.press("33\n" + "7")
    until(lambda: 6 in clerk.recorded())
    assert clerk.browser.execute_script(LINE) == ["7", ""]
    clerk.press("20\n" + "7\n21\n")
    wait_for_text(clerk.browser, "登録済み", ".lines")
    assert clerk.recorded() == {6: 33, 7: 20}


@pytest.mark.timeout(200)
def test_without_a_script_an_incomplete_line_is_not_sent(clerk: Clerk, pictures: Path) -> None:
    """Without JavaScript the browser asks for the missing fields, and the form leads back to the page."""
    clerk.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        clerk.browser.refresh()
        until(lambda: focused(clerk.browser) == "table")
        clerk.press("10\n\n")
        until(lambda: focused(clerk.browser) == "black_discs")
        clerk.press("33\n")
        until(lambda: clerk.recorded() == {10: 33})
        assert len(clerk.program.desk.results.recent_manual_results(clerk.program.desk.state.division(), 8)) == 1
    finally:
        clerk.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.timeout(200)
def test_lines_are_kept_when_their_author_was_signed_out(clerk: Clerk, pictures: Path) -> None:
    """The first line is recorded after the sign-in; the second waits below the form."""
    access = clerk.program.access
    one, other = clerk.open_tables()[-2:]
    for session in access._sessions.listed():
        access._sessions.end(lambda device, id=session.id: device.id == id)
    clerk.press(f"{one}\n40\n")
    wait_for_element(clerk.browser, f".warnings[data-table='{one}'] button")
    clerk.press(f"{other}\n30\n")
    wait_for_element(clerk.browser, f".warnings[data-table='{other}'] button")
    tap(clerk.browser, f".warnings[data-table='{one}'] button")
    wait_for_element(clerk.browser, "input[name='sign-in-password']")
    picture(clerk.browser, "desktop", pictures / "signed-out-in-mid-form.png")
    fill(clerk.browser, "input[name='sign-in-name']", CHIEF)
    fill(clerk.browser, "input[name='sign-in-password']", PASSWORD)
    tap(clerk.browser, "form button.go")
    wait_for_element(clerk.browser, f".warnings[data-table='{other}'] button")
    assert clerk.recorded() == {one: 40}


@pytest.mark.timeout(200)
def test_a_tap_on_the_row_of_a_pair_opens_its_entry(clerk: Clerk, pictures: Path) -> None:
    """On the round's page it opens the entry page with the table; on the results page it fills the line above."""
    browser, url = clerk.browser, clerk.browser.current_url.split("/division")[0]
    one, other = clerk.open_tables()[:2]
    visit(browser, "desktop", f"{url}/division/main/round?lang=ja")
    picture(browser, "desktop", pictures / "round-with-rows-to-tap.png")
    tap(browser, f"tr[data-table='{one}'] td:nth-child(2) a")
    wait_for(browser, FOCUS, "black_discs")
    clerk.press("40\n")
    until(lambda: not clerk.games()[one].is_open)
    wait_for(browser, FOCUS, "table")
    assert browser.execute_script(LINE) == ["", ""]
    for css in (f"tr[data-table='{other}'] td:first-child", f"tr[data-enter='{other}'] td:first-child"):
        tap(browser, css)
        wait_for(browser, FOCUS, "black_discs")
        assert browser.execute_script(LINE) == [str(other), ""]
    clerk.press("30\n")
    until(lambda: clerk.recorded() == {one: 40, other: 30})


def test_reports_of_the_players_leave_room_for_the_names(clerk: Clerk) -> None:
    game = next(iter(clerk.games().values()))
    for by, discs, phone in ((game.black, 40, "one"), (str(game.white), 24, "other")):
        clerk.program.desk.results.report(game.id, by, outcome(game, discs), phone)
    width = "return document.querySelector(\"tr:has(button[name='game']) td:nth-child(2)\").clientWidth"
    for size, least in (("desktop", 200), ("phone", 70)):
        visit(clerk.browser, size)
        clerk.browser.refresh()
        wait_for_element(clerk.browser, "tr button[name='game']")
        assert clerk.browser.execute_script(width) >= least


def test_the_effects_of_a_correction_fit_on_a_phone(clerk: Clerk, pictures: Path) -> None:
    """The table of the standings is as wide as its panel, in which it can be moved."""
    desk, browser = clerk.program.desk, clerk.browser
    for game in clerk.games().values():
        desk.results.enter(game.id, outcome(game, 40))
    game = clerk.games()[3]
    number = desk.results.correct(game.id, outcome(game, 20), "counted again")
    visit(browser, "phone", f"{browser.current_url.partition('/results')[0]}/correction/{number}?lang=en")
    wait_for_text(browser, "Rank before")
    right = "return document.querySelector(arguments[0]).getBoundingClientRect().right"
    table, panel = (browser.execute_script(right, css) for css in (".panel > :is(table, :has(table))", ".panel"))
    assert table <= panel
    picture(browser, "phone", pictures / "correction-phone-en.png")
