"""Network connections that fail: one or both directions, breaks, delay.

A break may go unreported: each side then receives nothing and must detect it. A frame sent before may or may not have
arrived.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from random import Random

from kiosk.demo.virtual_time_loop_and_connection import Wire, WireEnd
from kiosk.link.transport_interfaces import HeadChannel

#: seconds until a connection attempt without an answer fails
CONNECT_S = 3.0


class FaultyWire(Wire):
    """A wire with faults. ``to_head`` and ``to_table`` say which directions work."""

    def __init__(self, chance: Random, answer: Callable[[HeadChannel], asyncio.Task[None]]) -> None:
        super().__init__(chance, answer)
        self._slow = 1.0
        self.to_head = self.to_table = True
        self._open: list[WireEnd] = []

    def latency_s(self) -> float:
        return super().latency_s() * self._slow

    def slow_down(self, times: float) -> None:
        self._slow = times

    def carries(self, end: WireEnd) -> bool:
        return self.to_head if end.is_table else self.to_table

    def reset(self) -> None:
        """Report the end of the connection to both sides, as when a switch restarts."""
        for end in self._open:
            end.deliver(None)
            end.peer.deliver(None)

    async def reach(self) -> None:
        if not (self.to_head and self.to_table):
            await asyncio.sleep(CONNECT_S)
            raise TimeoutError

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[WireEnd]:
        async with super().open() as table:
            self._open.append(table)
            try:
                yield table
            finally:
                self._open.remove(table)
