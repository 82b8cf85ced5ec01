"""Simulated serial cables between tables and head, below the product's own frames, lines and ports.

A cable carries bytes at the pace of its baud rate, and knows no frames. Bytes in transit are lost when an end is
closed, unplugged or switched off. Noise changes, loses and adds bytes, and duplicates or reorders pieces.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from random import Random
from typing import cast

from cobs import cobs
from simulate.drifting_clock import PortLoop

from kiosk.link.serial_framing_and_transport import BAUD, SerialTransport
from kiosk.link.transport_interfaces import TableChannel

#: seconds of data that a port buffers before it is full
BUFFER_S = 0.1
BITS_A_BYTE = 10
#: numbers above any real file descriptor
_NUMBERS = count(1_000_000)

Call = Callable[[], object]


class CablePort:
    """An open end of a cable."""

    def __init__(self, cable: Cable, end: int, baud: int) -> None:
        self._cable, self._end, self._baud = cable, end, baud
        self._number = next(_NUMBERS)
        self._arrived = bytearray()
        self._sent_s = 0.0
        self._on_readable: Call | None = None
        self._on_writable: Call | None = None
        _loop().ports[self._number] = self
        cable.ends[end] = self

    def fileno(self) -> int:
        return self._number

    def read(self) -> bytes:
        data = bytes(self._arrived)
        self._arrived.clear()
        return data

    def write(self, data: bytes | memoryview) -> int:
        now_s = _loop().time()
        if self._sent_s > now_s + BUFFER_S:
            return 0
        self._sent_s = max(self._sent_s, now_s) + _length(data) * BITS_A_BYTE / self._baud
        self._cable.carry(self._end, bytes(data), self._sent_s)
        return len(data)

    def close(self) -> None:
        if self._cable.ends.get(self._end) is self:
            del self._cable.ends[self._end]

    def arrive(self, data: bytes) -> None:
        self._arrived += data
        if self._on_readable is not None:
            self._on_readable()

    def when_readable(self, call: Call | None) -> None:
        self._on_readable = call
        if call is not None and self._arrived:
            _loop().call_soon(call)

    def when_writable(self, call: Call | None) -> None:
        self._on_writable = call
        if call is not None:
            _loop().call_at(max(_loop().time(), self._sent_s - BUFFER_S), self._tell_writable)

    def _tell_writable(self) -> None:
        if self._on_writable is not None:
            self._on_writable()


class Cable:
    """A transport from a table (end 0) to one of the head's ports (end 1). ``to_head`` and ``to_table`` say which
    directions work, ``noise`` how often a written piece is disturbed.
    """

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self.to_head = self.to_table = True
        self.noise = 0.0
        self.ends: dict[int, CablePort] = {}
        self._late: dict[int, bytes] = {}

    def open(self) -> AbstractAsyncContextManager[TableChannel]:
        return self._open_channel()

    @asynccontextmanager
    async def _open_channel(self) -> AsyncIterator[TableChannel]:
        await asyncio.sleep(0)
        async with SerialTransport("cable", BAUD, lambda device, baud: CablePort(self, 0, baud)).open() as channel:
            yield channel

    def reset(self) -> None:
        """Do nothing: a cable has no switch."""

    def slow_down(self, times: float) -> None:
        """Do nothing: a cable has no other traffic."""

    def carry(self, end: int, data: bytes, at_s: float) -> None:
        if self.to_table if end else self.to_head:
            for piece in self._disturbed(end, data):
                _loop().call_at(at_s, self._arrive, 1 - end, piece)

    def _arrive(self, end: int, data: bytes) -> None:
        if end in self.ends:
            self.ends[end].arrive(data)

    def _disturbed(self, end: int, data: bytes) -> list[bytes]:
        before = self._late.pop(end, b"")
        if self._chance.random() >= self.noise:
            return [data, before]
        at, other = self._chance.randrange(_length(data)), self._chance.randrange(_length(data))
        match self._chance.choice(("lost", "half", "changed", "more", "twice", "late")):
            case "lost":
                return [before]
            case "half":
                return [data[:at], before]
            case "changed":
                return [data[:at] + self._chance.randbytes(1) + data[at + 1 :], before]
            case "more":
                return [self._chance.randbytes(self._chance.randrange(1, 40)), data, before]
            case "twice":
                return [data, data, data[other:], before]
            case _:
                self._late[end] = before + data
                return []


def _length(encoded: bytes | memoryview) -> int:
    """Return the length of a frame's content without byte stuffing, which depends on the MAC and so differs in every
    run.
    """
    return len(cobs.decode(bytes(encoded).strip(b"\0")))


def _loop() -> PortLoop:
    return cast(PortLoop, asyncio.get_running_loop())
