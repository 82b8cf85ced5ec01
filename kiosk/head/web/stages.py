"""The broadcast's streams: every open page and overlay is told of its tables, and of nothing else.

The law: the hall is looked at once for all that watch, and a document is put into words once; who watches a table that
stands still is told the time now and then. A stream that breaks begins with everything, so nothing can be lost.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping

from starlette.concurrency import run_in_threadpool

from kiosk.head.tables.broadcast import Broadcast, Shown
from kiosk.head.web.streams import GATHER_S, Changes

#: how long until the next look at most: a delay ends without anything happening
LOOK_S = 1.0
#: how often a stream says that it is alive, and what time it is
ALIVE_S = 8.0


class _Watcher:
    """One stream. ``name``: of a slot or a table; None: all tables in play."""

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.sent: dict[int, int] = {}
        self.woken = asyncio.Event()


class Stages:
    def __init__(self, broadcast: Broadcast, changes: Changes) -> None:
        self.broadcast, self._changes = broadcast, changes
        self._watchers: set[_Watcher] = set()
        self._first = asyncio.Event()

    async def run(self) -> None:
        """Looks at the hall as long as somebody watches; a task of the head's event loop."""
        while True:
            await self._first.wait()
            shown = await run_in_threadpool(self.broadcast.look)
            for watcher in self._watchers:
                if self._behind(watcher, shown):
                    watcher.woken.set()
            if not self._watchers:
                self._first.clear()
            await self._changes.next(LOOK_S)
            await asyncio.sleep(GATHER_S)

    async def stream(self, name: str | None) -> AsyncIterator[str]:
        """What changes of a slot, a table, or of all tables in play."""
        watcher = _Watcher(name)
        self._watchers.add(watcher)
        self._first.set()
        try:
            yield "retry: 2000\n\n"
            alone = len(self._watchers) == 1
            shown = await run_in_threadpool(self.broadcast.look) if alone else self.broadcast.latest
            while not self._changes.closed:
                yield self._message(watcher, shown)
                watcher.woken.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(watcher.woken.wait(), ALIVE_S)
                shown = self.broadcast.latest
        finally:
            self._watchers.discard(watcher)

    def _tables(self, watcher: _Watcher, shown: Mapping[int, Shown]) -> list[int]:
        if watcher.name is None:
            return [table for table, one in shown.items() if one.document["state"] != "free"]
        table = self.broadcast.table_of(watcher.name)
        return [] if table is None or table not in shown else [table]

    def _behind(self, watcher: _Watcher, shown: Mapping[int, Shown]) -> bool:
        if self._changes.closed:
            return True
        tables = self._tables(watcher, shown)
        return tables != list(watcher.sent) or any(watcher.sent[one] != shown[one].number for one in tables)

    def _message(self, watcher: _Watcher, shown: Mapping[int, Shown]) -> str:
        """``tables``: those it watches, in order; ``games``: what is new of them."""
        tables = self._tables(watcher, shown)
        games = ",".join(shown[one].text for one in tables if watcher.sent.get(one) != shown[one].number)
        watcher.sent = {one: shown[one].number for one in tables}
        return f'data: {{"now":{self.broadcast.now_ms()},"tables":{tables},"games":[{games}]}}\n\n'
