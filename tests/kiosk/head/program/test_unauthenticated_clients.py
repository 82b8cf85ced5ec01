"""Tests that clients without a key or a sign-in cost the head a bounded number of bytes, frames and descriptors."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h11
import httpx
import pytest
from heads.world import running_head
from waiting import until
from websockets.frames import Frame
from websockets.server import ServerProtocol

from kiosk.head.program import connection_and_traffic_limits, head_application
from kiosk.head.program.connection_and_traffic_limits import FairLimit
from kiosk.head.program.head_application import HeadApplication

Head = tuple[HeadApplication, str]


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Head]:
    """A head with its usual limits, and its address."""
    with running_head(tmp_path_factory.mktemp("head")) as running:
        yield running


HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: head\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{more}\r\n"
)
TEXT, BINARY, PING, CONTINUATION, FIN = 1, 2, 9, 0, 0x80


def frame(first: int, payload: bytes = b"") -> bytes:
    """Return a masked frame of less than 126 bytes; the mask is zero."""
    return bytes((first, 0x80 | len(payload))) + bytes(4) + payload


@contextlib.contextmanager
def connected(url: str, said: bytes = b"", address: str = "127.0.0.1", room: int = 0) -> Iterator[socket.socket]:
    """Connect and send these bytes. ``room``: receive buffer of the kernel for the answers."""
    host, port = url.removeprefix("http://").split(":")
    with socket.socket() as one:
        if room:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        one.settimeout(5)
        one.bind((address, 0))
        one.connect((host, int(port)))
        one.sendall(said)
        yield one


def handshake_request(path: str, more: str = "") -> bytes:
    return HANDSHAKE.format(path=path, more=more).encode()


def answered(one: socket.socket, enough: bytes = b"\r\n\r\n") -> bytes:
    """Return the head's answer up to so many bytes, or to its end."""
    heard = b""
    with contextlib.suppress(ConnectionError):
        while enough not in heard and (some := one.recv(65536)):
            heard += some
    return heard


def is_over(one: socket.socket) -> bool:
    """Check whether the head has closed the connection."""
    try:
        one.setblocking(False)
        return not one.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def connections(head: HeadApplication) -> int:
    return len(head._servers[0].server_state.connections)


BINARY_FRAME, PROTOCOL_ERROR = FIN | BINARY, (1002).to_bytes(2, "big")
TINY = {
    "fragments": frame(BINARY) + 2000 * frame(CONTINUATION),
    "a continuation of nothing": frame(FIN | CONTINUATION),
    "pings": 2000 * frame(FIN | PING),
    "empty messages": 2000 * frame(BINARY_FRAME),
}


@pytest.mark.parametrize("path", ["/link", "/enrol"])
@pytest.mark.parametrize("tiny", TINY.values(), ids=TINY)
def test_tiny_frames_end_the_connection_after_the_first_few(usual: Head, path: str, tiny: bytes) -> None:
    parsed, (head, url) = 0, usual

    def counted(self: ServerProtocol, one: Frame) -> None:
        nonlocal parsed
        parsed += 1
        recv_frame(self, one)

    recv_frame = ServerProtocol.recv_frame
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ServerProtocol, "recv_frame", counted)
        with connected(url, handshake_request(path)) as one:
            answered(one)
            with contextlib.suppress(ConnectionError):
                one.sendall(tiny)
            answered(one, b"no such thing")
            until(lambda: not connections(head))
    assert parsed <= 64


CHUNKED = b"POST /service HTTP/1.1\r\nHost: head\r\nTransfer-Encoding: chunked\r\n\r\n" + 20_000 * b"1\r\na\r\n"
COSTLY = {
    "chunks of one byte": (CHUNKED,),
    "their head in pieces": (CHUNKED[:30], CHUNKED[30:60], CHUNKED[60:]),
    "six thousand lines": (b"GET / HTTP/1.1\r\nHost: head\r\n" + 6000 * b"X: y\r\n" + b"\r\n",),
    "lines without an end": (b"GET / HTTP/1.1\r\nHost: head\r\n" + 6000 * b"X: y\r\n",),
}


