"""Per-address limits of connections, body sizes and response times of the head's server.

Connections are counted in three groups: silent (no request yet, which includes a TLS handshake), asking (HTTP requests)
and young (WebSockets that have not proved a key). Each group has a limit, and one address may use at most half of it. A
full group drops the oldest connection of the address that has most of them, so a new connection is always accepted. The
limits leave enough of the process's file descriptors for the link and the disk. A connection that sends nothing, or
sends its request or body too slowly, is dropped.

A request head has few lines, a body is not sent in chunks, and the next request comes after the response. Bytes are
limited in the same way: the bodies being received have a limit in total and for each address, and a response
that is not read is dropped. A WebSocket that has proved no key may send few frames and has a small write buffer. No
WebSocket may send fragmented messages, and received frames are parsed a little at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import ssl
import sys
import time
from asyncio import sslproto
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import ProtocolError
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from kiosk.link.endpoints.head_endpoint import PROVEN

log = logging.getLogger("kiosk.head")

#: file descriptors that a head requests, and the number that a large hall needs
WANTED, ENOUGH = 16_384, 4_096
#: time limit of a TLS handshake
HANDSHAKE_S = 5.0
#: time limit of a request head, and then of its body (a player list over slow Wi-Fi)
QUESTION_S, BODY_S = 10.0, 120.0
#: a connection is dropped if nothing of a response was read for this time
UNREAD_S = 20.0
#: a WebSocket is dropped this long after its close frame, read or not
FAREWELL_S = 3.0
#: bytes of the buffer for what is read of a TLS connection; asyncio's own is eight times as large
TLS_BUFFER = 32 * 1024
#: bytes and lines of a request head
HEAD, HEAD_LINES = 32 * 1024, 100
#: total bytes of bodies that are being received or processed; half of them from one address
BODIES = 128 * 1024 * 1024
#: limit of unread bytes sent to a WebSocket: before it has proved a key, and after
UNPROVEN_BUFFER, PROVEN_BUFFER = 64 * 1024, 1024 * 1024
#: burst and rate of control frames; before the proof, of frames of every kind
FRAMES, FRAMES_PER_S = 64, 1.0
#: bytes of frames that are parsed before the event loop runs other tasks
PIECE = 4096
#: interval of log messages about connections that could not be accepted
SAY_S = 60.0


_BLANK_LINE = re.compile(rb"\n\r?\n")

sslproto.SSLProtocol.max_size = TLS_BUFFER


class FairLimit:
    """A limit of ``most`` connections, or bytes of request bodies, half of them from one address. Above it the largest
    of the address that has most is dropped, or of equal ones the oldest."""

    def __init__(self, most: int) -> None:
        self.most, self.total = most, 0
        self._sums: Counter[str] = Counter()
        self._by_address: dict[str, dict[object, tuple[int, Callable[[], object]]]] = defaultdict(dict)

    def add(self, address: str, who: object, out: Callable[[], object], count: int = 1) -> None:
        """Count ``count`` more for ``who``; ``out`` drops it."""
        here = self._by_address[address]
        here[who] = here.get(who, (0, out))[0] + count, out
        self.total += count
        self._sums[address] += count
        if self._sums[address] > self.most // 2:
            self._drop(address)
        elif self.total > self.most:
            self._drop(max(self._sums, key=self._sums.__getitem__))

    def remove(self, address: str, who: object) -> None:
        here = self._by_address.get(address, {})
        count, _ = here.pop(who, (0, None))
        self.total -= count
        self._sums[address] -= count
        if not here:
            del self._sums[address]
            self._by_address.pop(address, None)

    def _drop(self, address: str) -> None:
        here = self._by_address[address]
        largest = max(here, key=lambda who: here[who][0])
        out = here[largest][1]
        self.remove(address, largest)
        out()


class ConnectionLimiter:
    """The connection limits of one head; used on its event loop only."""

    def __init__(self, descriptors: int) -> None:
        self.silent = FairLimit(min(descriptors // 8, 512))
        self.asking = FairLimit(min(descriptors // 4, 4096))
        self.young = FairLimit(min(descriptors // 8, 2048))
        self.bodies = FairLimit(BODIES)
        self._said_s = -SAY_S
        self._untold = 0

    def protocols(self, certificate: ssl.SSLContext | None) -> dict[str, Any]:
        """Return the protocol classes of a server, bound to these limits; ``certificate``: the server's, for TLS."""
        http = partial(_HttpConnection, self) if certificate is None else partial(_TlsHandshake, self, certificate)
        return {"http": http, "ws": partial(_WebSocketConnection, self)}

    def log_accept_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log connections that could not be accepted once a minute; asyncio would log each with a traceback."""
        if "socket.accept" not in str(context.get("message")):
            loop.default_exception_handler(context)
            return
        self._untold += 1
        if time.monotonic() - self._said_s >= SAY_S:
            error, sizes = context.get("exception"), [group.total for group in (self.silent, self.asking, self.young)]
            log.error("%d connections could not be accepted: %s; in the groups: %s", self._untold, error, sizes)
            self._said_s, self._untold = time.monotonic(), 0


class _TlsHandshake(asyncio.Protocol):
    """A connection during its TLS handshake, which asyncio's own TLS server would not report."""

    def __init__(self, limiter: ConnectionLimiter, certificate: ssl.SSLContext, **server: Any) -> None:
        self._limiter, self._certificate = limiter, certificate
        self._asking = partial(_HttpConnection, limiter, **server)
        self._early = b""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        transport.pause_reading()  # start_tls must read the first bytes
        address = str((transport.get_extra_info("peername") or ("",))[0])
        shaking = asyncio.get_running_loop().create_task(self._shake(transport))
        shaking.add_done_callback(partial(self._shaken, transport, address))
        self._limiter.silent.add(address, shaking, shaking.cancel)

    def data_received(self, data: bytes) -> None:
        """Keep what arrived together with the end of the handshake."""
        self._early += data

    async def _shake(self, transport: asyncio.Transport) -> asyncio.Transport | None:
        with contextlib.suppress(OSError):  # the client does not speak TLS, or too slowly
            return await asyncio.get_running_loop().start_tls(
                transport, self, self._certificate, server_side=True, ssl_handshake_timeout=HANDSHAKE_S
            )
        return None

    def _shaken(self, below: asyncio.Transport, address: str, shaking: asyncio.Task[asyncio.Transport | None]) -> None:
        self._limiter.silent.remove(address, shaking)
        if shaking.cancelled() or (transport := shaking.result()) is None or below.is_closing():
            below.abort()
            return
        asking = self._asking()
        transport.set_protocol(asking)
        asking.connection_made(transport)
        if self._early:
            asking.data_received(self._early)


