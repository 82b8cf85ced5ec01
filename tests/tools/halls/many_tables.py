"""Hundreds of tables in one process: real links over real WebSockets to a head, played by the real rules.

Each table has the real ``TableLink`` and the real game; only its thread is shared with the others (one event loop for
all), its journal is a list and its players are a loop. So the counts are those of 500 real tables: records
acknowledged, orders obeyed, and times.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from heads.world import PlayedTable, quick_card

from kiosk.link.endpoints.table_link import TableLink
from kiosk.link.link_messages import (
    Assignment,
    Command,
    CommandDone,
    Health,
    TableRecord,
    TroubleInfo,
    from_dict,
    to_dict,
)
from kiosk.link.table_keys import new_keys, save_keys
from kiosk.link.transport_interfaces import Transport

#: duration of a game that is not played but only reported
QUICK_GAME_S = 0.2, 0.6


class CrowdLink(TableLink):
    """A link in a shared event loop."""

    async def serve(self) -> None:
        try:
            await self.keep_connected()
        finally:
            self._report_status(False, None)

    def wake(self) -> None:
        if self._loop is not None:
            self._news.set()


class CrowdTable:
    """One table and its statistics. It is a ``kiosk.link.endpoints.table_link.RecordOutbox`` and the collection of its
    own
    players."""

    def __init__(self, number: int, key: bytes, transport: Transport, cards: bool = False) -> None:
        self.epoch = f"crowd-{number}"
        self.number, self.acked, self.up = number, 0, False
        self._head_has = 0  # decreases after a head that lost its disk
        self.held: dict[str, float] = {}
        self.said_s: list[float] = []
        self.took_s: list[float] = []
        self._cards = cards
        self.last_round = 10_000
        self._received: list[Command] = []
        self.player = PlayedTable(number, self, self.epoch)
        self.link = CrowdLink(
            [transport], number, key, self, on_command=self._execute, on_status=self._status, health=self._health
        )

    @property
    def sent(self) -> list[TableRecord]:
        return self.player.sent

    def play(self) -> None:
        """Play one turn, if a game is in progress."""
        position = self.player.position
        if position is not None and not position.is_over:
            self.player.play(1)

    # the journal, for the link

    def last_seq(self) -> int:
        return len(self.sent)

    def records_after(self, seq: int, limit: int) -> list[TableRecord]:
        return self.sent[seq : seq + limit]

    def acknowledged(self, seq: int) -> None:
        now_s = time.perf_counter()
        self.took_s += [now_s - said_s for said_s in self.said_s[self.acked : seq]]
        self.acked, self._head_has = max(self.acked, seq), seq

    # the record ingest of the head, for the players

    def commit(self, table: int, epoch: str, records: list[TableRecord]) -> int:
        self.said_s += [time.perf_counter()] * len(records)
        self.link.wake()
        return len(self.sent)

    def pending(self, table: int) -> list[Command]:
        return self._received

    # internals

    def _execute(self, command: Command) -> None:
        if command.id in self.player.done:
            return
        if command.kind == "hold":
            self.held[command.id] = time.perf_counter()
        if command.kind == "assign" and self._cards:
            self._hand_in(command)
            return
        self._received = [command]
        self.player.execute_commands()

    def _hand_in(self, command: Command) -> None:
        """Submit the card of a game without playing it."""
        self.player.done.add(command.id)
        self.player.send("assigned", {"assignment": command.body, "has_board_source": False})
        self.player.send("command", to_dict(CommandDone(command.id, "applied")))
        assignment = from_dict(Assignment, command.body)
        random = Random(assignment.game)
        card = quick_card(command, 33 + random.randrange(31))
        asyncio.get_running_loop().call_later(random.uniform(*QUICK_GAME_S), self._end, assignment.round, card)

    def _end(self, round: int, card: dict[str, object]) -> None:
        """Submit the card, as soon as the hall plays its round to the end."""
        if round <= self.last_round:
            self.player.send("card", card)
        else:
            asyncio.get_running_loop().call_later(0.01, self._end, round, card)

    def _status(self, up: bool, why: TroubleInfo | None) -> None:
        self.up = up

    def _health(self) -> Health:
        game = self.player.assignment
        last_seq = len(self.sent)
        return Health(game=None if game is None else game.game, last_seq=last_seq, unsynced=last_seq - self._head_has)


class Crowd:
    """All tables of a hall in one thread. ``pace``: turns of all tables together in a second, 0 for none."""

    def __init__(self, keys: dict[int, bytes], transport: Callable[[int], Transport], *, cards: bool = False) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < 4 * len(keys) + 100:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4 * len(keys) + 100), hard))
        self.tables = [CrowdTable(number, key, transport(number), cards) for number, key in sorted(keys.items())]
        self.pace = 0.0
        self.late_s = 0.0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="crowd", daemon=True)
        self._thread.start()
        self._ready.wait()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def cut(self, table: CrowdTable) -> None:
        """Pull the cable of a table, for good."""
        self._loop.call_soon_threadsafe(table.link.end)

    def play_to(self, round: int) -> None:
        """Let games of rounds up to ``round`` end; games of later rounds are begun only."""
        for table in self.tables:
            table.last_round = round

    def rows(self) -> dict[tuple[int, str], list[tuple[int, str, object]]]:
        """Return what a head should have committed, in the form of ``heads.process.rows_of``; bodies as parsed JSON."""
        return {
            (table.number, table.epoch): [(r.seq, r.type, json.loads(json.dumps(r.body))) for r in table.sent]
            for table in self.tables
        }

    def all_up(self) -> bool:
        return all(table.up for table in self.tables)

    def all_acknowledged(self) -> bool:
        return all(table.acked == len(table.sent) for table in self.tables)

    def all_in_play(self) -> bool:
        return all(table.player.assignment is not None for table in self.tables)

    async def _main(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._links = {table: asyncio.create_task(table.link.serve()) for table in self.tables}
        players = asyncio.create_task(self._play())
        self._ready.set()
        await self._stop.wait()
        for table in self.tables:
            table.link.end()
        players.cancel()
        tasks = [*self._links.values(), players]
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _play(self) -> None:
        """Play turns spread evenly over the tables. ``late_s`` is the delay of this process itself."""
        random, due_s = Random(500), time.perf_counter()
        while True:
            if not self.pace:
                await asyncio.sleep(0.01)
                due_s = time.perf_counter()
                continue
            due_s += random.expovariate(self.pace)
            if (wait_s := due_s - time.perf_counter()) > 0:
                await asyncio.sleep(wait_s)
            else:
                await asyncio.sleep(0)
                self.late_s = max(self.late_s, -wait_s)
            random.choice(self.tables).play()


@contextlib.contextmanager
def crowd(keys: dict[int, bytes], transport: Callable[[int], Transport], *, cards: bool = False) -> Iterator[Crowd]:
    tables = Crowd(keys, transport, cards=cards)
    try:
        yield tables
    finally:
        tables.close()


def prepare_hall(
    directory: Path, event: dict[str, object], tables: int, port: int, **fields: object
) -> dict[int, bytes]:
    """Write the files of a head with so many tables and return the tables' keys. ``fields``: more of head.toml."""
    (directory / "event.json").write_text(json.dumps(event, ensure_ascii=False), encoding="utf-8")
    keys = new_keys(range(1, tables + 1))
    save_keys(directory / "keys.json", keys)
    values = {"data": "data", "keys": "keys.json", "event": "event.json", "host": "127.0.0.1", "port": port, **fields}
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
    (directory / "head.toml").write_text(text, encoding="utf-8")
    return keys
