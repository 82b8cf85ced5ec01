"""Progress display of a simulated hall at the terminal: rounds, tables, and winners."""

from __future__ import annotations

import re
import secrets
import time
from typing import Any

import httpx
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from engine.i18n import say
from engine.tournament import champion, is_over
from kiosk.demo.hall_processes import DemoHall
from kiosk.errors import InputError
from kiosk.locale import render_both
from kiosk.records.event_file import from_dict

POLL_S = 0.25
#: real seconds without a new move or result anywhere, after which the hall counts as stuck
STUCK_S = 120.0

PHASES = {
    "SETUP": say("seats"), "LATE": say("late"), "READY": say("ready"), "TURN": say("playing"),
    "CORR": say("correcting"), "HOLD": say("arbiter"), "CHECK": say("last check"),
    "ENDED": say("ended"), "FINISH": say("finishing"), "CHOICE": say("choosing"),
    "FREE": say("free play"), "RESULT": say("result"), "SIGNED": say("signed"),
    "SUBMITTED": say("submitted"),
}  # fmt: skip


def watch(hall: DemoHall, console: Console) -> dict[str, Any]:
    """Follow the hall to the end of its event, answering calls and restarting tables; return the event file.

    :raises InputError: the head died, or the hall makes no progress.
    """
    last, changed = "", time.monotonic()
    with SimulatedArbiter(hall.url, hall.code) as staff, Live(console=console, refresh_per_second=4) as live:
        text = say("sign in at {url} as {name} with the password {password}")
        sign_in = text(url=f"{hall.url}/sign-in", name=NAME, password=staff.password)
        console.print(render_both(sign_in), soft_wrap=True)  # a terminal treats a wrapped address as two
        while True:
            hall.restart_dead_tables()
            event, tables = staff.event(), staff.tables()
            live.update(_picture(hall, event, tables))
            if is_over(from_dict(event)):
                return event
            staff.answer_calls(tables)
            seen = repr([(t["game"], t["phase"], t["move_number"]) for t in tables])
            if seen != last:
                last, changed = seen, time.monotonic()
            elif time.monotonic() - changed > STUCK_S:
                text = say("no table has moved for {stuck_s:.0f} s; the logs in {directory} say why")
                raise InputError(text(stuck_s=STUCK_S, directory=hall.plan.directory))
            time.sleep(POLL_S)


def _picture(hall: DemoHall, event: dict[str, Any], tables: list[dict[str, Any]]) -> Group:
    rounds = event.get("rounds", [])
    games = [game for game in rounds[-1]["games"] if "bye" not in game] if rounds else []
    done = sum(1 for game in games if game.get("winner") is not None)
    head = Text(
        f"{event.get('name', '')}  {render_both(say('round {n}', n=len(rounds)))}   {done}/{len(games)}   {hall.url}"
    )
    grid = Table(box=None, pad_edge=False)
    for title in (say("table"), say("phase"), say("move"), say("black"), say("white")):
        grid.add_column(render_both(title))
    for table in sorted(tables, key=lambda table: int(table["table"])):
        sides = [f"{side['name']} {_minutes(side['left_ms'])}".rstrip() for side in table["sides"]] or ["", ""]
        phase = render_both(PHASES.get(table["phase"], PHASES["TURN"])) if table["phase"] else "—"
        grid.add_row(str(table["table"]), phase, str(table["move_number"] or ""), *sides)
    return Group(head, grid)


def _minutes(ms: int | None) -> str:
    if ms is None:
        return ""
    seconds = max(ms, 0) // 1000
    return f"{seconds // 60}:{seconds % 60:02d}"


def announce(event: dict[str, Any], standings: dict[str, Any], console: Console) -> None:
    """Print the champion and the first ranks."""
    entries = [*event["players"], *event.get("teams", [])]
    names = {entry["id"]: entry.get("name") or entry["id"] for entry in entries}
    grid = Table(title=render_both(say("Final ranking")))
    for title in (say("place"), say("player"), say("wins"), say("discs")):
        grid.add_column(render_both(title), justify="left" if title == say("player") else "right")
    for row in standings["rows"][:8]:
        grid.add_row(str(row["rank"]), names[row["id"]], str(row["wins"]), str(row["discs"]))
    console.print(grid)
    winner = champion(from_dict(event))
    console.print(f"{render_both(say('Champion'))}: [bold]{names.get(winner or '', '—')}[/bold]")


# Simulated arbiter of a demo hall, who answers calls through the head's table pages, as with a browser.

#: real seconds before the arbiter arrives, in which a player can act
WALK_S = 1.2

#: name of the demo's chief arbiter
NAME = "Demo"


class SimulatedArbiter:
    """The chief arbiter, created with the one-time setup code. ``password`` also gives a person access to the staff
    pages.

    :raises httpx.HTTPError: the head does not answer.
    """

    def __init__(self, url: str, code: str) -> None:
        self._client = httpx.Client(base_url=url, timeout=10)
        self.password = secrets.token_hex(5)
        form = {"code": code, "name": NAME, "password": self.password, "again": self.password}
        self._client.post("/sign-in/password", data=form, follow_redirects=True).raise_for_status()
        self._calls: dict[tuple[int, str], float] = {}

    def __enter__(self) -> SimulatedArbiter:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def event(self) -> dict[str, Any]:
        return self._json("/event.json")

    def standings(self) -> dict[str, Any]:
        return self._json("/standings.json")

    def tables(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._json("/tables.json")["tables"]
        return found

    def answer_calls(self, tables: list[dict[str, Any]]) -> None:
        """Visit each table on hold, check it, and resume play."""
        now = time.monotonic()
        waiting = {(table["table"], table["game"]) for table in tables if table["phase"] == "HOLD"}
        self._calls = {call: self._calls.get(call, now) for call in waiting}
        for call, since in list(self._calls.items()):
            if now - since >= WALK_S:
                self._resume(call[0])
                self._calls[call] = now

    def _resume(self, table: int) -> None:
        page = self._client.get(f"/floor/{table}")
        page.raise_for_status()
        fields = dict(re.findall(r'name="(csrf|revision)" value="([^"]+)"', page.text))
        if "csrf" not in fields:
            raise httpx.HTTPError("the table's page has no form; the arbiter is not signed in")
        # A table in a newer state refuses; it is visited again with the next call.
        form = fields | {"reason": render_both(say("play goes on"))}
        self._client.post(f"/floor/{table}/resume", data=form, follow_redirects=False)

    def _json(self, path: str) -> dict[str, Any]:
        answer = self._client.get(path)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found
