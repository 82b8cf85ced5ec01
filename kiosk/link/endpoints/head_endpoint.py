"""The head's end of the link: a WebSocket endpoint for all tables, and conversations over any other carrier.

- The event loop never waits for the store; every call that may touch a disk runs in a worker thread, one at a time for
  each table.
- A table number belongs to the holder of its key: a newly proven connection replaces an older one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected

from engine.i18n import say
from kiosk.link.errors import ProofError, RemoteProtocolError, VersionError
from kiosk.link.link_messages import Command, TroubleInfo
from kiosk.link.link_protocol import ConnectionState
from kiosk.link.link_session import HeadEvent, HeadSession, PingReceived, RecordRepeated, RecordsReceived, TableProven
from kiosk.link.no_connection_reasons import (
    CODE_REFUSED,
    CODE_REPLACED,
    CODE_SILENT,
    CODE_VERSIONS,
    key_refused,
    versions_differ,
)
from kiosk.link.transport_interfaces import (
    ChannelClosedError,
    HeadChannel,
    NoReplacedDevices,
    RecordSink,
    ReplacedDeviceHandler,
)

log = logging.getLogger(__name__)

READ_TIMEOUT_S = 6.0
#: store calls running at the same time; a store with group commit commits them together
WORKERS = 32
#: scope extension by which an ASGI server is notified that the other side has proved that it has a key
PROVEN = "kiosk.proven"

T = TypeVar("T")


class _ReplacedError(Exception):
    """Raised when the table has proved its key on a newer connection."""


class LinkEndpoint:
    """ASGI application: ``WebSocketRoute("/link", LinkEndpoint(collector))``. Give the server
    ``ws_max_size=kiosk.link.handshake_and_authentication.MAX_FRAME``, so that it accepts no larger message.
    """

    def __init__(self, collector: RecordSink, returned: ReplacedDeviceHandler | None = None) -> None:
        self.collector = collector
        self.returned = returned or NoReplacedDevices()
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="link")
        self._table_locks: dict[int, threading.Lock] = {}
        self._connections: dict[int, _Connection] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        await self.converse(_WebSocketChannel(socket))

    async def converse(self, channel: HeadChannel) -> None:
        """Run one conversation with the table at the other end, from the challenge to the close."""
        self._loop = asyncio.get_running_loop()
        connection = _Connection(self, channel)
        code: int | None = None
        try:
            await asyncio.create_task(connection.run())  # as in TableLink._connection
        except* _ReplacedError:
            code = CODE_REPLACED
        except* VersionError as group:
            code = CODE_VERSIONS
            self._tell_refused(group, versions_differ)
        except* ProofError as group:
            code = CODE_REFUSED
            self._tell_refused(group, key_refused)
        except* RemoteProtocolError:
            code = CODE_REFUSED
        except* TimeoutError:
            code = CODE_SILENT
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
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the server has stopped meanwhile
                loop.call_soon_threadsafe(self._wake, tables)

    def connected(self) -> list[int]:
        """Return the tables with an open connection."""
        return sorted(self._connections)

    def close(self) -> None:
        """Stop the worker threads, after the server has stopped."""
        self._workers.shutdown()

    def _wake(self, tables: Collection[int] | None) -> None:
        for table in self._connections if tables is None else tables:
            if (connection := self._connections.get(table)) is not None:
                connection.news.set()

    def _tell_refused(self, group: BaseExceptionGroup[Any], why: Callable[[int], TroubleInfo]) -> None:
        for error in group.exceptions:
            if isinstance(error, VersionError | ProofError) and self.collector.key(error.table) is not None:
                log.warning("%s", error)
                self.collector.note_rejected_device(error.table, why(error.table))

    def _admit(self, table: int, connection: _Connection) -> None:
        older = self._connections.get(table)
        self._connections[table] = connection
        if older is not None:
            older.replaced.set()

    def _forget(self, connection: _Connection) -> None:
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


def notify_key_proved(socket: WebSocket) -> None:
    """Tells the server, where it asks, that the other side has proved a key."""
    if (proven := socket.scope.get("extensions", {}).get(PROVEN)) is not None:
        proven()


class _WebSocketChannel:
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
            raise RemoteProtocolError(say("a table sends no text"))
        return frame

    async def send(self, frame: bytes) -> None:
        try:
            await self._socket.send_bytes(frame)
        except (WebSocketDisconnect, WebSocketDisconnected) as error:
            raise ChannelClosedError from error

    def note_key_proved(self) -> None:
        notify_key_proved(self._socket)

    async def close(self, code: int) -> None:
        try:
            await self._socket.close(code)
        except (WebSocketDisconnect, WebSocketDisconnected) as error:
            raise ChannelClosedError from error


class _Connection:
    def __init__(self, endpoint: LinkEndpoint, channel: HeadChannel) -> None:
        self.news = asyncio.Event()
        self.replaced = asyncio.Event()
        self._endpoint, self._channel = endpoint, channel
        self._collector = endpoint.collector
        self._returned = endpoint.returned
        self._session = HeadSession(self._collector.key, retired=self._returned.keys)
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
            tasks.create_task(self._leave_when_replaced())

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
        if isinstance(event, TableProven):
            self._channel.note_key_proved()
        match event:
            case TableProven(table, epoch, True):
                self._table, self._epoch, self._key = table, epoch, self._collector.key(table)
                self._retired = True
                self._session.welcome(await self._call(lambda: self._returned.last_committed_seq(table, epoch)))
            case RecordsReceived(records) if self._retired:
                self._quiet_pings = 0
                have = await self._call(lambda: self._returned.commit(self._table, self._epoch, records))
                self._session.committed(have, refused=have < records[-1].seq)
            case PingReceived() if self._retired:
                self._quiet_pings += 1
                if self._quiet_pings > 1:
                    raise _ReplacedError  # all its records have been read
            case TableProven(table, epoch):
                self._table, self._epoch, self._key = table, epoch, self._collector.key(table)
                self._endpoint._admit(table, self)
                self._session.welcome(await self._call(lambda: self._collector.last_committed_seq(table, epoch)))
                self.news.set()
            case RecordsReceived(records):
                have = await self._call(lambda: self._collector.commit(self._table, self._epoch, records))
                self._session.committed(have, refused=have < records[-1].seq)
            case RecordRepeated(record) if not self._retired:
                await self._call(lambda: self._collector.compare(self._table, self._epoch, record))
            case PingReceived(health):
                self._collector.note_alive(self._table, health)
                self._session.send_commands(await self._pending(), again=True)

    def _check_key(self) -> None:
        """End the conversation if its key was revoked or changed."""
        if self._table and self._collector.key(self._table) != self._key:
            raise RemoteProtocolError(say("the key of table {table} was revoked", table=self._table))

    async def _pending(self) -> list[Command]:
        """Return the pending commands, from memory where possible, so that a stop reaches all tables in one pass of the
        event loop.
        """
        known = self._collector.cached_commands(self._table)
        return await self._call(lambda: self._collector.pending(self._table)) if known is None else known

    async def _push_commands(self) -> None:
        while True:
            await self.news.wait()
            self.news.clear()
            pending = await self._pending()
            if self._session.state is ConnectionState.OPEN:
                self._session.send_commands(pending)
                await self._flush()

    async def _leave_when_replaced(self) -> None:
        await self.replaced.wait()
        raise _ReplacedError

    async def _call(self, call: Callable[[], T]) -> T:
        return await self._endpoint.in_worker(self._table, call)

    async def _flush(self) -> None:
        """Send the outgoing frames in the order of their counters, whichever task made them."""
        async with asyncio.timeout(READ_TIMEOUT_S), self._sending:
            for frame in self._session.outgoing():
                await self._channel.send(frame)
