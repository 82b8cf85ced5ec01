"""The network carrier at the table: one thread that keeps a WebSocket to the head while there is a head.

The law: the table's loop never waits for it. It reads the outbox, calls back in its own thread, connects again for
ever, and takes silence of 6 s for a dead connection. One binary WebSocket message is one frame.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections.abc import Callable

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidURI, WebSocketException
from websockets.uri import parse_uri

from kiosk.link.errors import AddressError, RemoteProtocolError
from kiosk.link.frames import MAX_FRAME
from kiosk.link.messages import Command, Health, TroubleInfo
from kiosk.link.ports import Outbox
from kiosk.link.protocol import State
from kiosk.link.session import Acknowledged, CommandReceived, Opened, TableEvent, TableSession
from kiosk.link.status import CODE_REFUSED, CODE_REPLACED, DISAGREES, REFUSED, REPLACED, SILENT, UNREACHABLE

PING_S = 2.0
READ_TIMEOUT_S = 6.0
FIRST_BACKOFF_S, MAX_BACKOFF_S = 0.25, 5.0

OnCommand = Callable[[Command], None]
#: up or not, and if not why (None: this side stopped)
OnStatus = Callable[[bool, TroubleInfo | None], None]


class _EpochChangedError(Exception):
    """The journal found that it lost records; the session's epoch is not its epoch any more."""


class NetworkLink:
    """Carries a table's journal to the head and the head's commands to the table.

    ``on_command``, ``on_status`` and ``health`` are called in the link's thread. Call ``wake`` when records became
    durable. ``stop`` ends the thread; a link is not started twice.

    :raises AddressError: the URL is not one of a WebSocket.
    """

    def __init__(
        self,
        url: str,
        table: int,
        key: bytes,
        outbox: Outbox,
        *,
        on_command: OnCommand,
        on_status: OnStatus,
        health: Callable[[], Health] = Health,
    ) -> None:
        try:
            parse_uri(url)
        except InvalidURI as error:
            raise AddressError(f"{error}; write it like ws://192.168.0.10:8000/link") from None
        self._url, self._table, self._key, self._outbox = url, table, key, outbox
        self._on_command, self._on_status, self._health = on_command, on_status, health
        self._told: tuple[bool, str | None] | None = None
        self._backoff_s = FIRST_BACKOFF_S
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._stopped = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="link", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """There is something new in the outbox. From any thread, never blocks."""
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop closed meanwhile
                loop.call_soon_threadsafe(self._news.set)

    def stop(self, timeout_s: float = 5.0) -> None:
        """Closes the connection and joins the thread."""
        self._stopped.set()
        if not self._thread.is_alive():
            return
        self._ready.wait(timeout_s)
        loop, main = self._loop, self._main
        if loop is not None and main is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(main.cancel)
        self._thread.join(timeout_s)

    # --- the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            with contextlib.suppress(asyncio.CancelledError):
                asyncio.run(self._keep_connected())
        finally:
            self._loop = None
            self._tell(False, None)

    async def _keep_connected(self) -> None:
        self._news = asyncio.Event()
        self._loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        self._ready.set()
        while not self._stopped.is_set():
            why = await self._connection()
            if why is None:
                continue
            self._tell(False, why)
            if why is REPLACED:
                self._backoff_s = MAX_BACKOFF_S  # two devices with one number must not push each other out all day
            await asyncio.sleep(self._backoff_s * random.uniform(0.5, 1.0))
            self._backoff_s = min(2 * self._backoff_s, MAX_BACKOFF_S)

    async def _connection(self) -> TroubleInfo | None:
        """One connection from beginning to end; why it ended, None to connect again at once."""
        why: TroubleInfo | None = None
        try:
            # A hall's head is on the hall's LAN: no proxy. Silence is noticed by our own pings.
            async with connect(
                self._url,
                proxy=None,
                compression=None,
                max_size=MAX_FRAME,
                ping_interval=None,
                open_timeout=READ_TIMEOUT_S,
                close_timeout=0.5,
            ) as socket:
                await _Conversation(self, socket).run()
        except* _EpochChangedError:
            pass
        except* RemoteProtocolError:
            why = DISAGREES
        except* ConnectionClosed as group:
            why = _why_closed(group)
        except* TimeoutError:
            why = SILENT
        except* (OSError, WebSocketException):
            why = UNREACHABLE
        return why

    def _tell(self, up: bool, why: TroubleInfo | None) -> None:
        told = (up, why.kind if why else None)
        if told != self._told:
            self._told = told
            self._on_status(up, why)

    def _opened(self) -> None:
        self._backoff_s = FIRST_BACKOFF_S
        self._tell(True, None)


class _Conversation:
    """One connection: a task that listens, one that sends, one that pings. The first that fails ends all."""

    def __init__(self, link: NetworkLink, socket: ClientConnection) -> None:
        self._link, self._socket = link, socket
        self._outbox = link._outbox
        self._session = TableSession(link._table, self._outbox.epoch, link._key)
        self._epoch = self._outbox.epoch

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen())
            tasks.create_task(self._send())
            tasks.create_task(self._ping())

    async def _listen(self) -> None:
        while True:
            async with asyncio.timeout(READ_TIMEOUT_S):
                frame = await self._socket.recv()
            if isinstance(frame, str):
                raise RemoteProtocolError("the head sent text; check the address")
            for event in self._session.receive(frame):
                self._handle(event)
            self._link._news.set()

    def _handle(self, event: TableEvent) -> None:
        match event:
            case Opened(have):
                self._acknowledge(have)
                self._link._opened()
                self._session.ping(self._link._health())
            case Acknowledged(have):
                self._acknowledge(have)
            case CommandReceived(command):
                self._link._on_command(command)

    def _acknowledge(self, have: int) -> None:
        self._outbox.acknowledged(have)
        if self._outbox.epoch != self._epoch:
            raise _EpochChangedError

    async def _send(self) -> None:
        """The only task that sends, so that frames leave in the order of their counters."""
        while True:
            await self._link._news.wait()
            self._link._news.clear()
            while (want := self._session.wants()) and (records := self._outbox.records_after(*want)):
                self._session.send_records(records)
            for frame in self._session.outgoing():
                await self._socket.send(frame)

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(PING_S)
            if self._session.state is State.OPEN:
                self._session.ping(self._link._health())
                self._link._news.set()


def _why_closed(group: BaseExceptionGroup[ConnectionClosed]) -> TroubleInfo:
    codes = {error.rcvd.code for error in group.exceptions if isinstance(error, ConnectionClosed) and error.rcvd}
    if CODE_REFUSED in codes:
        return REFUSED
    return REPLACED if CODE_REPLACED in codes else UNREACHABLE