class _HttpConnection(H11Protocol):
    """An HTTP connection, until it becomes a WebSocket."""

    def __init__(self, limiter: ConnectionLimiter, **server: Any) -> None:
        super().__init__(**server)
        self._limiter = limiter
        self._group: FairLimit | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._waits_for: object = None
        self._unread: asyncio.TimerHandle | None = None
        self._head = bytearray()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._move_to(self._limiter.silent)
        self._wait_for(h11.IDLE)

    def data_received(self, data: bytes) -> None:
        if self.conn.their_state is h11.IDLE and not self._is_head_allowed(data):
            self._head.clear()
            self.send_400_response("a shorter request, with Content-Length")
            return
        super().data_received(data)
        if self.transport.get_protocol() is not self:
            return  # upgraded to a WebSocket
        if self.conn.their_state is h11.DONE and self.conn.trailing_data[0]:
            self.transport.abort()  # no browser sends a request before it has read the last response
            return
        if self.cycle is not None and not self.cycle.response_complete and self.conn.their_state is not h11.IDLE:
            self._limiter.bodies.add(_address(self), self, self.transport.abort, len(data))
        if self._group is self._limiter.silent and self.cycle is not None:
            self._move_to(self._limiter.asking)
        self._wait_for(self.conn.their_state)

    def _is_head_allowed(self, data: bytes) -> bool:
        """Check a request head before it is parsed: each line and each chunk of a body takes time of the event loop."""
        self._head += data
        end = _BLANK_LINE.search(self._head)
        head = bytes(self._head if end is None else self._head[: end.end()])
        if end is not None:
            self._head.clear()
        return head.count(b"\n") <= HEAD_LINES and b"transfer-encoding" not in head.lower()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._check_read(sys.maxsize)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._unread)
        self._unread = None

    def _check_read(self, before: int) -> None:
        """Drop the connection if the client read nothing of the response; ``before``: unread bytes at the last
        check."""
        waiting = self.transport.get_write_buffer_size()
        if waiting >= before:
            self.transport.abort()
        else:
            self._unread = self.loop.call_later(UNREAD_S, self._check_read, waiting)

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        if self._unread is None and self.transport.get_write_buffer_size():
            self._check_read(sys.maxsize)

    def on_response_complete(self) -> None:
        self._limiter.bodies.remove(_address(self), self)
        super().on_response_complete()
        self._wait_for(None)  # uvicorn's keep-alive timeout applies until the next request

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._move_to(None)
        self._wait_for(None)
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._move_to(None)
        self._wait_for(None)
        _cancel(self._unread)
        self._unread = None
        self._limiter.bodies.remove(_address(self), self)
        super().connection_lost(exc)

    def _move_to(self, group: FairLimit | None) -> None:
        if self._group is not None:
            self._group.remove(_address(self), self)
        self._group = group
        if group is not None:
            group.add(_address(self), self, self.transport.abort)

    def _wait_for(self, state: object) -> None:
        """Start the deadline of the client's ``state``; further bytes in the same state do not renew it."""
        if state is self._waits_for:
            return
        _cancel(self._deadline)
        self._deadline = None
        self._waits_for = state
        seconds = QUESTION_S if state is h11.IDLE else BODY_S if state is h11.SEND_BODY else None
        if seconds is not None:
            self._deadline = self.loop.call_later(seconds, self.transport.abort)


