"""Who may hold a connection to the head, and for how long without asking for anything.

The law: connections wait in rooms, by what they have done so far: nothing, which a handshake of TLS is too; asked for a
page; begun to be a table. A
room that is full loses the oldest connection of the address that has most of them there, and no address fills a room
alone, so whoever comes new gets in. What the rooms do not take of the process's descriptors is kept for the link and
the disk. A connection that sends nothing, or its question or its body too slowly, is dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from kiosk.systems import open_files

log = logging.getLogger("kiosk.head")

#: descriptors that a head asks for, and those below which a large hall may be too large
WANTED, ENOUGH = 16_384, 4_096
#: a handshake of TLS has so long
HANDSHAKE_S = 5.0
#: a whole question has so long, and then its body (a list of players over the hall's radio)
QUESTION_S, BODY_S = 10.0, 120.0
#: a table has proved itself after so long, or the link has let it go
YOUNG_S = 30.0
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


class Door:
    """The rooms of one head, for the event loop alone."""

    def __init__(self, descriptors: int) -> None:
        self.silent = Room(min(descriptors // 8, 512))
        self.asking = Room(min(descriptors // 4, 4096))
        self.young = Room(min(descriptors // 8, 2048))
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

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._go_to(self._door.silent)
        self._wait_for(h11.IDLE)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.get_protocol() is not self:
            return  # a table now
        if self._room is self._door.silent and self.cycle is not None:
            self._go_to(self._door.asking)
        self._wait_for(self.conn.their_state)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait_for(None)  # from here on the server's own keep-alive counts, until something comes

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._go_to(None)
        self._wait_for(None)
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._go_to(None)
        self._wait_for(None)
        super().connection_lost(exc)

    def _go_to(self, room: Room | None) -> None:
        address = self.client[0] if self.client else ""
        if self._room is not None:
            self._room.leave(address, self)
        self._room = room
        if room is not None:
            room.enter(address, self, self.transport.abort)

    def _wait_for(self, state: object) -> None:
        """``state``: the other side's; what it still has to say has its time, which more bytes of it do not renew."""
        if state is self._waits_for:
            return
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._waits_for = state
        seconds = QUESTION_S if state is h11.IDLE else BODY_S if state is h11.SEND_BODY else None
        if seconds is not None:
            self._deadline = self.loop.call_later(seconds, self.transport.abort)


class _Linked(WebSocketsSansIOProtocol):
    """A table, or whoever says so: the link itself lets go of those that prove nothing."""

    def __init__(self, door: Door, **server: Any) -> None:
        super().__init__(**server)
        self._door = door
        self._grown: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._door.young.enter(self._address, self, self.transport.abort)
        self._grown = self.loop.call_later(YOUNG_S, self._door.young.leave, self._address, self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._door.young.leave(self._address, self)
        if self._grown is not None:
            self._grown.cancel()
        super().connection_lost(exc)

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""
