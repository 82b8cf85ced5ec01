"""Serial line between table and head: its framing, the line itself for both ends, and the table's transport over it.

A line has no connections. The table requests a challenge to begin one, and the head sends a close frame to end it. A
line may lose frames but never changes them; the session requests missing records again. ``send`` waits for the line, so
at most one frame and the port's own buffer are in transit.
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from cobs import cobs

from hardware.serial_byte_stream import BytePort
from kiosk.link.message_macs_versions_handshake import CHALLENGE_MAGIC, MAX_FRAME
from kiosk.link.transport_interfaces import ChannelClosedError, TableChannel

BAUD = 115_200
HANDSHAKE_S = 2.0
#: a tenth of a second at 115 200 baud, and short enough for a noisy line
FRAME_BYTES = 1024


# Framing of a serial line: ``00 COBS(frame ‖ CRC-32) 00`` (docs/reference/link-and-journal.md).
#
# A frame arrives unchanged or not at all. After any disturbance the next zero byte resynchronises; an incomplete frame
# is counted and dropped, and line noise never makes the unframer hold more than one frame's bytes.

#: the table's request for the head's challenge, which begins a connection
CHALLENGE_REQUEST = b"OTHk"
#: the head's end of a connection, with the reason as a WebSocket close code (0: begin again)
_CLOSE = struct.Struct(">4sH")
_CLOSE_MAGIC = b"OTHb"

_CRC = struct.Struct(">I")
#: COBS adds a byte for each 254, and one
_MAX_ENCODED = MAX_FRAME + _CRC.size + MAX_FRAME // 254 + 2


def encode_frame(frame: bytes) -> bytes:
    """Return the bytes on the line. The leading zero ends any noise before the frame."""
    encoded: bytes = cobs.encode(frame + _CRC.pack(zlib.crc32(frame)))
    return b"\0" + encoded + b"\0"


def close_frame(code: int) -> bytes:
    return _CLOSE.pack(_CLOSE_MAGIC, code)


def close_code(frame: bytes) -> int | None:
    """Return the code, if the frame is a close frame. A sealed frame begins with its counter, far below these bytes."""
    if len(frame) != _CLOSE.size or not frame.startswith(_CLOSE_MAGIC):
        return None
    return int(_CLOSE.unpack(frame)[1])


class Unframer:
    """Decoder from received bytes to complete frames. ``bad`` counts those that were dropped."""

    def __init__(self) -> None:
        self.bad = 0
        self._rest = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes]:
        frames = []
        *ended, rest = data.split(b"\0")
        for part in ended:
            self._rest += part
            encoded = b"" if self._skipping else bytes(self._rest)
            self._rest.clear()
            self._skipping = False
            if encoded:
                frame = _decode(encoded)
                if frame is None:
                    self.bad += 1
                else:
                    frames.append(frame)
        self._rest += rest
        if len(self._rest) > _MAX_ENCODED:
            self.bad += not self._skipping
            self._skipping = True
            self._rest.clear()
        return frames


def _decode(encoded: bytes) -> bytes | None:
    try:
        data: bytes = cobs.decode(encoded)
    except cobs.DecodeError:
        return None
    frame, crc = data[: -_CRC.size], data[-_CRC.size :]
    return frame if crc == _CRC.pack(zlib.crc32(frame)) and frame else None


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
            await _wait_ready(self._port, loop.add_reader, loop.remove_reader)
            self._arrived = self._unframer.feed(self._port.read())[::-1]
        return self._arrived.pop()

    async def send(self, frame: bytes) -> None:
        data = memoryview(encode_frame(frame))
        while data:
            sent = self._port.write(data)
            data = data[sent:]
            if not sent:
                loop = asyncio.get_running_loop()
                await _wait_ready(self._port, loop.add_writer, loop.remove_writer)


async def _wait_ready(port: SerialPort, add: Callable[..., object], remove: Callable[[int], object]) -> None:
    """Wait until the port can be read, or written."""
    descriptor = port.fileno()
    ready = asyncio.Event()
    add(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        remove(descriptor)


class SerialTransport:
    """Carrier that reaches the head over a cable to one of its ports."""

    def __init__(self, device: str, baud: int = BAUD, open_port: OpenPort = BytePort) -> None:
        self._device, self._baud, self._open_port = device, baud, open_port

    def __str__(self) -> str:
        return self._device

    @asynccontextmanager
    async def open(self) -> AsyncIterator[TableChannel]:
        port = self._open_port(self._device, self._baud)
        try:
            line = SerialLine(port)
            async with asyncio.timeout(HANDSHAKE_S):
                await line.send(CHALLENGE_REQUEST)
            yield _SerialTableChannel(line)
        finally:
            port.close()


class _SerialTableChannel:
    frame_bytes = FRAME_BYTES
    handshake_s = HANDSHAKE_S

    def __init__(self, line: SerialLine) -> None:
        self._line = line
        self._challenged = False

    async def receive(self) -> bytes:
        """Return the next frame. Whatever comes before the first challenge, and repeated challenges, are skipped."""
        while True:
            frame = await self._line.receive()
            if frame.startswith(CHALLENGE_MAGIC) != self._challenged:
                self._challenged = True
                code = close_code(frame)
                if code is not None:
                    raise ChannelClosedError(code)
                return frame

    async def send(self, frame: bytes) -> None:
        await self._line.send(frame)
