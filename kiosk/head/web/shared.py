"""Pages that are the same for everybody who is not signed in: drawn once for each language and division, for all.

What such a page is drawn from is its path, its language, the division that the address names, and the head's state: the
visit that it is drawn for has nothing else, so nothing of one reader can reach another. It is drawn again when
something changed, the state is another one, or a second has passed. The streams of the page are told the same bytes, a
few streams at a time; the more of them there are, the more changes are told together.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from kiosk.head.errors import HeadError
from kiosk.head.web.render import Item
from kiosk.head.web.streams import GATHER_S, LOOK_S, Changes

#: pages that are drawn at the same time
THREADS = 4
#: streams that are told before the event loop looks after others
AT_ONCE = 8
#: every stream makes the time between two looks so much longer
EACH_S = 0.002


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """The items of a page as they were once."""

    items: list[Item]
    by_key: dict[str, str]


class _Watcher:
    """One stream, and what it was told last."""

    def __init__(self) -> None:
        self.sent: _Drawn | None = None
        self.woken = asyncio.Event()


class SharedPage:
    """``items`` draws its parts, ``whole`` the page around them; both run in threads, one at a time."""

    def __init__(self, items: Callable[[], list[Item]], whole: Callable[[list[Item]], bytes]) -> None:
        self.draw_items, self.draw_whole = items, whole
        self.lock = asyncio.Lock()
        self.stamp: tuple[Any, ...] = ()
        self.drawn: _Drawn | None = None
        self.html: bytes | None = None
        self.watchers: set[_Watcher] = set()
        self._changed: dict[_Drawn | None, bytes] = {}

    def take(self, items: list[Item]) -> None:
        self.html = None
        if self.drawn is None or self.drawn.items != items:
            self.drawn = _Drawn(items, dict(items))
            self._changed = {}

    def message(self, watcher: _Watcher, now_ms: int) -> bytes:
        """What a stream is told now: the time, and what changed since it was told last."""
        now = b'data: {"now":%d' % now_ms
        if self.drawn is None or watcher.sent is self.drawn:
            return now + b"}\n\n"
        changed = self._changed.get(watcher.sent)
        if changed is None:
            sent = {} if watcher.sent is None else watcher.sent.by_key
            lines = [[key, None if sent.get(key) == html else html] for key, html in self.drawn.items]
            changed = self._changed[watcher.sent] = f',"items":{json.dumps(lines, ensure_ascii=False)}}}\n\n'.encode()
        watcher.sent = self.drawn
        return now + changed


class SharedPages:
    """On the event loop only, but for the drawing."""

    def __init__(self, changes: Changes, state: Callable[[], object], now_ms: Callable[[], int]) -> None:
        """``state``: what the pages are drawn from, another value after each act."""
        self._changes, self._state, self._now_ms = changes, state, now_ms
        self._threads = CapacityLimiter(THREADS)
        self._pages: dict[tuple[str, ...], SharedPage] = {}
        self._watched = asyncio.Event()

    def page(self, key: tuple[str, ...], make: Callable[[], SharedPage]) -> SharedPage:
        """The page of a key, which is made of everything that its drawing asks for."""
        page = self._pages.get(key)
        if page is None:
            page = self._pages[key] = make()
        return page

    async def html(self, page: SharedPage) -> bytes:
        """The whole page as it is now.

        :raises HeadError: it cannot be shown.
        """
        async with page.lock:
            await self._draw(page)
            if page.html is None:
                assert page.drawn is not None
                page.html = await run_sync(page.draw_whole, page.drawn.items, limiter=self._threads)
            return page.html

    async def stream(self, page: SharedPage) -> AsyncIterator[bytes]:
        """First everything, then what changes."""
        watcher = _Watcher()
        page.watchers.add(watcher)
        try:
            yield b"retry: 2000\n\n"
            async with page.lock:
                await self._draw(page)
            self._watched.set()
            while not self._changes.closed:
                watcher.woken.clear()
                yield page.message(watcher, self._now_ms())
                await watcher.woken.wait()
        except HeadError:
            return  # there is no such page any more
        finally:
            page.watchers.discard(watcher)

    async def run(self) -> None:
        """Tells the streams as long as there are any; a task of the head's event loop."""
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
                    pass  # told as soon as it can be drawn again
                count += len(page.watchers)
                await self._tell(page)
            if not count:
                self._watched.clear()
            await self._changes.next(LOOK_S)
            await asyncio.sleep(max(GATHER_S, count * EACH_S))
        for page in self._pages.values():
            await self._tell(page)

    async def _tell(self, page: SharedPage) -> None:
        watchers = iter(tuple(page.watchers))
        while some := tuple(islice(watchers, AT_ONCE)):
            for watcher in some:
                watcher.woken.set()
            await asyncio.sleep(0)

    async def _draw(self, page: SharedPage) -> None:
        """Draws the items, if they may be others now. The page's lock is held."""
        stamp = self._changes.count, self._state(), self._now_ms() // 1000
        known = page.stamp
        if known and known[0] == stamp[0] and known[1] is stamp[1] and known[2] == stamp[2]:
            return
        page.take(await run_sync(page.draw_items, limiter=self._threads))
        page.stamp = stamp
