"""Pages that are the same for everybody who is not signed in: drawn once for each language and division.

Such a page depends only on its path, its language, the division in the address, and the head's state. The request it is
drawn for holds nothing else, so no data of one reader can reach another. It is drawn again after a change notification,
a new state, or a second. Its streams get the same bytes, a few streams at a time; the more streams there are, the more
changes are sent together.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from kiosk.head.errors import HeadError
from kiosk.head.web.change_notifier_and_live_updates import GATHER_S, LOOK_S, ChangeNotifier, wake

#: pages that are drawn at the same time
THREADS = 4
#: each stream lengthens the time between two checks by this
EACH_S = 0.002


class _Watcher:
    """One stream. ``sent``: the items it was sent last, and ``version`` their version; 0: nothing yet."""

    def __init__(self) -> None:
        self.sent: dict[str, str] = {}
        self.version = 0
        self.changed = asyncio.Event()


class SharedPage:
    """One page for all readers. ``draw_items`` draws its parts, ``draw_whole`` the page around them; both run in
    threads, one at a time."""

    def __init__(self, draw_items: Callable[[], dict[str, str]], draw_whole: Callable[[dict[str, str]], bytes]) -> None:
        self.draw_items, self.draw_whole = draw_items, draw_whole
        self.lock = asyncio.Lock()
        self.stamp: tuple[Any, ...] = ()
        self.items: dict[str, str] = {}
        #: number of different drawings so far
        self.version = 0
        self.html: bytes | None = None
        self.watchers: set[_Watcher] = set()
        #: the change from each earlier version to this one
        self._changed: dict[int, bytes] = {}

    def set_items(self, items: dict[str, str]) -> None:
        self.html = None
        if not self.version or list(self.items.items()) != list(items.items()):
            self.items, self.version, self._changed = items, self.version + 1, {}

    def message(self, watcher: _Watcher, now_ms: int) -> bytes:
        """Return the next message of a stream: the time, and what changed after its last message."""
        now = b'data: {"now":%d' % now_ms
        if watcher.version == self.version:
            return now + b"}\n\n"
        changed = self._changed.get(watcher.version)
        if changed is None:
            lines = [[key, None if watcher.sent.get(key) == html else html] for key, html in self.items.items()]
            changed = f',"items":{json.dumps(lines, ensure_ascii=False)}}}\n\n'.encode()
            self._changed[watcher.version] = changed
        watcher.sent, watcher.version = self.items, self.version
        return now + changed


class SharedPages:
    """The shared pages of a head. Used only on the event loop; drawing runs in threads."""

    def __init__(self, changes: ChangeNotifier, state: Callable[[], object], now_ms: Callable[[], int]) -> None:
        """``state``: returns what the pages are drawn from; another object after each act."""
        self._changes, self._state, self._now_ms = changes, state, now_ms
        self._threads = CapacityLimiter(THREADS)
        self._pages: dict[tuple[str, ...], SharedPage] = {}
        self._watched = asyncio.Event()

    def page(self, key: tuple[str, ...], make: Callable[[], SharedPage]) -> SharedPage:
        """Return the page of a key, which consists of everything that its drawing reads."""
        if key not in self._pages:
            self._pages[key] = make()
        return self._pages[key]

    async def html(self, page: SharedPage) -> bytes:
        """Return the whole page in its current state.

        :raises HeadError: it cannot be shown.
        """
        async with page.lock:
            await self._draw(page)
            if page.html is None:
                page.html = await run_sync(page.draw_whole, page.items, limiter=self._threads)
            return page.html

    async def stream(self, page: SharedPage) -> AsyncIterator[bytes]:
        """Yield all items first, then the changes."""
        watcher = _Watcher()
        page.watchers.add(watcher)
        try:
            yield b"retry: 2000\n\n"
            async with page.lock:
                await self._draw(page)
            self._watched.set()
            while not self._changes.closed:
                watcher.changed.clear()
                yield page.message(watcher, self._now_ms())
                await watcher.changed.wait()
        except HeadError:
            return  # the page has been removed
        finally:
            page.watchers.discard(watcher)

    async def run(self) -> None:
        """Send changes while there are streams; a task of the head's event loop."""
        while not self._changes.closed:
            await self._watched.wait()
            count = 0
            for page in tuple(self._pages.values()):
                if not page.watchers:
                    continue
                try:
                    async with page.lock:
                        await self._draw(page)
                except HeadError:
                    pass  # sent once it can be drawn again
                count += len(page.watchers)
                await wake([watcher.changed for watcher in page.watchers])
            if not count:
                self._watched.clear()
            await self._changes.next(LOOK_S)
            await asyncio.sleep(max(GATHER_S, count * EACH_S))
        for page in self._pages.values():
            await wake([watcher.changed for watcher in page.watchers])

    async def _draw(self, page: SharedPage) -> None:
        """Draw the items if they may have changed. The caller holds the page's lock."""
        stamp = self._changes.count, self._state(), self._now_ms() // 1000
        known = page.stamp
        if known and known[0] == stamp[0] and known[1] is stamp[1] and known[2] == stamp[2]:
            return
        page.set_items(await run_sync(page.draw_items, limiter=self._threads))
        page.stamp = stamp
