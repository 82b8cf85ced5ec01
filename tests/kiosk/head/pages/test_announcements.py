"""Tests of announcements: free text, start and end of a round, time and place of the prize ceremony."""

from __future__ import annotations

from datetime import datetime, timedelta

import httpx
from heads.staff import token
from httpx import Client

from kiosk.head.program import HeadApplication


def test_an_announcement_is_shown_on_all_screens(program: HeadApplication, web: Client) -> None:
    """The next start and the announcement are on the tables' page, the pairings, a phone and a hall screen."""
    form = {"csrf": token(web), "text": "昼食は\n2階です", "prizes": "16:00 舞台"}
    assert web.post("/desk/announce", data=form).status_code == 303
    starts = datetime.now().astimezone() + timedelta(minutes=20)
    program.desk.divisions.time_round("main", starts, 40)
    for page in ("/", "/pairings", "/where"):
        shown = httpx.get(f"{web.base_url}{page}", params={"lang": "en"}).text
        assert "昼食は 2階です" in shown and f"starts at {starts:%H:%M}" in shown, page
    program.desk.rounds.publish(program.desk.rounds.draft().digest)
    wall = httpx.get(f"{web.base_url}/wall", params={"lang": "en"}).text
    assert f"starts at {starts:%H:%M}" in wall and "in 20 min" in wall and "16:00 舞台" in wall


def test_a_round_that_starts_now_is_counted_down_to_its_end(program: HeadApplication, web: Client) -> None:
    """An empty time means now; pages on phones get the instants, and an invalid time of day is refused."""
    program.desk.rounds.publish(program.desk.rounds.draft().digest)
    form = {"csrf": token(web), "division": "main", "starts": "", "minutes": "40"}
    assert web.post("/desk/time", data=form).status_code == 303
    timed = program.desk.state.division().timed[1]
    ends = int((timed.starts + timedelta(minutes=40)).timestamp() * 1000)
    assert f'data-until="{ends - 40 * 60_000} {ends}"' in httpx.get(f"{web.base_url}/where").text
    assert "in 40 min" in httpx.get(f"{web.base_url}/wall", params={"lang": "en"}).text
    answer = web.post("/desk/time", data=form | {"starts": "25:70"})
    assert answer.status_code == 400 and "25:70" in answer.text
