"""Serial ports of the head; each serves the table that proves its key on it."""

from __future__ import annotations

import asyncio
import contextlib
import logging

from hardware.serial_byte_stream import BytePort, PortError
from kiosk.link import serial_framing_and_transport as serial
from kiosk.link.endpoints.head_endpoint import LinkEndpoint
from kiosk.link.transport_interfaces import ChannelClosedError

log = logging.getLogger(__name__)

#: seconds between attempts to open a missing port
REOPEN_S = 1.0
#: close frame to a table whose connection the head does not know, for example after a restart
BEGIN_AGAIN = serial.close_frame(0)


class SerialPorts:
    """Serial ports of the head. Each serves the table that proves its key on it; ``run`` runs until it is cancelled."""

    def __init__(
        self, endpoint: LinkEndpoint, devices: list[str], baud: int = serial.BAUD, open_port: serial.OpenPort = BytePort
    ) -> None:
        self._endpoint, self._devices, self._baud, self._open_port = endpoint, devices, baud, open_port

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for device in self._devices:
                tasks.create_task(self._serve(device))

    async def _serve(self, device: str) -> None:
        reported = ""
        while True:
            try:
                port = self._open_port(device, self._baud)
            except PortError as error:
                if str(error) != reported:
                    reported = str(error)
                    log.warning("%s", reported)
            else:
                reported = ""
                log.info("serial port %s is open", device)
                try:
                    await self._serve_line(serial.SerialLine(port))
                except PortError as error:
                    log.warning("%s", error)
                finally:
                    port.close()
            await asyncio.sleep(REOPEN_S)

    async def _serve_line(self, line: serial.SerialLine) -> None:
        """Serve one connection after another."""
        while True:
            frame = await line.receive()
            while frame == serial.CHALLENGE_REQUEST:
                channel = _SerialHeadChannel(line)
                await self._endpoint.serve(channel)
                frame = channel.ended_by
            if frame:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(serial.HANDSHAKE_S):
                        await line.send(BEGIN_AGAIN)


class _SerialHeadChannel:
    """One connection. ``ended_by`` is the challenge request that began the next one, or empty."""

    def __init__(self, line: serial.SerialLine) -> None:
        self._line = line
        self._challenge: bytes | None = None
        self._proving = True
        self.ended_by = b""

    async def receive(self) -> bytes:
        while True:
            frame = await self._line.receive()
            if frame != serial.CHALLENGE_REQUEST:
                self._proving = False
                return frame
            if not self._proving:
                self.ended_by = frame
                raise ChannelClosedError
            if self._challenge is not None:  # several requests of a waiting table get one answer
                await self._line.send(self._challenge)

    async def send(self, frame: bytes) -> None:
        if self._challenge is None:
            self._challenge = frame
        await self._line.send(frame)

    def note_key_proved(self) -> None:
        """Nobody else is at the other end of a cable."""

    async def close(self, code: int) -> None:
        await self._line.send(serial.close_frame(code))
