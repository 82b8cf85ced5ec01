"""What a person at the terminal sees of a simulated hall: rounds, tables, and who won."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from engine.text import say
from engine.tournament import champion, is_over
from kiosk.demo.hall import Hall
from kiosk.demo.staff import Staff
from kiosk.errors import UnusableInput
from kiosk.records.event_file import from_dict

POLL_S = 0.25
#: real seconds without a new move or result anywhere, after which the hall is called stuck
STUCK_S = 120.0

PHASES = {
    "SETUP": "席と色 / seats", "LATE": "遅刻 / late", "READY": "開始待ち / ready", "TURN": "対局中 / playing",
    "CORR": "指摘・訂正 / correcting", "HOLD": "審判 / arbiter", "CHECK": "最終確認 / last check",
    "ENDED": "終局 / ended", "FINISH": "着手完了待ち / finishing", "CHOICE": "時間勝ち選択 / choosing",
    "FREE": "勝手打ち / free play", "RESULT": "結果 / result", "SIGNED": "署名済 / signed",
    "SUBMITTED": "提出済 / submitted",
}  # fmt: skip


def watch(hall: Hall, console: Console) -> dict[str, Any]:
    """Follows the hall to the end of its event, answering calls and restarting tables; returns the event file.

    :raises UnusableInput: the head died, or the hall makes no progress.
    """
    last, changed = "", time.monotonic()
    with Staff(hall.url, hall.code) as staff, Live(console=console, refresh_per_second=4) as live:
        while True:
            hall.tend()
            event, tables = staff.event(), staff.tables()
            live.update(_picture(hall, event, tables))
            if is_over(from_dict(event)):
                return event
            staff.answer_calls(tables)
            seen = repr([(t["game"], t["phase"], t["move_number"]) for t in tables])
            if seen != last:
                last, changed = seen, time.monotonic()
            elif time.monotonic() - changed > STUCK_S:
                raise UnusableInput(
                    say(
                        "no table has moved for {stuck_s:.0f} s; the logs in {directory} say why",
                        stuck_s=STUCK_S,
                        directory=hall.plan.directory,
                    )
                )
            time.sleep(POLL_S)


def _picture(hall: Hall, event: dict[str, Any], tables: list[dict[str, Any]]) -> Group:
    rounds = event.get("rounds", [])
    games = [game for game in rounds[-1]["games"] if "bye" not in game] if rounds else []
    done = sum(1 for game in games if game.get("winner") is not None)
    head = Text(
        f"{event.get('name', '')}  第{len(rounds)}回戦 / round {len(rounds)}   {done}/{len(games)}   {hall.url}"
    )
    grid = Table(box=None, pad_edge=False)
    for title in ("卓 table", "局面 phase", "手 move", "黒 black", "白 white"):
        grid.add_column(title)
    for table in sorted(tables, key=lambda table: int(table["table"])):
        sides = [f"{side['name']} {_minutes(side['left_ms'])}" for side in table["sides"]] or ["", ""]
        phase = PHASES.get(table["phase"] or "", "—")
        grid.add_row(str(table["table"]), phase, str(table["move_number"] or ""), *sides)
    return Group(head, grid)


def _minutes(ms: int) -> str:
    seconds = max(ms, 0) // 1000
    return f"{seconds // 60}:{seconds % 60:02d}"


def announce(event: dict[str, Any], standings: dict[str, Any], console: Console) -> None:
    """The champion and the first ranks."""
    entries = [*event["players"], *event.get("teams", [])]
    names = {entry["id"]: entry.get("name") or entry["id"] for entry in entries}
    grid = Table(title="最終順位 / Final ranking")
    for title in ("順位", "選手 player", "勝 wins", "石 discs"):
        grid.add_column(title, justify="left" if title.startswith("選手") else "right")
    for row in standings["rows"][:8]:
        grid.add_row(str(row["rank"]), names[row["id"]], str(row["wins"]), str(row["discs"]))
    console.print(grid)
    winner = champion(from_dict(event))
    console.print(f"優勝 / Champion: [bold]{names.get(winner or '', '—')}[/bold]")
