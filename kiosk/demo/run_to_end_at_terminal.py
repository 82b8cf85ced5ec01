"""Run of a simulated hall to the end of its event, with its progress at the terminal: rounds, tables, and winners."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from engine.i18n import say
from engine.tournament import champion, is_over
from kiosk.demo.hall_processes import DemoHall
from kiosk.demo.simulated_arbiter import NAME, SimulatedArbiter
from kiosk.errors import InputError
from kiosk.head.web.bilingual_labels import LABELS
from kiosk.locale import render_both
from kiosk.records.event_file import from_dict

POLL_S = 0.25
#: real seconds without a new move or result anywhere, after which the hall counts as stuck
STUCK_S = 120.0


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
    begun = say("round {n}: {done} of {games} games finished", n=len(rounds), done=done, games=len(games))
    state = begun if rounds else say("the first round is being prepared")
    head = Text(f"{event.get('name', '')}   {render_both(state)}   {hall.url}")
    grid = Table(box=None, pad_edge=False)
    for title in (say("table"), say("phase"), say("move"), say("black"), say("white")):
        grid.add_column(render_both(title))
    for table in sorted(tables, key=lambda table: int(table["table"])):
        sides = [f"{side['name']} {_minutes(side['left_ms'])}".rstrip() for side in table["sides"]] or ["", ""]
        phase = render_both(LABELS["phase"][table["phase"]]) if table["phase"] else "—"
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
