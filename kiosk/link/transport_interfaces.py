"""Interfaces of the transports, which move complete frames in order and may lose some.

The end of a channel is reported as ``ChannelClosedError`` or another ``OSError``.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol


class ChannelClosedError(ConnectionError):
    """Error for a connection that has ended. ``code``: the reason that the other side gave, from
    ``kiosk.link.no_connection_reasons``, or None.
    """

    def __init__(self, code: int | None = None) -> None:
        super().__init__(f"the connection is over ({code or 'no reason given'})")
        self.code = code


class Channel(Protocol):
    """One connection."""

    async def receive(self) -> bytes:
        """Return the next frame.

        :raises OSError: the connection has ended.
        """

    async def send(self, frame: bytes) -> None:
        """Send a frame and return when the transport has accepted all of it. Only one call at a time.

        :raises OSError: the connection has ended.
        """


class TableChannel(Channel, Protocol):
    """A connection at the table."""

    @property
    def frame_bytes(self) -> int:
        """Return the largest size of a frame of records here; a frame with a single record may be larger."""

    @property
    def handshake_s(self) -> float:
        """Return how long to wait for the head's part of the handshake, in seconds."""


class HeadChannel(Channel, Protocol):
    """A connection at the head."""

    def note_key_proved(self) -> None:
        """Note that the other side has proved that it has a key, so that the limits for unauthenticated clients end."""

    async def close(self, code: int) -> None:
        """Close the connection with a reason.

        :raises OSError: the connection has ended.
        """


class Transport(Protocol):
    """A transport from a table to its head."""

    def open(self) -> AbstractAsyncContextManager[TableChannel]:
        """Open a connection.

        :raises OSError: the head cannot be reached by this transport.
        :raises TimeoutError: no answer.
        """