@pytest.mark.parametrize("costly", COSTLY.values(), ids=COSTLY)
def test_requests_that_are_costly_to_parse_are_refused_unparsed(
    usual: Head, monkeypatch: pytest.MonkeyPatch, costly: tuple[bytes, ...]
) -> None:
    """Each chunk and each header line takes time of the event loop: 300 ms for a body of 120 kB."""
    parsed, normalize, next_event = 0, h11._headers.normalize_and_validate, h11.Connection.next_event

    def counted(headers: Any, _parsed: bool = False) -> Any:
        nonlocal parsed
        parsed += len(headers)
        return normalize(headers, _parsed)

    def event(self: h11.Connection) -> Any:
        nonlocal parsed
        parsed += 1
        return next_event(self)

    monkeypatch.setattr(h11._events, "normalize_and_validate", counted)
    monkeypatch.setattr(h11.Connection, "next_event", event)
    head, url = usual
    with connected(url) as one:
        with contextlib.suppress(ConnectionError):
            for piece in costly:
                one.sendall(piece)
        assert not answered(one, b"no such thing").startswith((b"HTTP/1.1 2", b"HTTP/1.1 3"))
        until(lambda: not connections(head))
    assert parsed < 200


def test_pipelined_requests_are_refused(usual: Head) -> None:
    """Of a thousand requests in one packet at most one is answered; sent one after the other, all are."""
    request = b"GET /live.json HTTP/1.1\r\nHost: head\r\n\r\n"
    head, url = usual
    with connected(url, 1000 * request) as one:
        assert answered(one, b"no such thing").count(b"HTTP/1.1 200") <= 1
    with httpx.Client(base_url=url) as web:
        assert [web.get("/live.json").status_code for _ in range(20)] == 20 * [200]
        assert connections(head) == 1


def test_a_websocket_that_pings_and_never_reads_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pings are allowed, unread answers fill only the kernel's buffers and one of the head's.

    The kernel's buffers have a fixed size here: it lets them grow to many megabytes while the head is slow.
    """
    monkeypatch.setattr(connection_and_traffic_limits, "FRAMES", 1_000_000, raising=False)
    pings = 80 * frame(FIN | PING, bytes(120))
    with running_head(tmp_path) as (head, url):
        until(lambda: head._servers[0].started)
        for listener in head._servers[0].servers[0].sockets:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        with connected(url, room=4096) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
            one.sendall(handshake_request("/enrol"))
            sent = 0
            with contextlib.suppress(ConnectionError):
                while sent < 1_000_000:
                    one.sendall(pings)
                    sent += len(pings)
    assert sent < 1_000_000


def test_the_number_of_unauthenticated_websockets_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_and_traffic_limits, "YOUNG_S", 0, raising=False)
    monkeypatch.setattr(head_application, "open_files", lambda wanted: 64)
    with contextlib.ExitStack() as open_, running_head(tmp_path) as (head, url):
        for number in range(24):
            address = f"127.0.0.{1 + number % 6}"
            answered(open_.enter_context(connected(url, handshake_request("/enrol"), address)))
        until(lambda: connections(head) <= 8)
        assert connections(head) == 8


def test_a_client_that_never_reads_is_disconnected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``close`` would wait for a buffer that is never read, and the descriptor would stay open forever."""
    monkeypatch.setattr(connection_and_traffic_limits, "FAREWELL_S", 0.05, raising=False)
    monkeypatch.setattr(connection_and_traffic_limits, "FRAMES", 1_000_000, raising=False)
    monkeypatch.setattr(
        connection_and_traffic_limits._WebSocketConnection,
        "pause_writing",
        connection_and_traffic_limits.WebSocketsSansIOProtocol.pause_writing,
    )
    pings = 80 * frame(FIN | PING, bytes(120))
    with running_head(tmp_path) as (head, url), connected(url, handshake_request("/link"), room=4096) as one:
        answered(one)
        (linked,) = head._servers[0].server_state.connections
        with contextlib.suppress(ConnectionError):
            while not linked.transport.get_write_buffer_size():
                one.sendall(pings)
            one.sendall(frame(FIN | TEXT, b"x"))  # no table sends this, so the link closes the connection
        until(lambda: not connections(head))


