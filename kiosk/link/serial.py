"""The serial carrier at both ends: frames as ``kiosk.link.serial_framing`` lays them out.

The law: a line has no connections, so the table knocks to begin a conversation and the head says farewell when it ended
one. A line loses frames and never changes them; the session asks again for what is missing. Sending waits for the line,
so what is on its way is never more than one frame and the port's own buffer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from hardware.serial_bytes import BytePort, PortError
from kiosk.link.carriers import ChannelClosedError, TableChannel
from kiosk.link.endpoint import LinkEndpoint
from kiosk.link.serial_framing import KNOCK, Unframer, encode, farewell, farewell_code, is_challenge

log = logging.getLogger(__name__)

BAUD = 115_200
#: a tenth of a second at 115 200 baud, and short enough to come through a noisy line
FRAME_BYTES = 1024
HANDSHAKE_S = 2.0
#: the head looks so often for a port that is not there
REOPEN_S = 1.0
#: the farewell to a table that goes on with a conversation the head does not know (it was restarted)
BEGIN_AGAIN = farewell(0)


class _Line:
    """Frames over one open port."""

    def __init__(self, port: BytePort) -> None:
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


async def _ready(port: BytePort, add: Callable[..., object], remove: Callable[[int], object]) -> None:
    """Waits until the port can be read, or written."""
    descriptor = port.fileno()
    ready = asyncio.Event()
    add(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        remove(descriptor)


# --- at the table ------------------------------------------------------------------------------------------------


class SerialCarrier:
    """Reaches the head over a cable that ends at one of its ports."""

    def __init__(self, device: str, baud: int = BAUD) -> None:
        self._device, self._baud = device, baud

    def __str__(self) -> str:
        return self._device

    @asynccontextmanager
    async def open(self) -> AsyncIterator[TableChannel]:
        port = BytePort(self._device, self._baud)
        try:
            channel = _SerialTableChannel(_Line(port))
            await channel.knock()
            yield channel
        finally:
            port.close()


class _SerialTableChannel:
    frame_bytes = FRAME_BYTES
    handshake_s = HANDSHAKE_S

    def __init__(self, line: _Line) -> None:
        self._line = line
        self._challenged = False

    async def knock(self) -> None:
        async with asyncio.timeout(HANDSHAKE_S):
            await self._line.send(KNOCK)

    async def receive(self) -> bytes:
        """Passes over what was on the line before the knock was heard, and the challenge's repetitions."""
        while True:
            frame = await self._line.receive()
            if is_challenge(frame) != self._challenged:
                self._challenged = True
                code = farewell_code(frame)
                if code is not None:
                    raise ChannelClosedError(code)
                return frame

    async def send(self, frame: bytes) -> None:
        await self._line.send(frame)


# --- at the head -------------------------------------------------------------------------------------------------


class SerialPorts:
    """The head's serial ports. Each serves whichever table proves its key there; ``run`` until it is cancelled."""

    def __init__(self, endpoint: LinkEndpoint, devices: list[str], baud: int = BAUD) -> None:
        self._endpoint, self._devices, self._baud = endpoint, devices, baud

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for device in self._devices:
                tasks.create_task(self._serve(device))

    async def _serve(self, device: str) -> None:
        told = ""
        while True:
            try:
                port = BytePort(device, self._baud)
            except PortError as error:
                if str(error) != told:
                    told = str(error)
                    log.warning("%s", told)
            else:
                told = ""
                log.info("serial port %s is open", device)
                try:
                    await self._converse(_Line(port))
                except PortError as error:
                    log.warning("%s", error)
                finally:
                    port.close()
            await asyncio.sleep(REOPEN_S)

    async def _converse(self, line: _Line) -> None:
        """Serves one conversation after another."""
        while True:
            frame = await line.receive()
            while frame == KNOCK:
                channel = _SerialHeadChannel(line)
                await self._endpoint.converse(channel)
                frame = channel.ended_by
            if frame:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(HANDSHAKE_S):
                        await line.send(BEGIN_AGAIN)


class _SerialHeadChannel:
    """One conversation. ``ended_by`` is the knock that began the next one, or empty."""

    def __init__(self, line: _Line) -> None:
        self._line = line
        self._challenge: bytes | None = None
        self._proving = True
        self.ended_by = b""

    async def receive(self) -> bytes:
        while True:
            frame = await self._line.receive()
            if frame != KNOCK:
                self._proving = False
                return frame
            if not self._proving:
                self.ended_by = frame
                raise ChannelClosedError
            if self._challenge is not None:  # the knocks of a table that waited for us get one answer
                await self._line.send(self._challenge)

    async def send(self, frame: bytes) -> None:
        if self._challenge is None:
            self._challenge = frame
        await self._line.send(frame)

    async def close(self, code: int) -> None:
        await self._line.send(farewell(code))
