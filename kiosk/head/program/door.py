"""Who may hold a connection to the head, and for how long without asking for anything.

The law: connections wait in rooms, by what they have done so far: nothing, which a handshake of TLS is too; asked for a
page; begun to be a table. A
room that is full loses the oldest connection of the address that has most of them there, and no address fills a room
alone, so whoever comes new gets in. What the rooms do not take of the process's descriptors is kept for the link and
the disk. A connection that sends nothing, or its question or its body too slowly, is dropped.

Bytes are limited as connections are: bodies that are on their way have a sum in total and for each address, and an
answer that is not read is dropped. A WebSocket that has proved no key has few frames and a small write buffer. No
WebSocket sends a message in pieces, and what one sends is taken apart a little at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
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

from kiosk.link.ends.endpoint import PROVEN
from kiosk.systems import open_files

log = logging.getLogger("kiosk.head")

#: descriptors that a head asks for, and those below which a large hall may be too large
WANTED, ENOUGH = 16_384, 4_096
#: a handshake of TLS has so long
HANDSHAKE_S = 5.0
#: a whole question has so long, and then its body (a list of players over the hall's radio)
QUESTION_S, BODY_S = 10.0, 120.0
#: an answer of which nothing was read for so long is dropped
UNREAD_S = 20.0
#: a WebSocket is gone so long after its farewell, read or not
FAREWELL_S = 3.0
#: bytes of all bodies that are being received or answered; half of them from one address
BODIES = 128 * 1024 * 1024
#: bytes that wait to be read by a WebSocket: before it has proved a key, and after
UNPROVEN_BUFFER, PROVEN_BUFFER = 64 * 1024, 1024 * 1024
#: control frames at once, and more of them in a second; before the proof frames of every kind
FRAMES, FRAMES_PER_S = 64, 1.0
#: bytes of frames that are taken apart before the event loop looks after others
PIECE = 4096
#: what cannot be accepted is said so often
SAY_S = 60.0


def descriptors() -> int:
    """How many this process may have; raised to ``WANTED`` as far as it is allowed to."""
    return open_files(WANTED)


@dataclass(slots=True)
class Room:
    """``most`` connections, half of them from one address. Each is its way out."""

    most: int
    _by_address: dict[str, dict[object, Callable[[], object]]] = field(default_factory=lambda: defaultdict(dict))
    _all: int = 0

    def enter(self, address: str, who: object, out: Callable[[], object]) -> None:
        """``who`` may be the reason why an older one has to leave."""
        self._by_address[address][who] = out
        self._all += 1
        if len(self._by_address[address]) > self.most // 2:
            self._drop(address)
        elif self._all > self.most:
            self._drop(max(self._by_address, key=lambda one: len(self._by_address[one])))

    def leave(self, address: str, who: object) -> None:
        there = self._by_address.get(address, {})
        if there.pop(who, None) is not None:
            self._all -= 1
            if not there:
                del self._by_address[address]

    def __len__(self) -> int:
        return self._all

    def _drop(self, address: str) -> None:
        oldest = next(iter(self._by_address[address]))
        out = self._by_address[address][oldest]
        self.leave(address, oldest)
        out()


class Bodies:
    """``most`` bytes of bodies, half of them from one address. Who has too many loses the largest."""

    def __init__(self, most: int) -> None:
        self.most, self.total = most, 0
        self._sums: Counter[str] = Counter()
        self._by_address: dict[str, dict[object, tuple[int, Callable[[], object]]]] = defaultdict(dict)

    def add(self, address: str, who: object, count: int, out: Callable[[], object]) -> None:
        """``who`` has so many bytes more; ``out`` drops it."""
        here = self._by_address[address]
        here[who] = here.get(who, (0, out))[0] + count, out
        self.total += count
        self._sums[address] += count
        if self._sums[address] > self.most // 2:
            self._drop(address)
        elif self.total > self.most:
            self._drop(max(self._sums, key=self._sums.__getitem__))

    def leave(self, address: str, who: object) -> None:
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
        self.leave(address, largest)
        out()


class Door:
    """The rooms of one head, for the event loop alone."""

    def __init__(self, descriptors: int) -> None:
        self.silent = Room(min(descriptors // 8, 512))
        self.asking = Room(min(descriptors // 4, 4096))
        self.young = Room(min(descriptors // 8, 2048))
        self.bodies = Bodies(BODIES)
        self._said_s = -SAY_S
        self._untold = 0

    def protocols(self, certificate: ssl.SSLContext | None) -> dict[str, Any]:
        """What a server is given, so that its connections pass here; ``certificate``: the server's, for TLS."""
        http = partial(_Asking, self) if certificate is None else partial(_Shaking, self, certificate)
        return {"http": http, "ws": partial(_Linked, self)}

    def not_accepted(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """asyncio tells each connection that it could not accept, with a traceback: once a minute is enough."""
        if "socket.accept" not in str(context.get("message")):
            loop.default_exception_handler(context)
            return
        self._untold += 1
        if time.monotonic() - self._said_s >= SAY_S:
            error, rooms = context.get("exception"), [len(room) for room in (self.silent, self.asking, self.young)]
            log.error("%d connections could not be accepted: %s; in the rooms: %s", self._untold, error, rooms)
            self._said_s, self._untold = time.monotonic(), 0


class _Shaking(asyncio.Protocol):
    """Whoever has not finished the handshake of TLS, of whom asyncio's own server of TLS would tell nobody."""

    def __init__(self, door: Door, certificate: ssl.SSLContext, **server: Any) -> None:
        self._door, self._certificate = door, certificate
        self._asking = partial(_Asking, door, **server)
        self._early = b""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        transport.pause_reading()  # the first bytes are the handshake's
        address = str((transport.get_extra_info("peername") or ("",))[0])
        shaking = asyncio.get_running_loop().create_task(self._shake(transport))
        shaking.add_done_callback(partial(self._shaken, transport, address))
        self._door.silent.enter(address, shaking, shaking.cancel)

    def data_received(self, data: bytes) -> None:
        """What came in one piece with the handshake's end."""
        self._early += data

    async def _shake(self, transport: asyncio.Transport) -> asyncio.Transport | None:
        with contextlib.suppress(OSError):  # no TLS, or too slowly: the other side's affair
            return await asyncio.get_running_loop().start_tls(
                transport, self, self._certificate, server_side=True, ssl_handshake_timeout=HANDSHAKE_S
            )
        return None

    def _shaken(self, below: asyncio.Transport, address: str, shaking: asyncio.Task[asyncio.Transport | None]) -> None:
        self._door.silent.leave(address, shaking)
        if shaking.cancelled() or (transport := shaking.result()) is None or below.is_closing():
            below.abort()
            return
        asking = self._asking()
        transport.set_protocol(asking)
        asking.connection_made(transport)
        if self._early:
            asking.data_received(self._early)


class _Asking(H11Protocol):
    """A browser, or whoever has not said yet that it is a table."""

    def __init__(self, door: Door, **server: Any) -> None:
        super().__init__(**server)
        self._door = door
        self._room: Room | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._waits_for: object = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._go_to(self._door.silent)
        self._wait_for(h11.IDLE)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.get_protocol() is not self:
            return  # a table now
        if self.cycle is not None and not self.cycle.response_complete and self.conn.their_state is not h11.IDLE:
            self._door.bodies.add(self._address, self, len(data), self.transport.abort)
        if self._room is self._door.silent and self.cycle is not None:
            self._go_to(self._door.asking)
        self._wait_for(self.conn.their_state)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look_whether_read(sys.maxsize)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._unread)
        self._unread = None

    def _look_whether_read(self, before: int) -> None:
        """``before``: how much was not read when this was looked at last."""
        waiting = self.transport.get_write_buffer_size()
        if waiting >= before:
            self.transport.abort()
        else:
            self._unread = self.loop.call_later(UNREAD_S, self._look_whether_read, waiting)

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        if self._unread is None and self.transport.get_write_buffer_size():
            self._look_whether_read(sys.maxsize)

    def on_response_complete(self) -> None:
        self._door.bodies.leave(self._address, self)
        super().on_response_complete()
        self._wait_for(None)  # from here on the server's own keep-alive counts, until something comes

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._go_to(None)
        self._wait_for(None)
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._go_to(None)
        self._wait_for(None)
        _cancel(self._unread)
        self._unread = None
        self._door.bodies.leave(self._address, self)
        super().connection_lost(exc)

    def _go_to(self, room: Room | None) -> None:
        if self._room is not None:
            self._room.leave(self._address, self)
        self._room = room
        if room is not None:
            room.enter(self._address, self, self.transport.abort)

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def _wait_for(self, state: object) -> None:
        """``state``: the other side's; what it still has to say has its time, which more bytes of it do not renew."""
        if state is self._waits_for:
            return
        _cancel(self._deadline)
        self._deadline = None
        self._waits_for = state
        seconds = QUESTION_S if state is h11.IDLE else BODY_S if state is h11.SEND_BODY else None
        if seconds is not None:
            self._deadline = self.loop.call_later(seconds, self.transport.abort)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


