"""Tests of the broadcast streams: each gets what is new to it, a few at a time, and the current time at intervals."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

from kiosk.head.tables.live_game_json_and_document_cache import Broadcast, BroadcastView, LiveGame
from kiosk.head.web.broadcast_streams import ALIVE_S, BroadcastHub
from kiosk.head.web.change_notifier_and_live_updates import AT_ONCE, ChangeNotifier

TABLES, STREAMS = 4, 40


class _Hall:
    """A broadcast of tables whose documents the test changes."""

    def __init__(self) -> None:
        self.shown: Mapping[int, BroadcastView] = {}
        for table in range(1, TABLES + 1):
            self.move(table)

    def move(self, table: int) -> None:
        number = self.shown[table].number + 1 if table in self.shown else 1
        text = json.dumps({"table": table, "number": number})
        self.shown = {**self.shown, table: BroadcastView(number, text, cast(LiveGame, SimpleNamespace(state="play")))}

    def documents(self) -> Mapping[int, BroadcastView]:
        return self.shown

    def table_of(self, name: str) -> int:
        return int(name)

    def now_ms(self) -> int:
        return 7


class _Room:
    """A hub and its streams. ``told``: messages by stream; ``together``: their number by turn of the event loop."""

    def __init__(self) -> None:
        self.hall, self.changes = _Hall(), ChangeNotifier()
        self.stages = BroadcastHub(cast(Broadcast, self.hall), self.changes)
        self.told: list[list[Any]] = [[] for _ in range(STREAMS)]
        self.together = [0]

    async def __aenter__(self) -> _Room:
        self.changes.attach(asyncio.get_running_loop())
        names = [None, *(str(number % TABLES + 1) for number in range(1, STREAMS))]
        self._tasks = [asyncio.create_task(self._read(number, name)) for number, name in enumerate(names)]
        self._tasks += [asyncio.create_task(self._turns()), asyncio.create_task(self.stages.run())]
        await self.until(lambda: all(told and told[-1]["games"] for told in self.told))
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def until(self, there: Any) -> None:
        async with asyncio.timeout(30):
            while not there():
                await asyncio.sleep(0.01)

    async def _read(self, number: int, name: str | None) -> None:
        async for message in self.stages.stream(name):
            if message.startswith("data: "):
                self.told[number].append(json.loads(message.removeprefix("data: ")))
                self.together[-1] += 1

    async def _turns(self) -> None:
        while True:
            await asyncio.sleep(0)
            self.together.append(0)


def test_streams_receive_only_new_data_in_small_batches() -> None:
    async def watched() -> None:
        async with _Room() as room:
            before, room.together = [len(told) for told in room.told], [0]
            room.hall.move(2)
            room.changes.notify()
            of_2 = [number for number in range(STREAMS) if number == 0 or number % TABLES == 1]
            await room.until(lambda: all(len(room.told[number]) > before[number] for number in of_2))
            for number in of_2:
                assert [game["number"] for game in room.told[number][-1]["games"]] == [2]
                assert room.told[number][-1]["now"] == 7
            assert room.told[0][-1]["tables"] == [1, 2, 3, 4]
            assert [len(told) for told in room.told] == [was + (n in of_2) for n, was in enumerate(before)]
            assert len(of_2) > AT_ONCE >= max(room.together)

    asyncio.run(watched())


def test_a_stream_without_changes_gets_the_time() -> None:
    async def watched() -> None:
        async with _Room() as room:
            before, room.together = [len(told) for told in room.told], [0]
            for watcher in room.stages._watchers:
                watcher.told_s -= ALIVE_S
            room.changes.notify()
            await room.until(lambda: all(len(told) > was for told, was in zip(room.told, before, strict=True)))
            assert all(told[-1]["games"] == [] and told[-1]["tables"] for told in room.told)
            assert max(room.together) <= AT_ONCE

    asyncio.run(watched())
