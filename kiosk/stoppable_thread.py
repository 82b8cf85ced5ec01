"""Base of background threads that end when their owner closes them, and calls into the event loop of a thread."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress


class StoppableThread(ABC):
    """A daemon thread. ``_run`` ends soon after ``_stopping`` is set; ``grace_s``: how long ``close`` waits for that,
    None: as long as it takes."""

    def __init__(self, name: str, grace_s: float | None) -> None:
        self._grace_s = grace_s
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(self._grace_s)

    @abstractmethod
    def _run(self) -> None: ...


def call_soon(loop: asyncio.AbstractEventLoop | None, call: Callable[..., object], *arguments: object) -> None:
    """Call a function in the event loop of another thread. Nothing happens before the loop has begun and after its end.
    Never blocks.
    """
    if loop is not None:
        with suppress(RuntimeError):  # it ends at this moment
            loop.call_soon_threadsafe(call, *arguments)
