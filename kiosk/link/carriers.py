"""What a carrier is: it moves frames, whole and in order, and may lose them.

The law: a session knows no carrier and a carrier knows no session. Whatever ends a channel is said in one of two ways:
``ChannelClosedError`` (with the other side's reason, if it gave one) or another ``OSError``.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol


class ChannelClosedError(ConnectionError):
    """The connection is over. ``code``: a reason from ``kiosk.link.status`` that the other side gave, or None."""

    def __init__(self, code: int | None = None) -> None:
        super().__init__(f"the connection is over ({code or 'no reason given'})")
        self.code = code


class Channel(Protocol):
    """One connection."""

    async def receive(self) -> bytes:
        """The next frame.

        :raises OSError: the connection is over.
        """

    async def send(self, frame: bytes) -> None:
        """Returns when the carrier has taken all of it. One call at a time.

        :raises OSError: the connection is over.
        """


class TableChannel(Channel, Protocol):
    """A connection at the table."""

    @property
    def frame_bytes(self) -> int:
        """How large a frame of records may be here; a frame with a single record may be larger."""

    @property
    def handshake_s(self) -> float:
        """How long to wait for the head's part of the handshake."""


class HeadChannel(Channel, Protocol):
    """A connection at the head."""

    def proven(self) -> None:
        """The other side has proved that it has a key, so it is no stranger to whatever guards the connections."""

    async def close(self, code: int) -> None:
        """Says farewell with a reason.

        :raises OSError: the connection is over.
        """


class Carrier(Protocol):
    """A way from a table to its head."""

    def open(self) -> AbstractAsyncContextManager[TableChannel]:
        """:raises OSError: the head cannot be reached this way. :raises TimeoutError: nothing answers."""
