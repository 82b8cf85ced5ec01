"""Streams of the broadcast: every open page and overlay receives the changes of its own tables only.

The state of the hall is read once for all streams, and a document is encoded once. A stream whose table does not change
gets the time now and then. Streams are served a few at a time, so that a table's record waits for a few of them and not
for all. A reconnected stream begins with all documents, and a slow one gets the current state when it reads again, so
nothing is lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import TypeAlias

from starlette.concurrency import run_in_threadpool

from kiosk.head.tables.live_game_json_and_document_cache import Broadcast, BroadcastView
from kiosk.head.web.change_notifier_and_live_updates import GATHER_S, ChangeNotifier, wake

#: longest time between two checks: a broadcast delay ends without a change notification
LOOK_S = 1.0
#: interval of the keep-alive message, which carries the time
ALIVE_S = 8.0

#: the tables of a stream, in order, and the number of each one's document
Numbers: TypeAlias = tuple[tuple[int, int], ...]


class _Watcher:
    """One stream. ``name``: of a slot or a table; None: all tables in play."""

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.sent: Numbers | None = None
        self.told_s = 0.0
        self.changed = asyncio.Event()


class BroadcastHub:
    def __init__(self, broadcast: Broadcast, changes: ChangeNotifier) -> None:
        self.broadcast, self._changes = broadcast, changes
        self._watchers: set[_Watcher] = set()
        self._first = asyncio.Event()
        self._shown: Mapping[int, BroadcastView] = {}
        self._numbers: dict[str | None, Numbers] = {}
        self._words: dict[tuple[Numbers | None, Numbers], str] = {}

    async def run(self) -> None:
        """Read the state of the hall while there are streams; a task of the head's event loop."""
        while True:
            await self._first.wait()
            self._update(await run_in_threadpool(self.broadcast.documents))
            now_s = asyncio.get_running_loop().time()
            await wake(one.changed for one in tuple(self._watchers) if self._is_behind(one, now_s))
            if not self._watchers:
                self._first.clear()
            await self._changes.next(LOOK_S)
            await asyncio.sleep(GATHER_S)

    async def stream(self, name: str | None) -> AsyncIterator[str]:
        """Yield the changes of a slot, a table, or all tables in play."""
        watcher = _Watcher(name)
        self._watchers.add(watcher)
        self._first.set()
        try:
            yield "retry: 2000\n\n"
            if len(self._watchers) == 1:
                self._update(await run_in_threadpool(self.broadcast.documents))
            while not self._changes.closed:
                watcher.changed.clear()
                yield self._message(watcher)
                await watcher.changed.wait()
        finally:
            self._watchers.discard(watcher)

    def _update(self, shown: Mapping[int, BroadcastView]) -> None:
        if shown is not self._shown:
            self._shown, self._numbers, self._words = shown, {}, {}

    def _is_behind(self, watcher: _Watcher, now_s: float) -> bool:
        late = now_s - watcher.told_s >= ALIVE_S
        return late or self._changes.closed or watcher.sent != self._current_numbers(watcher.name)

    def _current_numbers(self, name: str | None) -> Numbers:
        """Return the tables and document numbers that the stream should have now."""
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
        """Return the next message. ``tables``: the tables of the stream, in order; ``games``: their new documents."""
        numbers = self._current_numbers(watcher.name)
        words = self._words.get((watcher.sent, numbers))
        if words is None:
            known = frozenset(watcher.sent or ())
            games = ",".join(self._shown[table].text for table, number in numbers if (table, number) not in known)
            words = f'"tables":{[table for table, _ in numbers]},"games":[{games}]'
            self._words[watcher.sent, numbers] = words
        watcher.sent, watcher.told_s = numbers, asyncio.get_running_loop().time()
        return f'data: {{"now":{self.broadcast.now_ms()},{words}}}\n\n'
