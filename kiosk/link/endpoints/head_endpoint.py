"""The head's end of the link: a WebSocket endpoint for all tables, which also serves other transports.

- The event loop never waits for the store; every call that may touch a disk runs in a worker thread, one at a time for
  each table.
- A table number belongs to the holder of its key: a newly proven connection replaces an older one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected

from kiosk.link import no_connection_reasons
from kiosk.link.errors import ProofError, RemoteProtocolError, VersionError
from kiosk.link.link_messages import Command, Health, TableRecord, TroubleInfo
from kiosk.link.link_session import HeadEvent, HeadSession, PingReceived, RecordRepeated, RecordsReceived, TableProven
from kiosk.link.link_states_and_checked_envelopes import ConnectionState
from kiosk.link.transport_interfaces import ChannelClosedError, HeadChannel
from kiosk.stoppable_thread import call_soon

log = logging.getLogger(__name__)

READ_TIMEOUT_S = 6.0
#: store calls running at the same time; a store with group commit commits them together
WORKERS = 32
#: scope extension by which an ASGI server is notified that the other side has proved that it has a key
PROVEN = "kiosk.proven"

T = TypeVar("T")


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
        """Return the commands whose ``command`` record has not been committed, oldest first. Called on the event loop:
        a look-up in memory, so that a stop reaches all tables in one pass.
        """

    def note_rejected_device(self, table: int, why: TroubleInfo) -> None:
        """Note that a device claiming a table's number was rejected. Anyone in the hall can cause this: it may be
        reported and must change nothing. Called on the event loop.
        """

    def note_alive(self, table: int, health: Health) -> None:
        """Note that the table is alive. Called on the event loop with every ping."""


class _ReplacedError(Exception):
    """Raised when the table has proved its key on a newer connection."""


class LinkEndpoint:
    """ASGI application: ``WebSocketRoute("/link", LinkEndpoint(collector))``. Give the server
    ``ws_max_size=kiosk.link.message_macs_versions_handshake.MAX_FRAME``, so that it accepts no larger message.
    """

    def __init__(self, collector: RecordSink, replaced_devices: ReplacedDeviceHandler | None = None) -> None:
        self.collector = collector
        self.replaced_devices = replaced_devices
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="link")
        self._table_locks: dict[int, threading.Lock] = {}
        self._connections: dict[int, _HeadConnection] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        await self.serve(WebSocketChannel(socket))

    async def serve(self, channel: HeadChannel) -> None:
        """Serve the table at the other end of a connection, from the challenge to the close."""
        self._loop = asyncio.get_running_loop()
        connection = _HeadConnection(self, channel)
        code: int | None = None
        try:
            await asyncio.create_task(connection.run())  # as in TableLink._connection
        except* _ReplacedError:
            code = no_connection_reasons.CODE_REPLACED
        except* VersionError as group:
            code = no_connection_reasons.CODE_VERSIONS
            self._report_refusal(group, no_connection_reasons.versions_differ)
        except* ProofError as group:
            code = no_connection_reasons.CODE_REFUSED
            self._report_refusal(group, no_connection_reasons.key_refused)
        except* RemoteProtocolError:
            code = no_connection_reasons.CODE_REFUSED
        except* TimeoutError:
            code = no_connection_reasons.CODE_SILENT
        except* OSError:
            pass
        finally:
            self._forget(connection)
        if code is not None:
            with contextlib.suppress(OSError):
                async with asyncio.timeout(READ_TIMEOUT_S):
                    await channel.close(code)

    def wake(self, tables: Collection[int] | None = None) -> None:
        """Signal that there are new commands for these tables (None: perhaps for all). Can be called from any thread;
        never blocks.
        """
        call_soon(self._loop, self._wake, tables)

    def connected(self) -> list[int]:
        """Return the tables with an open connection."""
        return sorted(self._connections)

    def close(self) -> None:
        """Stop the worker threads, after the server has stopped."""
        self._workers.shutdown()

    def _wake(self, tables: Collection[int] | None) -> None:
        for table in self._connections if tables is None else tables:
            if (connection := self._connections.get(table)) is not None:
                connection.has_commands.set()

    def _report_refusal(self, group: BaseExceptionGroup[Any], why: Callable[[int], TroubleInfo]) -> None:
        for error in group.exceptions:
            if isinstance(error, VersionError | ProofError) and self.collector.key(error.table) is not None:
                log.warning("%s", error)
                self.collector.note_rejected_device(error.table, why(error.table))

    def _admit(self, table: int, connection: _HeadConnection) -> None:
        older = self._connections.get(table)
        self._connections[table] = connection
        if older is not None:
            older.replaced.set()
            if older._key == connection._key and older._epoch != connection._epoch:
                self.collector.note_rejected_device(table, no_connection_reasons.two_devices(table))

    def _forget(self, connection: _HeadConnection) -> None:
        for table in [number for number, known in self._connections.items() if known is connection]:
            del self._connections[table]

    async def in_worker(self, table: int, call: Callable[[], T]) -> T:
        """Run a store call in a worker thread. The lock is held in that thread, so a commit of a replaced connection
        ends before the new connection asks what is committed.
        """
        lock = self._table_locks.setdefault(table, threading.Lock())

        def locked() -> T:
            with lock:
                return call()

        return await asyncio.get_running_loop().run_in_executor(self._workers, locked)


class WebSocketChannel:
    """A ``HeadChannel`` over an accepted WebSocket."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket

    async def receive(self) -> bytes:
        try:
            message = await self._socket.receive()
        except WebSocketDisconnected as error:
            raise ChannelClosedError from error
        if message["type"] == "websocket.disconnect":
            raise ChannelClosedError(message.get("code"))
        frame = message.get("bytes")
        if not isinstance(frame, bytes):
            raise RemoteProtocolError.saying("a table sends no text")
        return frame

    async def send(self, frame: bytes) -> None:
        try:
            await self._socket.send_bytes(frame)
        except (WebSocketDisconnect, WebSocketDisconnected) as error:
            raise ChannelClosedError from error

    def note_key_proved(self) -> None:
        """Tell the server, if it asks for that, that the other side has proved a key."""
        if (proven := self._socket.scope.get("extensions", {}).get(PROVEN)) is not None:
            proven()

    async def close(self, code: int) -> None:
        try:
            await self._socket.close(code)
        except (WebSocketDisconnect, WebSocketDisconnected) as error:
            raise ChannelClosedError from error


