"""The broadcast's streams: every open page and overlay is told of its tables, and of nothing else.

The law: the hall is looked at once for all that watch, and a document is put into words once; who watches a table that
stands still is told the time now and then. Streams are told a few at a time, so that a table's record waits for a few
of them and not for all. A stream that breaks begins with everything, and one that is slow is told what is so when it
can hear again, so nothing can be lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from itertools import islice
from typing import TypeAlias

from starlette.concurrency import run_in_threadpool

from kiosk.head.tables.broadcast import Broadcast, Shown
from kiosk.head.web.streams import GATHER_S, Changes

#: how long until the next look at most: a delay ends without anything happening
LOOK_S = 1.0
#: how often a stream says that it is alive, and what time it is
ALIVE_S = 8.0
#: streams that are told before the event loop looks after others: two milliseconds on a small machine
AT_ONCE = 8

#: the tables that somebody watches, in order, and the number of each one's document
Numbers: TypeAlias = tuple[tuple[int, int], ...]


class _Watcher:
    """One stream. ``name``: of a slot or a table; None: all tables in play."""

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.sent: Numbers | None = None
        self.told_s = 0.0
        self.woken = asyncio.Event()


class Stages:
    def __init__(self, broadcast: Broadcast, changes: Changes) -> None:
        self.broadcast, self._changes = broadcast, changes
        self._watchers: set[_Watcher] = set()
        self._first = asyncio.Event()
        self._shown: Mapping[int, Shown] = {}
        self._numbers: dict[str | None, Numbers] = {}
        self._words: dict[tuple[Numbers | None, Numbers], str] = {}

    async def run(self) -> None:
        """Looks at the hall as long as somebody watches; a task of the head's event loop."""
        while True:
            await self._first.wait()
            self._take(await run_in_threadpool(self.broadcast.look))
            now_s = asyncio.get_running_loop().time()
            behind = (watcher for watcher in tuple(self._watchers) if self._is_behind(watcher, now_s))
            while some := tuple(islice(behind, AT_ONCE)):
                for watcher in some:
                    watcher.woken.set()
                await asyncio.sleep(0)
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
            if len(self._watchers) == 1:
                self._take(await run_in_threadpool(self.broadcast.look))
            while not self._changes.closed:
                watcher.woken.clear()
                yield self._message(watcher)
                await watcher.woken.wait()
        finally:
            self._watchers.discard(watcher)

    def _take(self, shown: Mapping[int, Shown]) -> None:
        if shown is not self._shown:
            self._shown, self._numbers, self._words = shown, {}, {}

    def _is_behind(self, watcher: _Watcher, now_s: float) -> bool:
        late = now_s - watcher.told_s >= ALIVE_S
        return late or self._changes.closed or watcher.sent != self._watched(watcher.name)

    def _watched(self, name: str | None) -> Numbers:
        """What somebody is to know after this look."""
        numbers = self._numbers.get(name)
        if numbers is None:
            shown = self._shown
            if name is None:
                tables = [table for table, one in shown.items() if one.document.state != "free"]
            else:
                table = self.broadcast.table_of(name)
                tables = [] if table is None or table not in shown else [table]
            numbers = self._numbers[name] = tuple((table, shown[table].number) for table in tables)
        return numbers

    def _message(self, watcher: _Watcher) -> str:
        """``tables``: those it watches, in order; ``games``: what is new of them."""
        numbers = self._watched(watcher.name)
        words = self._words.get((watcher.sent, numbers))
        if words is None:
            known = frozenset(watcher.sent or ())
            games = ",".join(self._shown[table].text for table, number in numbers if (table, number) not in known)
            words = f'"tables":{[table for table, _ in numbers]},"games":[{games}]'
            self._words[watcher.sent, numbers] = words
        watcher.sent, watcher.told_s = numbers, asyncio.get_running_loop().time()
        return f'data: {{"now":{self.broadcast.now_ms()},{words}}}\n\n'