def _address(connection: H11Protocol | WebSocketsSansIOProtocol) -> str:
    return connection.client[0] if connection.client else ""


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


class _LimitedFrames(ServerProtocol):
    """A WebSocket protocol that refuses fragmented messages and limits the rate of control frames.

    ``proven``: whether the other side has proved a key; until then frames of every kind are counted.
    """

    def __init__(self, most: int | None, logger: logging.Logger) -> None:
        super().__init__(max_size=most, logger=logger)
        self.proven = False
        self._left, self._counted_s = float(FRAMES), time.monotonic()

    def recv_frame(self, frame: Frame) -> None:
        if frame.opcode is Opcode.CONT or not frame.fin:
            raise ProtocolError("a message comes whole here")
        if not (self.proven and frame.opcode in (Opcode.TEXT, Opcode.BINARY)):
            now_s = time.monotonic()
            self._left = min(FRAMES, self._left + (now_s - self._counted_s) * FRAMES_PER_S) - 1
            self._counted_s = now_s
            if self._left < 0:
                raise ProtocolError("too many frames")
        super().recv_frame(frame)


class _WebSocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket connection; it counts as unproven until the link knows its key."""

    conn: _LimitedFrames

    def __init__(self, limiter: ConnectionLimiter, **server: Any) -> None:
        super().__init__(**server)
        self.conn = _LimitedFrames(self.config.ws_max_size, self.logger)
        self._limiter = limiter
        self._early = bytearray()
        self._turn: asyncio.Handle | None = None
        self._farewell: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.set_write_buffer_limits(UNPROVEN_BUFFER)
        self._limiter.young.add(_address(self), self, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._limiter.young.remove(_address(self), self)
        self._early.clear()
        super().connection_lost(exc)
        _cancel(self._farewell)
        self._farewell = None

    def handle_connect(self, event: Request) -> None:
        """Refuse a WebSocket that a page of another site opens from a browser in the hall."""
        origin = event.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != event.headers.get("Host"):
            self.handshake_complete = self.close_sent = True
            self.conn.send_response(self.conn.reject(HTTPStatus.FORBIDDEN, "a page of another site\n"))
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()
            self._abort_later()
            return
        super().handle_connect(event)
        if not self.close_sent:
            extensions: Any = self.scope["extensions"]
            extensions[PROVEN] = self._prove

    def _prove(self) -> None:
        """Record that the other side has proved a key."""
        self.conn.proven = True
        self._limiter.young.remove(_address(self), self)

    def pause_writing(self) -> None:
        super().pause_writing()
        if not self.conn.proven:
            self.transport.abort()

    def handle_ping(self) -> None:
        super().handle_ping()
        if self.transport.get_write_buffer_size() > PROVEN_BUFFER:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Parse one piece of the data in each turn of the event loop; nothing more is read meanwhile."""
        self._early += data
        self._feed_piece()

    def _feed_piece(self) -> None:
        if not self.read_paused and not self.transport.is_closing():
            piece = bytes(self._early[:PIECE])
            del self._early[:PIECE]
            super().data_received(piece)
        self._schedule()

    def _schedule(self) -> None:
        """Schedule the next piece or resume reading, unless the link has not received the last message yet."""
        if not self._early:
            if not self.read_paused:
                self.transport.resume_reading()
            return
        self.transport.pause_reading()
        if not self.read_paused and self._turn is None and not self.transport.is_closing():
            self._turn = self.loop.call_soon(self._feed_next)

    def _feed_next(self) -> None:
        self._turn = None
        if self._early:
            self._feed_piece()

    async def receive(self) -> Any:
        message = await super().receive()
        self._schedule()
        return message

    async def send(self, message: Any) -> None:
        await super().send(message)
        if message["type"] == "websocket.close":
            self._schedule()
            self._abort_later()

    def handle_parser_exception(self) -> None:
        super().handle_parser_exception()
        self._abort_later()

    def handle_close(self, event: Frame) -> None:
        super().handle_close(event)
        self._abort_later()

    async def run_asgi(self) -> None:
        await super().run_asgi()
        self._abort_later()

    def _abort_later(self) -> None:
        """Drop the connection after ``FAREWELL_S``: ``close`` would wait forever for a peer that never reads."""
        if self._farewell is None and not self.disconnected:
            self._farewell = self.loop.call_later(FAREWELL_S, self.transport.abort)
