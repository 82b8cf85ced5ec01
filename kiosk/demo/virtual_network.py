"""Simulated network connections between tables and head on virtual time.

A connection behaves like a WebSocket: whole frames in order, each a little later, until one side ends it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from random import Random

from kiosk.link.message_authentication import MAX_FRAME
from kiosk.link.transport_interfaces import ChannelClosedError, HeadChannel

LATENCY_S = (0.000_5, 0.008)


class WireEnd:
    """One side of a connection."""

    frame_bytes = MAX_FRAME
    handshake_s = 6.0

    def __init__(self, wire: Wire, is_table: bool) -> None:
        self._wire = wire
        self.is_table = is_table
        self._frames: asyncio.Queue[bytes | int | None] = asyncio.Queue()
        self._arrives_s = 0.0
        self.peer: WireEnd = self
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
        self._schedule_delivery(frame)

    def note_key_proved(self) -> None:
        """No server guards this connection."""

    async def close(self, code: int) -> None:
        self.over = True
        self._schedule_delivery(code)

    def end(self) -> None:
        """Close the connection at a stopped machine's side."""
        if not self.over:
            self.over = True
            self._schedule_delivery(None)

    def _schedule_delivery(self, what: bytes | int | None) -> None:
        if self._wire.carries(self):
            loop = asyncio.get_running_loop()
            self._arrives_s = max(self._arrives_s, loop.time() + self._wire.latency_s())
            loop.call_at(self._arrives_s, self.peer.deliver, what)

    def deliver(self, what: bytes | int | None) -> None:
        self._frames.put_nowait(what)


class Wire:
    """The connection of one table to the head, a carrier. ``answer`` begins a conversation at the head's end, or raises
    ``OSError`` when there is no head.
    """

    def __init__(self, chance: Random, answer: Callable[[HeadChannel], asyncio.Task[None]]) -> None:
        self._chance = chance
        self._answer = answer

    def latency_s(self) -> float:
        return self._chance.uniform(*LATENCY_S)

    def carries(self, end: WireEnd) -> bool:
        """Return whether a frame sent at this end arrives."""
        return True

    async def reach(self) -> None:
        """Wait for the head's machine.

        :raises TimeoutError: it does not answer.
        """

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[WireEnd]:
        await asyncio.sleep(self.latency_s())
        await self.reach()
        table, head = WireEnd(self, True), WireEnd(self, False)
        table.peer, head.peer = head, table
        conversation = self._answer(head)
        conversation.add_done_callback(lambda _: head.end())
        try:
            yield table
        finally:
            table.end()
