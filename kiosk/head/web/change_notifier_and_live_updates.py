"""The notifier that tells open pages of changes, and their live updates: server-sent events that carry only the changed
items.

A page that missed an update gets the same state with the next one, so nothing is lost. The stream of a page that no
longer exists ends, and a new request for it is refused.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from itertools import islice

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from kiosk.head.errors import HeadError

#: longest time between two checks, which also find tables that stopped sending
LOOK_S = 2.0
#: changes within this time are drawn together
GATHER_S = 0.25
#: streams that are served before the event loop runs other tasks: two milliseconds on a small machine
AT_ONCE = 8


class ChangeNotifier:
    """A notifier that wakes the streams after a change. ``notify`` may be called from any thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[asyncio.Event] = set()
        self._lock = threading.Lock()
        self.closed = False
        #: number of changes; two at the same moment may count as one
        self.count = 0

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def notify(self) -> None:
        self.count += 1
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake)

    def close(self) -> None:
        """End every stream, so that the server can stop."""
        self.closed = True
        self._wake()

    async def next(self, timeout_s: float) -> None:
        """Wait for the next change, at most ``timeout_s``."""
        changed = asyncio.Event()
        with self._lock:
            self._waiting.add(changed)
        if self.closed:
            changed.set()
        try:
            await asyncio.wait_for(changed.wait(), timeout_s)
        except TimeoutError:
            pass
        finally:
            with self._lock:
                self._waiting.discard(changed)

    def _wake(self) -> None:
        with self._lock:
            for changed in self._waiting:
                changed.set()


async def wake(streams: Iterable[asyncio.Event]) -> None:
    """Wake streams a few at a time, so that a table's record waits for a few of them and not for all."""
    waiting = iter(streams)
    while some := tuple(islice(waiting, AT_ONCE)):
        for stream in some:
            stream.set()
        await asyncio.sleep(0)


async def updates(
    changes: ChangeNotifier,
    draw: Callable[[], dict[str, str]],
    now_ms: Callable[[], int],
    allowed: Callable[[], bool],
    threads: CapacityLimiter | None,
) -> AsyncIterator[str]:
    """Yield the messages of one page: all items first, then the changes. ``draw``: returns the HTML of each item;
    ``allowed``: whether the reader may still see the page; ``threads``: where it is drawn."""
    sent: dict[str, str] = {}
    yield "retry: 2000\n\n"
    while not changes.closed and allowed():
        try:
            items = await run_sync(draw, limiter=threads)
        except HeadError:
            return
        lines = [[key, None if sent.get(key) == html else html] for key, html in items.items()]
        if list(sent) != list(items) or any(html is not None for _, html in lines):
            yield _message({"now": now_ms(), "items": lines})
            sent = items
        else:
            yield _message({"now": now_ms()})
        await changes.next(LOOK_S)
        if not changes.closed:
            await asyncio.sleep(GATHER_S)


def _message(value: object) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"