class _WholeFrames(ServerProtocol):
    """Frames of a WebSocket that sends no message in pieces, and control frames only now and then.

    ``proven``: whether it has proved a key; until then frames of every kind are counted.
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


class _Linked(WebSocketsSansIOProtocol):
    """A table, or whoever says so: it stays among the unproven until the link knows its key."""

    conn: _WholeFrames

    def __init__(self, door: Door, **server: Any) -> None:
        super().__init__(**server)
        self.conn = _WholeFrames(self.config.ws_max_size, self.logger)
        self._door = door
        self._early = bytearray()
        self._turn: asyncio.Handle | None = None
        self._farewell: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.set_write_buffer_limits(UNPROVEN_BUFFER)
        self._door.young.enter(self._address, self, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._door.young.leave(self._address, self)
        self._early.clear()
        super().connection_lost(exc)
        _cancel(self._farewell)
        self._farewell = None

    def handle_connect(self, event: Request) -> None:
        """A page of another site may not open a WebSocket here from a browser in the hall."""
        origin = event.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != event.headers.get("Host"):
            self.handshake_complete = self.close_sent = True
            self.conn.send_response(self.conn.reject(HTTPStatus.FORBIDDEN, "a page of another site\n"))
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()
            self._leave_soon()
            return
        super().handle_connect(event)
        if not self.close_sent:
            extensions: Any = self.scope["extensions"]
            extensions[PROVEN] = self._prove

    def _prove(self) -> None:
        """The other side has proved that it has a key."""
        self.conn.proven = True
        self._door.young.leave(self._address, self)

    def pause_writing(self) -> None:
        super().pause_writing()
        if not self.conn.proven:
            self.transport.abort()

    def handle_ping(self) -> None:
        super().handle_ping()
        if self.transport.get_write_buffer_size() > PROVEN_BUFFER:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Of what came at once, one piece is taken apart in each turn of the event loop; nothing more is read
        meanwhile."""
        self._early += data
        self._take()

    def _take(self) -> None:
        if not self.read_paused and not self.transport.is_closing():
            piece = bytes(self._early[:PIECE])
            del self._early[:PIECE]
            super().data_received(piece)
        self._go_on()

    def _go_on(self) -> None:
        """Takes the next piece in its turn, or reads again, unless the link has not taken the last message yet."""
        if not self._early:
            if not self.read_paused:
                self.transport.resume_reading()
            return
        self.transport.pause_reading()
        if not self.read_paused and self._turn is None and not self.transport.is_closing():
            self._turn = self.loop.call_soon(self._take_turn)

    def _take_turn(self) -> None:
        self._turn = None
        if self._early:
            self._take()

    async def receive(self) -> Any:
        message = await super().receive()
        self._go_on()
        return message

    async def send(self, message: Any) -> None:
        await super().send(message)
        if message["type"] == "websocket.close":
            self._go_on()
            self._leave_soon()

    def handle_parser_exception(self) -> None:
        super().handle_parser_exception()
        self._leave_soon()

    def handle_close(self, event: Frame) -> None:
        super().handle_close(event)
        self._leave_soon()

    async def run_asgi(self) -> None:
        await super().run_asgi()
        self._leave_soon()

    def _leave_soon(self) -> None:
        """``close`` waits until everything is read; somebody who never reads would stay for good."""
        if self._farewell is None and not self.disconnected:
            self._farewell = self.loop.call_later(FAREWELL_S, self.transport.abort)

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""
