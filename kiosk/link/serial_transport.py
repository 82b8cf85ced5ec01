"""The serial carrier at the table: a cable to one of the head's ports (``kiosk.link.serial_line``)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hardware.serial_byte_stream import BytePort
from kiosk.link.serial_framing import CHALLENGE_REQUEST, close_code, is_challenge
from kiosk.link.serial_line import BAUD, HANDSHAKE_S, OpenPort, SerialLine
from kiosk.link.transport_interfaces import ChannelClosedError, TableChannel

#: a tenth of a second at 115 200 baud, and short enough for a noisy line
FRAME_BYTES = 1024


class SerialCarrier:
    """Carrier that reaches the head over a cable to one of its ports."""

    def __init__(self, device: str, baud: int = BAUD, open_port: OpenPort = BytePort) -> None:
        self._device, self._baud, self._open_port = device, baud, open_port

    def __str__(self) -> str:
        return self._device

    @asynccontextmanager
    async def open(self) -> AsyncIterator[TableChannel]:
        port = self._open_port(self._device, self._baud)
        try:
            channel = _SerialTableChannel(SerialLine(port))
            await channel.request_challenge()
            yield channel
        finally:
            port.close()


class _SerialTableChannel:
    frame_bytes = FRAME_BYTES
    handshake_s = HANDSHAKE_S

    def __init__(self, line: SerialLine) -> None:
        self._line = line
        self._challenged = False

    async def request_challenge(self) -> None:
        async with asyncio.timeout(HANDSHAKE_S):
            await self._line.send(CHALLENGE_REQUEST)

    async def receive(self) -> bytes:
        """Return the next frame, skipping everything on the line before the answer to the knock, and repeated
        challenges.
        """
        while True:
            frame = await self._line.receive()
            if is_challenge(frame) != self._challenged:
                self._challenged = True
                code = close_code(frame)
                if code is not None:
                    raise ChannelClosedError(code)
                return frame

    async def send(self, frame: bytes) -> None:
        await self._line.send(frame)
