"""Asynchronous frames over one serial line, for both ends, in the layout of ``kiosk.link.serial_framing``.

A line has no connections: the table requests a challenge to begin a session, and the head sends a close frame when it
has ended one. A line may lose frames but never changes them; the session requests missing records again. Sending waits
for the line, so at most one frame and the port's own buffer are in transit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from kiosk.link.serial_framing import Unframer, encode

BAUD = 115_200
HANDSHAKE_S = 2.0


class SerialPort(Protocol):
    """An open port, as ``hardware.serial_byte_stream.BytePort``."""

    def fileno(self) -> int: ...
    def read(self) -> bytes: ...
    def write(self, data: bytes | memoryview) -> int: ...
    def close(self) -> None: ...


#: opens a port from a device and its baud rate, or raises ``PortError``
OpenPort = Callable[[str, int], SerialPort]


class SerialLine:
    """Frames over one open port."""

    def __init__(self, port: SerialPort) -> None:
        self._port = port
        self._unframer = Unframer()
        self._arrived: list[bytes] = []

    async def receive(self) -> bytes:
        while not self._arrived:
            loop = asyncio.get_running_loop()
            await _ready(self._port, loop.add_reader, loop.remove_reader)
            self._arrived = self._unframer.feed(self._port.read())[::-1]
        return self._arrived.pop()

    async def send(self, frame: bytes) -> None:
        data = memoryview(encode(frame))
        while data:
            sent = self._port.write(data)
            data = data[sent:]
            if not sent:
                loop = asyncio.get_running_loop()
                await _ready(self._port, loop.add_writer, loop.remove_writer)


async def _ready(port: SerialPort, add: Callable[..., object], remove: Callable[[int], object]) -> None:
    """Wait until the port can be read, or written."""
    descriptor = port.fileno()
    ready = asyncio.Event()
    add(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        remove(descriptor)
