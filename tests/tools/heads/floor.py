"""A hall in play for tests of the floor pages and screens: tables that obey an arbiter's orders by the rules."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heads.world import PlayedTable, quick_card, running_head
from waiting import until

from engine.i18n import Text, text_of
from engine.match import Seat
from engine.match.arbiter_order_specs_and_parser import read_order
from engine.match.match_events_and_effects import Action, ArbiterOrder, Hold, Press
from engine.match.match_value_types import MatchError
from kiosk.head.program import HeadApplication
from kiosk.link.link_messages import Command, CommandDone, TroubleInfo, to_dict
from kiosk.table.game.match_steps_and_head_commands import command_refusal
from kiosk.table.journal.journal_storage_and_sd_card_alarms import CARD_FAILING
from kiosk.table.state import TableState

S = 1_000_000_000
HEALTH: dict[str, Any] = {
    "program": "0.1.0", "boots": 1, "starts": 1, "temperature_c": 52, "under_voltage": False, "disk_free_mb": 21_000,
    "carrier": "network", "edge_source": "lgpio",
}  # fmt: skip


@dataclass
class FloorTable(PlayedTable):
    """A table that executes orders by ``engine.match``, or refuses them with a reason. ``silent``: it is
    disconnected."""

    silent: bool = False
    health: dict[str, Any] = field(default_factory=dict)

    def beat(self) -> None:
        if self.silent:
            return
        self.live(**(HEALTH | {"wall_ms": time.time_ns() // 1_000_000} | self.health))
        for command in self.collection.pending(self.number):
            if command.id not in self.done and command.kind in ("hold", "arbiter"):
                self.done.add(command.id)
                reason = self._carry_out(command)
                self.send("command", to_dict(CommandDone(command.id, "refused" if reason else "applied", reason or "")))

    def _carry_out(self, command: Command) -> Text | None:
        if command.revision is not None and command.revision != self.match.revision:
            return command_refusal(TableState(self.number, assignment=self.assignment, match=self.match), command)
        hold = command.kind == "hold"
        try:
            self.apply_event(ArbiterOrder(self.at_ns, Action.HOLD) if hold else read_order(self.at_ns, command.body))
        except MatchError as error:
            return text_of(error)
        return None


@dataclass
class Floor:
    program: HeadApplication
    url: str
    tables: dict[int, FloorTable]


def play_to_round_3(program: HeadApplication, tables: Sequence[PlayedTable]) -> None:
    """Play two rounds by their cards, and some turns at every table in the third."""
    for _ in range(2):
        until(lambda: _ready(program))
        for table in tables:
            (command,) = table.execute_commands()
            table.send("card", quick_card(command, 20 + 3 * table.number))
    until(lambda: _ready(program))
    for table in tables:
        table.execute_commands()
        table.play(8 + 3 * table.number, 9.0 + table.number)


@contextmanager
def floor_in_play(directory: Path, **options: Any) -> Iterator[Floor]:
    """Yield round 3 at eight of ten tables: 2 calls the arbiter, 4 is challenged for a disc that was not flipped, 5 has
    finished, 6 has unsent records, 7 has never connected, 8 cannot save; 9 and 10 are free."""
    with running_head(directory, tables=10, auto=True, **options) as (program, url):
        tables = {number: FloorTable(number, program.devices.collection) for number in range(1, 11)}
        play_to_round_3(program, [tables[number] for number in range(1, 9)])
        tables[2].at_ns += 3 * S
        tables[2].apply_event(Hold(tables[2].at_ns, Seat.LEFT))
        tables[4].slip()
        tables[4].at_ns += 4 * S
        tables[4].apply_event(Press(tables[4].at_ns, tables[4].match.clock.running))
        tables[5].finish()
        tables[6].health = {"unsynced": 7, "unsynced_s": 75}
        tables[7].silent = True
        trouble = TroubleInfo("journal-card-failing", CARD_FAILING.text)
        tables[8].health = {"troubles": [trouble]}
        stopped = threading.Event()

        def beat() -> None:
            while not stopped.wait(0.2):
                for table in tables.values():
                    table.beat()

        for table in tables.values():
            table.beat()
        thread = threading.Thread(target=beat)
        thread.start()
        try:
            yield Floor(program, url, tables)
        finally:
            stopped.set()
            thread.join()


def _ready(program: HeadApplication) -> bool:
    games = [game for game in program.desk.state.current if not game.is_bye]
    return bool(games) and all(game.is_open and game.table for game in games)
