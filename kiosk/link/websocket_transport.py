"""The table's transport over the network: one binary WebSocket message is one frame."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidURI, WebSocketException
from websockets.uri import parse_uri

from engine.i18n import raised_as, say
from kiosk.link.errors import AddressError, RemoteProtocolError
from kiosk.link.message_macs_versions_handshake import MAX_FRAME
from kiosk.link.transport_interfaces import ChannelClosedError, TableChannel

OPEN_TIMEOUT_S = 6.0


def checked_url(url: str) -> str:
    """Return the URL if it is a WebSocket URL.

    :raises AddressError: it is not.
    """
    with raised_as(AddressError, say("{why}; write it like ws://192.168.0.10:8000/link"), InvalidURI):
        parse_uri(url)
    return url


class WebSocketTransport:
    """Carrier that reaches the head by its URL, without a proxy, because the head is on the hall's LAN, and without
    keepalive, because the session has its own pings.

    :raises AddressError: the URL is not a WebSocket URL.
    """

    def __init__(self, url: str) -> None:
        self._url = checked_url(url)

    def __str__(self) -> str:
        return self._url

    @asynccontextmanager
    async def open(self) -> AsyncIterator[TableChannel]:
        try:
            socket = await connect(
                self._url,
                proxy=None,
                compression=None,
                max_size=MAX_FRAME,
                ping_interval=None,
                open_timeout=OPEN_TIMEOUT_S,
                close_timeout=0.5,
            )
        except WebSocketException as error:
            raise ConnectionError(str(error)) from error
        async with socket:
            yield _WebSocketTableChannel(socket)


class _WebSocketTableChannel:
    frame_bytes = MAX_FRAME
    handshake_s = OPEN_TIMEOUT_S

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def receive(self) -> bytes:
        try:
            frame = await self._socket.recv()
        except ConnectionClosed as error:
            raise _closed_error(error) from error
        if isinstance(frame, str):
            raise RemoteProtocolError.saying("the head sent text; check the address")
        return frame

    async def send(self, frame: bytes) -> None:
        try:
            await self._socket.send(frame)
        except ConnectionClosed as error:
            raise _closed_error(error) from error


def _closed_error(error: ConnectionClosed) -> ChannelClosedError:
    return ChannelClosedError(error.rcvd.code if error.rcvd else None)
