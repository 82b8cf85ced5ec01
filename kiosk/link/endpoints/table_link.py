"""The table's end of the link: a thread that keeps a connection with the head while any transport reaches it.

- The table's main loop never waits for it. The thread reads the outbox, makes its callbacks itself, and reconnects
  without limit.
- Silence of 6 s means a dead connection.
- Every connection begins with what the head has committed, so a change of transport loses and duplicates nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from kiosk.link import link_session, no_connection_reasons
from kiosk.link.errors import RemoteProtocolError
from kiosk.link.link_messages import Command, Health, TableRecord, TroubleInfo
from kiosk.link.link_session import TableEvent, TableSession
from kiosk.link.link_states_and_checked_envelopes import ConnectionState
from kiosk.link.transport_interfaces import ChannelClosedError, TableChannel, Transport
from kiosk.stoppable_thread import call_soon

log = logging.getLogger(__name__)

PING_S = 2.0
READ_TIMEOUT_S = 6.0
FIRST_BACKOFF_S, MAX_BACKOFF_S = 0.25, 5.0

OnCommand = Callable[[Command], None]
#: whether the link is up, and if not why (None: this side stopped it)
OnStatus = Callable[[bool, TroubleInfo | None], None]


class RecordOutbox(Protocol):
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


class _EpochChangedError(Exception):
    """Raised when the journal has lost records and its epoch differs from the session's."""


