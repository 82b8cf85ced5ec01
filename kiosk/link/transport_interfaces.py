"""Interfaces of the carriers, which move complete frames in order and may lose some.

Sessions and carriers are independent of each other. The end of a channel is reported as ``ChannelClosedError`` (with
the other side's reason, if it gave one) or another ``OSError``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from kiosk.link.link_messages import Command, Health, TableRecord, TroubleInfo


class ChannelClosedError(ConnectionError):
    """Error for a connection that has ended. ``code``: a reason from ``kiosk.link.no_connection_reasons`` that the
    other side
    gave, or
    None.
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
        """Send a frame and return when the carrier has accepted all of it. Only one call at a time.

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

        :raises OSError: the head cannot be reached by this carrier.
        :raises TimeoutError: no answer.
        """


# Interfaces that the link needs from the table program and the head program.


class CommandSource(Protocol):
    """The table's journal as the link uses it. Called in the link's thread."""

    @property
    def epoch(self) -> str:
        """Return the name of this journal. It changes when the journal detects that it lost saved records."""

    def last_seq(self) -> int:
        """Return the number of the last durable record."""

    def records_after(self, seq: int, limit: int) -> list[TableRecord]:
        """Return the durable records seq + 1 …, at most ``limit``."""

    def acknowledged(self, seq: int) -> None:
        """Note that the head has committed 1..seq. May exceed what was ever offered, if this journal lost records."""


class ReplacedDeviceHandler(Protocol):
    """The head's handling of replaced devices that reconnect. Their records do not count for the table; missing ones
    are kept for the arbiter.
    """

    def keys(self, table: int) -> Sequence[bytes]:
        """Return the keys of devices that were replaced at a table. Called on the event loop: a look-up in memory."""

    def last_committed_seq(self, table: int, epoch: str) -> int:
        """Return the last known record of the replaced device. Called in a worker thread."""

    def commit(self, table: int, epoch: str, records: list[TableRecord]) -> int:
        """Store the records that follow, and return the new ``have``. Called in a worker thread."""


class NoReplacedDevices:
    """Handler of a head whose keys are not in a file, where no device is ever replaced."""

    def keys(self, table: int) -> Sequence[bytes]:
        return ()

    def last_committed_seq(self, table: int, epoch: str) -> int:
        raise AssertionError("no key, no proof")

    def commit(self, table: int, epoch: str, records: list[TableRecord]) -> int:
        raise AssertionError("no key, no proof")


class RecordSink(Protocol):
    """The head's store as the link uses it."""

    def key(self, table: int) -> bytes | None:
        """Return the table's key, None if there is no such table. Called on the event loop: a look-up in memory."""

    def last_committed_seq(self, table: int, epoch: str) -> int:
        """Return the last committed seq of (table, epoch), 0 for a new epoch. Called in a worker thread."""

    def commit(self, table: int, epoch: str, records: list[TableRecord]) -> int:
        """Store what follows the last committed row, ignore what exists already, and return the new ``have`` when it
        is durable. Records that are too many for now may be left out; they are sent again. Called in a worker thread,
        never twice at a time for one table.
        """

    def compare(self, table: int, epoch: str, record: TableRecord) -> None:
        """Note if a record that the table sent again is not the one that is stored. Called in a worker thread."""

    def pending(self, table: int) -> list[Command]:
        """Return the commands whose ``command`` record has not been committed, oldest first. Called in a worker
        thread.
        """

    def cached_commands(self, table: int) -> list[Command] | None:
        """Return the pending commands from memory; None: call ``pending``. Called on the event loop."""

    def note_rejected_device(self, table: int, why: TroubleInfo) -> None:
        """Note that a device claiming a table's number was rejected. Anyone in the hall can cause this: it may be
        reported and must change nothing. Called on the event loop.
        """

    def note_alive(self, table: int, health: Health) -> None:
        """Note that the table is alive. Called on the event loop with every ping."""