@pytest.mark.parametrize("path", ["/link", "/enrol"])
def test_links_refuse_compression_and_cross_site_pages(usual: Head, path: str) -> None:
    _, url = usual
    for more, status in (
        ("Sec-WebSocket-Extensions: permessage-deflate\r\n", b"101"),
        ("Origin: http://head\r\n", b"101"),
        ("Origin: http://elsewhere\r\n", b"403"),
        ("Origin: null\r\n", b"403"),
    ):
        with connected(url, handshake_request(path, more)) as one:
            heard = answered(one)
        assert heard.split()[1] == status, more
        assert b"sec-websocket-extensions" not in heard.lower()


def test_the_memory_of_unfinished_bodies_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_and_traffic_limits, "BODIES", 100_000, raising=False)
    begun = b"POST /service HTTP/1.1\r\nHost: head\r\nContent-Length: 26000\r\n\r\n" + bytes(20_000)
    with contextlib.ExitStack() as open_, running_head(tmp_path) as (head, url):
        made = []
        for number in range(16):
            with contextlib.suppress(ConnectionError):
                made.append(open_.enter_context(connected(url, begun, f"127.0.0.{1 + number % 4}")))
        until(lambda: 16 - len(made) + sum(map(is_over, made)) >= 12)
        assert connections(head) <= 4
        with connected(url, b"GET /static/icon.svg HTTP/1.1\r\nHost: head\r\n\r\n", "127.0.0.9") as one:
            assert answered(one).startswith(b"HTTP/1.1 200")


def test_an_answer_that_is_not_read_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_and_traffic_limits, "UNREAD_S", 0.05, raising=False)
    monkeypatch.setattr(connection_and_traffic_limits, "QUESTION_S", 60)
    asked = 4000 * b"GET /static/head.css HTTP/1.1\r\nHost: head\r\n\r\n"
    with running_head(tmp_path) as (head, url), connected(url, room=4096) as one:
        one.settimeout(0.5)
        with contextlib.suppress(ConnectionError, TimeoutError):
            one.sendall(asked)
        until(lambda: not connections(head))


def test_the_address_that_has_most_loses_its_largest_or_oldest() -> None:
    """Its oldest of several connections, its largest of several bodies."""
    gone: list[str] = []
    room, bodies = FairLimit(6), FairLimit(100)

    def add(limit: FairLimit, *names: str, count: int = 1) -> None:
        for name in names:
            limit.add(name[0], name, lambda name=name: gone.append(name), count)  # type: ignore[misc]

    def remove(limit: FairLimit, *names: str) -> None:
        for name in names:
            limit.remove(name[0], name)

    add(room, "a0", "a1", "a2", "a3")
    assert gone == ["a0"] and room.total == 3
    add(room, "b0", "c0", "d0", "e0")
    assert gone == ["a0", "a1"] and room.total == 6
    remove(room, "a2", "a2", "x0")
    assert room.total == 5
    add(room, "f0")
    assert gone == ["a0", "a1"]
    gone.clear()
    add(bodies, "a1", count=30)
    add(bodies, "a2", count=19)
    add(bodies, "a1")
    assert not gone and bodies.total == 50
    add(bodies, "a2")
    assert gone == ["a1"] and bodies.total == 20
    add(bodies, "b0", "c0", "d0", "e0", count=20)
    assert gone == ["a1"] and bodies.total == 100
    add(bodies, "e0", count=5)
    assert gone == ["a1", "e0"] and bodies.total == 80
    remove(bodies, "a2", "b0", "b0", "x0")
    assert bodies.total == 40
