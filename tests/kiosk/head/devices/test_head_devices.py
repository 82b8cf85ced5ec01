"""Tests of enrolment at the head's page: a spare takes over a table's game, an old device uploads its remaining
records. Real processes, real HTTP and WebSockets; only the pins are simulated."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from heads.process import HeadProcess, configured, free_port, rows_of
from heads.staff import first_chief, sign_in, token
from heads.world import event
from tables.process import TableProcess
from waiting import HANGS_S, until

from kiosk.link.table_keys import load_keys, read_keys, save_keys
from kiosk.table.journal.segment_files_and_recovery import recover

KIOSK = [sys.executable, "-c", "from kiosk.cli import main; main()"]


class Desk:
    """A chief arbiter with a phone."""

    def __init__(self, head: HeadProcess, first: bool = True) -> None:
        self.web = httpx.Client(base_url=head.url, timeout=HANGS_S, headers={"accept-language": "en"})
        first_chief(self.web, head.code) if first else sign_in(self.web)
        self.csrf = token(self.web)

    def again(self, head: HeadProcess) -> Desk:
        self.web.close()
        return Desk(head, first=False)

    def scan(self, letters: str) -> str:
        page = self.web.get("/devices", params={"offer": letters, "lang": "en"}, follow_redirects=True)
        assert page.status_code == 200, page.text
        return page.text

    def approve(self, letters: str, table: int, *, replace: bool = False) -> httpx.Response:
        form = {"csrf": self.csrf, "offer": letters, "table": str(table)} | ({"replace": "yes"} if replace else {})
        return self.web.post("/devices/approve", data=form)

    def publish(self) -> None:
        digest = re.search(r'name="digest" value="([^"]+)"', self.web.get("/division/main/round").text)
        assert digest
        assert self.web.post("/division/main/publish", data={"csrf": self.csrf, "digest": digest[1]}).status_code == 303

    def notices(self) -> str:
        return self.web.get("/desk", params={"lang": "en"}).text


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[tuple[list[HeadProcess], Desk]]:
    heads = [HeadProcess(configured(tmp_path, [1, 2], event(4), data="head", port=free_port()))]
    try:
        yield heads, Desk(heads[0])
    finally:
        heads[-1].stop()


def given_out(tmp_path: Path, table: int) -> Path:
    """Return the key of a table, entered manually."""
    path = tmp_path / f"table-{table}.json"
    save_keys(path, {table: load_keys(tmp_path / "keys.json")[table]})
    return path


def begin(table: TableProcess) -> None:
    """Begin a game: Black sits left, White starts the clock, three turns."""
    table.until(phase="SETUP", link="up")
    table.press("left")
    table.until(phase="READY")
    for turns, line in enumerate(("right", "left", "right", "left"), start=0):
        table.press(line)
        table.until(phase="TURN", turns=turns)
    table.until(saved=True, unsynced=0)


def test_a_spare_takes_over_a_game_and_the_old_device_uploads_the_rest(
    tmp_path: Path, hall: tuple[list[HeadProcess], Desk], record_property: Any
) -> None:
    heads, desk = hall
    head = heads[-1]
    desk.publish()
    old = TableProcess(tmp_path / "old", head.url, 1, given_out(tmp_path, 1))
    spare = None
    try:
        begin(old)
        game = old.seen[-1]["game"]
        known = rows_of(tmp_path / "head")
        heads[-1].kill()
        old.press("right")  # the table continues its game
        old.until(turns=4, saved=True, unsynced=1)
        old.kill()
        head = HeadProcess(tmp_path / "head.toml")
        heads.append(head)
        desk = desk.again(head)
        assert rows_of(tmp_path / "head") == known, "the head never saw the last turn"

        begun = time.monotonic()
        spare = TableProcess(tmp_path / "spare", head.url, 0)
        letters, code = spare.offer()
        assert f"{code[:3]} {code[3:]}" in desk.scan(letters)
        assert "has a device already" in desk.approve(letters, 1).text
        assert desk.approve(letters, 1, replace=True).status_code == 303
        assert "press both buttons" in desk.scan(letters)
        spare.press("both")
        spare.until(table=1, game=game, phase="HOLD", turns=3, link="up", unsynced=0)
        seconds = time.monotonic() - begun
        record_property("seconds", round(seconds, 1))
        assert "spare" in spare.seen[-1]["troubles"]
        assert "A spare has taken the place of table 1. Its game had arrived up to move 3" in desk.notices()
        assert spare.key_file.stat().st_mode & 0o777 == 0o600
        keys = read_keys(tmp_path / "keys.json")
        assert dict(load_keys(spare.key_file)) == {1: keys.present[1]}
        assert keys.retired[1] == (load_keys(old.key_file)[1],)

        hand_in = ["journal", "hand-in", str(old.data), "--key", str(old.key_file), "--head"]
        subprocess.run([*KIOSK, *hand_in, f"{head.url.replace('http', 'ws')}/link"], check=True, timeout=HANGS_S)
        assert "Moves after move 3: ?" in desk.notices(), "the turn that nobody's board source saw"
        before = desk.notices().count("handed in")
        back = TableProcess(tmp_path / "old", head.url, 1, old.key_file)  # the old device is repaired and switched on
        back.until(unsynced=0)
        back.kill()
        assert desk.notices().count("handed in") == before
        spare.until(phase="HOLD", turns=3)
        rows = rows_of(tmp_path / "head")
        assert {place for place in rows if place[0] == 1} == {place for place in known if place[0] == 1}, "one epoch"
    finally:
        old.process.poll() is None and old.kill()
        if spare is not None:
            spare.kill()


def test_a_new_table_gets_its_key_and_a_game_without_a_restart_of_the_head(
    tmp_path: Path, hall: tuple[list[HeadProcess], Desk]
) -> None:
    """Its first offer is refused at the desk; nobody else can approve one."""
    [head], desk = hall
    table = TableProcess(tmp_path / "new", head.url, 9)
    try:
        refused, _ = table.offer()
        stranger = httpx.Client(base_url=head.url, timeout=HANGS_S, headers={"accept-language": "en"})
        answer = stranger.post("/devices/approve", data={"offer": refused, "table": "9"})
        assert answer.status_code in (303, 401, 403)
        assert "no waiting device" in desk.web.get("/devices", params={"offer": "ABCDEFGH"}).text
        form = {"csrf": desk.csrf, "offer": refused}
        assert desk.web.post("/devices/refuse", data=form).status_code == 303
        assert "is no longer waiting" in desk.approve(refused, 9).text
        with table._changed:
            assert table._changed.wait_for(lambda: table.seen[-1].get("waits") not in ("", refused), HANGS_S)
        assert not table.key_file.exists() and 9 not in load_keys(tmp_path / "keys.json")
        assert not recover(table.data / "journal").entries if table.data.exists() else True

        letters, _ = table.offer()
        assert "set to be table 9, not 3" in desk.approve(letters, 3).text
        table.press("both")  # before the arbiter's approval this time
        until(lambda: "buttons of the table were pressed" in desk.scan(letters))
        assert desk.approve(letters, 9).status_code == 303
        table.until(table=9, link="up")
        assert 9 in load_keys(tmp_path / "keys.json")
        desk.publish()

        def tables() -> set[int | None]:
            return {row.get("table") for row in desk.web.get("/event.json").json()["rounds"][0]["games"]}

        until(lambda: None not in tables())  # the head waits 15 s for tables 1 and 2 before it seats anything
        assert tables() <= {1, 2, 9}
    finally:
        table.kill()