class _HeadConnection:
    def __init__(self, endpoint: LinkEndpoint, channel: HeadChannel) -> None:
        self.has_commands = asyncio.Event()
        self.replaced = asyncio.Event()
        self._endpoint, self._channel = endpoint, channel
        self._collector = endpoint.collector
        self._replaced_devices = endpoint.replaced_devices
        retired = self._replaced_devices.keys if self._replaced_devices else None
        self._session = HeadSession(self._collector.key, retired=retired)
        #: where the records go: to the table's, or to those of a replaced device
        self._sink: RecordSink | ReplacedDeviceHandler = self._collector
        self._retired = False
        self._quiet_pings = 0
        self._sending = asyncio.Lock()
        self._table = 0
        self._epoch = ""
        self._key: bytes | None = None

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen())
            tasks.create_task(self._push_commands())
            tasks.create_task(self._end_when_replaced())

    async def _listen(self) -> None:
        await self._flush()
        while True:
            async with asyncio.timeout(READ_TIMEOUT_S):
                frame = await self._channel.receive()
            for event in self._session.receive(frame):
                self._check_key()
                await self._handle(event)
            await self._flush()

    async def _handle(self, event: HeadEvent) -> None:
        match event:
            case TableProven(table, epoch, retired):
                self._channel.note_key_proved()
                self._table, self._epoch, self._key = table, epoch, self._collector.key(table)
                if retired:
                    assert self._replaced_devices is not None, "it knew the key"
                    self._sink, self._retired = self._replaced_devices, True
                else:
                    self._endpoint._admit(table, self)
                self._session.welcome(await self._call(lambda: self._sink.last_committed_seq(table, epoch)))
                if not retired:
                    self.has_commands.set()
            case RecordsReceived(records):
                self._quiet_pings = 0
                have = await self._call(lambda: self._sink.commit(self._table, self._epoch, records))
                self._session.committed(have, refused=have < records[-1].seq)
            case PingReceived() if self._retired:
                self._quiet_pings += 1
                if self._quiet_pings > 1:
                    raise _ReplacedError  # all its records have been read
            case RecordRepeated(record) if not self._retired:
                await self._call(lambda: self._collector.compare(self._table, self._epoch, record))
            case PingReceived(health):
                self._collector.note_alive(self._table, health)
                self._session.send_commands(self._collector.pending(self._table), again=True)

    def _check_key(self) -> None:
        """End the connection if its key was revoked or changed."""
        if self._table and self._collector.key(self._table) != self._key:
            raise RemoteProtocolError.saying("the key of table {table} was revoked", table=self._table)

    async def _push_commands(self) -> None:
        while True:
            await self.has_commands.wait()
            self.has_commands.clear()
            if self._session.state is ConnectionState.OPEN:
                self._session.send_commands(self._collector.pending(self._table))
                await self._flush()

    async def _end_when_replaced(self) -> None:
        await self.replaced.wait()
        raise _ReplacedError

    async def _call(self, call: Callable[[], T]) -> T:
        return await self._endpoint.in_worker(self._table, call)

    async def _flush(self) -> None:
        """Send the outgoing frames in the order of their counters, whichever task made them."""
        async with asyncio.timeout(READ_TIMEOUT_S), self._sending:
            for frame in self._session.outgoing():
                await self._channel.send(frame)
