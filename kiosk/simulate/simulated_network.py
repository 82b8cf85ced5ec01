"""Simulated network connections between tables and head, with delay and loss.

A connection behaves like a WebSocket: whole frames in order, until it breaks. A break may go unreported: each side then
receives nothing and must detect it. A frame sent before may or may not have arrived.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from random import Random

from kiosk.link.frame_auth import MAX_FRAME
from kiosk.link.transport_interfaces import ChannelClosedError, HeadChannel

LATENCY_S = (0.000_5, 0.008)
#: seconds until a connection attempt without an answer fails
CONNECT_S = 3.0


class _End:
    """One side of a connection."""

    frame_bytes = MAX_FRAME
    handshake_s = 6.0

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._frames: asyncio.Queue[bytes | int | None] = asyncio.Queue()
        self._arrives_s = 0.0
        self.peer: _End = self
        self.over = False

    async def receive(self) -> bytes:
        if self.over:
            raise ChannelClosedError
        frame = await self._frames.get()
        if isinstance(frame, bytes):
            return frame
        self.over = True
        raise ChannelClosedError(frame)

    async def send(self, frame: bytes) -> None:
        if self.over:
            raise ChannelClosedError
        self._carry(frame)

    def proven(self) -> None:
        """No server guards this connection."""

    async def close(self, code: int) -> None:
        self.over = True
        self._carry(code)

    def end(self) -> None:
        """Close the connection at a stopped machine's side, if the wire still works."""
        if not self.over:
            self.over = True
            self._carry(None)

    def _carry(self, what: bytes | int | None) -> None:
        if self._wire.carries(self):
            loop = asyncio.get_running_loop()
            self._arrives_s = max(self._arrives_s, loop.time() + self._wire.latency_s())
            loop.call_at(self._arrives_s, self.peer.take, what)

    def take(self, what: bytes | int | None) -> None:
        self._frames.put_nowait(what)


class Wire:
    """The connection of one table to the head, a carrier. ``answer`` begins a conversation at the head's end, or raises
    ``OSError`` when there is no head. ``to_head`` and ``to_table`` say which directions work.
    """

    def __init__(self, chance: Random, answer: Callable[[HeadChannel], asyncio.Task[None]]) -> None:
        self._chance = chance
        self._answer = answer
        self._slow = 1.0
        self.to_head = self.to_table = True
        self._table_ends: set[_End] = set()
        self._open: list[_End] = []

    def latency_s(self) -> float:
        return self._chance.uniform(*LATENCY_S) * self._slow

    def slow_down(self, times: float) -> None:
        self._slow = times

    def carries(self, end: _End) -> bool:
        return self.to_head if end in self._table_ends else self.to_table

    def reset(self) -> None:
        """Report the end of the connection to both sides, as when a switch restarts."""
        for end in self._open:
            end.take(None)
            end.peer.take(None)

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[_End]:
        await asyncio.sleep(self.latency_s())
        if not (self.to_head and self.to_table):
            await asyncio.sleep(CONNECT_S)
            raise TimeoutError
        table, head = _End(self), _End(self)
        table.peer, head.peer = head, table
        self._table_ends.add(table)
        conversation = self._answer(head)
        conversation.add_done_callback(lambda _: head.end())
        self._open.append(table)
        try:
            yield table
        finally:
            self._open.remove(table)
            table.end()
            self._table_ends.discard(table)