class TableLink:
    """Thread that sends a table's journal to the head and the head's commands to the table.

    ``transports`` are tried in this order, with a failure moving on to the next. ``on_command``, ``on_status`` and
    ``health`` are called in the link's thread. Call ``wake`` when records have become durable. ``stop`` ends the
    thread; a link is not started twice. ``via`` is the transport in use, None if there is none.
    """

    def __init__(
        self,
        transports: Sequence[Transport],
        table: int,
        key: bytes,
        outbox: RecordOutbox,
        *,
        on_command: OnCommand,
        on_status: OnStatus,
        health: Callable[[], Health] = Health,
        uniform: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._transports = tuple(transports)
        self._table, self._key, self._outbox = table, key, outbox
        self._on_command, self._on_status, self._health = on_command, on_status, health
        self._uniform = uniform
        self._reported: tuple[bool, str | None] | None = None
        self._backoff_s = FIRST_BACKOFF_S
        self._failed_in_a_row = 0
        self.via: Transport | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._stopped = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="link", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Signal that the outbox has new records. Can be called from any thread; never blocks."""
        call_soon(self._loop, lambda: self._news.set())

    def stop(self, timeout_s: float = 5.0) -> None:
        """Close the connection and join the thread."""
        self._stopped.set()
        if not self._thread.is_alive():
            return
        self._ready.wait(timeout_s)
        call_soon(self._loop, self.end)
        self._thread.join(timeout_s)

    def end(self) -> None:
        """End ``keep_connected``, from its own event loop. Cancelling its task is not enough: up to Python 3.12 a task
        group drops a cancellation that arrives while it ends with an error, as when the head dies at that moment.
        """
        self._stopped.set()
        if self._main is not None:
            self._main.cancel()

    # --- the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            with contextlib.suppress(asyncio.CancelledError):
                asyncio.run(self.keep_connected())
        finally:
            self._loop = None
            self._report_status(False, None)

    async def keep_connected(self) -> None:
        """Run the connection loop of the thread; a program with its own event loop runs it there, until ``end``."""
        self._news = asyncio.Event()
        self._loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        self._ready.set()
        attempt = 0
        while not self._stopped.is_set():
            transport = self._transports[attempt % len(self._transports)]
            why = await self._connection(transport)
            self.via = None
            if self._stopped.is_set():
                break
            if why is None:
                continue
            log.info("%s: %s", transport, why.text)
            self._report_status(False, why)
            self._failed_in_a_row += 1
            attempt += 1
            if why is no_connection_reasons.REPLACED:
                self._backoff_s = MAX_BACKOFF_S  # two devices with one number must not keep replacing each other
            elif self._failed_in_a_row % len(self._transports):
                continue  # try the next transport
            await asyncio.sleep(self._backoff_s * self._uniform(0.5, 1.0))
            self._backoff_s = min(2 * self._backoff_s, MAX_BACKOFF_S)

    async def _connection(self, transport: Transport) -> TroubleInfo | None:
        """Run one connection from beginning to end; return why it ended, None to reconnect at once."""
        why: TroubleInfo | None = None
        try:
            async with transport.open() as channel:
                # In a task of its own: a task group that failed can leave its task counted as cancelled, and up to
                # Python 3.11.2 (Debian 12) asyncio.timeout raises CancelledError in such a task. Closing the channel
                # uses a timeout, and so does the next connection.
                await asyncio.create_task(_TableConnection(self, transport, channel).run())
        except* _EpochChangedError:
            pass
        except* RemoteProtocolError:
            why = no_connection_reasons.DISAGREES
        except* TimeoutError:
            why = no_connection_reasons.SILENT
        except* OSError as group:
            why = _why_closed(group)
        return why

    def _report_status(self, up: bool, why: TroubleInfo | None) -> None:
        report = (up, why.kind if why else None)
        if report != self._reported:
            self._reported = report
            self._on_status(up, why)

    def _note_open(self, transport: Transport) -> None:
        self.via = transport
        self._backoff_s = FIRST_BACKOFF_S
        self._failed_in_a_row = 0
        self._report_status(True, None)


class _TableConnection:
    """One connection with three tasks: receive, send, ping. The first that fails ends all."""

    def __init__(self, link: TableLink, transport: Transport, channel: TableChannel) -> None:
        self._link, self._transport, self._channel = link, transport, channel
        self._outbox = link._outbox
        self._session = TableSession(link._table, self._outbox.epoch, link._key, frame_bytes=channel.frame_bytes)
        self._epoch = self._outbox.epoch

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen())
            tasks.create_task(self._send())
            tasks.create_task(self._ping())

    async def _listen(self) -> None:
        while True:
            is_open = self._session.state is ConnectionState.OPEN
            async with asyncio.timeout(READ_TIMEOUT_S if is_open else min(READ_TIMEOUT_S, self._channel.handshake_s)):
                frame = await self._channel.receive()
            for event in self._session.receive(frame):
                self._handle(event)
            want = self._session.sendable_records()
            if self._session.has_outgoing or (want is not None and self._outbox.last_seq() > want[0]):
                self._link._news.set()

    def _handle(self, event: TableEvent) -> None:
        match event:
            case link_session.Opened(have):
                self._acknowledge(have)
                self._link._note_open(self._transport)
                self._session.ping(self._link._health())
            case link_session.RecordsAcknowledged(have):
                self._acknowledge(have)
            case link_session.CommandReceived(command):
                self._link._on_command(command)
            case link_session.VersionsDiffer(oldest, newest):
                log.warning("the head speaks protocol versions %d to %d; install the same version", oldest, newest)

    def _acknowledge(self, have: int) -> None:
        self._outbox.acknowledged(have)
        if self._outbox.epoch != self._epoch:
            raise _EpochChangedError

    async def _send(self) -> None:
        """Send frames; the only task that sends, so that they leave in the order of their counters. Records are encoded
        one frame at a time, and messages of the head are handled in between.
        """
        while True:
            await self._link._news.wait()
            self._link._news.clear()
            while frames := self._frames():
                for frame in frames:
                    await self._channel.send(frame)

    def _frames(self) -> list[bytes]:
        if (want := self._session.sendable_records()) and (records := self._outbox.records_after(*want)):
            self._session.send_records(records)
        return self._session.outgoing()

    async def _ping(self) -> None:
        # spreads the pings of tables that reconnect at the same moment
        await asyncio.sleep(self._link._uniform(0, PING_S))
        while True:
            if self._session.state is ConnectionState.OPEN:
                self._session.ping(self._link._health())
                self._link._news.set()
            await asyncio.sleep(PING_S)


def _why_closed(group: BaseExceptionGroup[OSError]) -> TroubleInfo:
    codes = {error.code for error in group.exceptions if isinstance(error, ChannelClosedError)}
    reasons = (why for code, why in no_connection_reasons.BY_CODE.items() if code in codes)
    return next(reasons, no_connection_reasons.UNREACHABLE)
