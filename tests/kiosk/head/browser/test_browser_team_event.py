"""Browser tests of a team event's pages on a phone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from browsers.chromium import visit
from heads.tournaments import publish_round
from heads.world import event, running_head
from selenium import webdriver

#: whether there are such elements and each is one line high, if it is shown
ONE_LINE = """const found = [...document.querySelectorAll(arguments[0])];
return found.length > 0 && found.every((one) => {
  const range = document.createRange(); range.selectNodeContents(one);
  return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size <= 1;
})"""


def test_the_standings_and_pairings_of_teams_fit_a_phone(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """The standings are no wider than the screen, their headings are not broken in a word, nor are states of games."""
    data = event(12, "team")
    data["teams"] = [
        {"id": f"t{n}", "name": name, "players": [f"p{3 * n + board}" for board in (1, 2, 3)]}
        for n, name in enumerate(("緑石会A", "北風", "Team Norr", "寄せ集め"))
    ]
    with running_head(tmp_path, data=data, tables=0) as (program, url):
        publish_round(program)
        visit(browser, "phone", f"{url}/standings?lang=ja")
        assert browser.execute_script(ONE_LINE, ".ranks th")
        visit(browser, "phone", f"{url}/pairings?lang=ja")
        assert browser.execute_script(ONE_LINE, ".games .open") and browser.execute_script(ONE_LINE, ".games small")
        team = program.desk.state.division().teams()["t2"]
        program.desk.players.set_team("main", replace(team, name="Stockholm Ström"))
        visit(browser, "phone", f"{url}/standings?lang=en")
        browser.get("about:blank")
