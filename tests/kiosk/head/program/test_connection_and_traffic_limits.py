"""Tests that idle connections keep nobody out, and exhaust neither the descriptors nor the log.

The heads here are limited to 256 descriptors, so that a few hundred connections have the effect of ten thousand on a
real one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from heads.process import HeadProcess, configured
from heads.world import running_head
from links.linked_table import linked
from links.world import MemoryOutbox
from waiting import HANGS_S, until

from kiosk.doctor.check_result import CheckStatus
from kiosk.doctor.head_checks import open_files
from kiosk.head.program import connection_and_traffic_limits
from kiosk.head.program.connection_and_traffic_limits import ENOUGH, ConnectionLimiter
from kiosk.link.table_keys import load_keys

FEW = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 256));"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("head")


@pytest.fixture(scope="module")
def head(place: Path) -> Iterator[HeadProcess]:
    """A head with few descriptors, and at first even fewer."""
    running = HeadProcess(configured(place, [1, 2]), prelude=FEW)
    yield running
    running.stop()


@contextlib.contextmanager
def held(url: str, count: int, said: bytes) -> Iterator[list[socket.socket]]:
    """Open connections that send some bytes and no more, for as long as the head keeps them."""
    host, port = url.removeprefix("http://").split(":")
    with contextlib.ExitStack() as open_:
        made = []
        for _ in range(count):
            one = open_.enter_context(socket.create_connection((host, int(port)), timeout=HANGS_S))
            with contextlib.suppress(OSError):
                one.sendall(said)
            made.append(one)
        yield made


def get(url: str, path: str = "/", address: str = "127.0.0.1") -> int:
    with httpx.Client(base_url=url, transport=httpx.HTTPTransport(local_address=address), timeout=HANGS_S) as web:
        return web.get(path).status_code


HANDSHAKE = (
    b"GET /link HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
)
ATTACKS = {
    "nothing": b"",
    "half a question": b"GET / HTTP/1.1\r\nHost: x\r\nX: ",
    "half a body": b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\nname=",
    "streams": b"GET /stream/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "tables that prove nothing": HANDSHAKE + b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
}


@pytest.mark.fault(26, "500 connections that wait, to a head with 256 descriptors: a page and a new table get in")
@pytest.mark.parametrize("said", ATTACKS.values(), ids=ATTACKS)
def test_pages_and_new_tables_connect_despite_idle_connections(head: HeadProcess, place: Path, said: bytes) -> None:
    with held(head.url, 500, said):
        assert get(head.url, address="127.0.0.2") == 200
        assert get(head.url) == 200, "also for a neighbour of the same address"
        outbox = MemoryOutbox(f"{len(said)}")
        with linked(head.url, load_keys(place / "keys.json")[1], outbox) as table:
            table.grow(3)
            until(lambda: outbox.acknowledgements[-1:] == [3])
    assert (place / "head.log").stat().st_size < 20_000


def test_further_bytes_do_not_extend_a_request_s_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_and_traffic_limits, "QUESTION_S", 0.3)
    monkeypatch.setattr(connection_and_traffic_limits, "BODY_S", 0.3)
    begun = (
        b"GET / HTTP/1.1\r\nX: ",
        b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n",
        b"GET /static/icon.svg HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nX: ",
    )
    with running_head(tmp_path) as (_, url):
        for said in begun:
            with held(url, 1, said) as (one,):
                ended = threading.Event()
                dribbling = threading.Thread(target=_send_slowly, args=(one, ended))
                dribbling.start()
                try:
                    with contextlib.suppress(ConnectionError):
                        while one.recv(65536):
                            pass  # TimeoutError if the head waits
                finally:
                    ended.set()
                    dribbling.join()
        assert get(url) == 200


def _send_slowly(one: socket.socket, ended: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while not ended.wait(0.02):
            one.sendall(b"a")


def test_a_stream_that_is_read_has_no_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limits are for requests and not for answers."""
    monkeypatch.setattr(connection_and_traffic_limits, "QUESTION_S", 0.1)
    monkeypatch.setattr(connection_and_traffic_limits, "BODY_S", 0.1)
    with running_head(tmp_path) as (program, url), httpx.stream("GET", f"{url}/stream/", timeout=20) as answer:
        lines = answer.iter_lines()
        for _ in range(4):
            assert any(line.startswith("data: ") for line in lines)
            program.services.pages.changes.notify()


def test_refused_connections_are_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    guarded, loop = ConnectionLimiter(256), asyncio.new_event_loop()
    for _ in range(1000):
        error = OSError(24, "Too many open files")
        guarded.log_accept_error(loop, {"message": "socket.accept() out of system resource", "exception": error})
    loop.close()
    said = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(said) == 1 and "Too many open files" in said[0].getMessage()


@pytest.mark.fault(32, "no core file, so no memory with keys in one")
def test_the_descriptor_limit_is_raised_or_its_refusal_logged(head: HeadProcess, place: Path) -> None:
    limits = Path(f"/proc/{head.process.pid}/limits").read_text()
    (line,) = [line for line in limits.splitlines() if line.startswith("Max open files")]
    assert line.split()[3:5] == ["256", "256"], "it began with 64"
    assert "Max core file size        0                    0" in limits, "memory with keys is left in no file"
    assert "only 256 open files are allowed" in (place / "head.log").read_text()
    told = open_files(256)
    assert told.verdict is CheckStatus.WARNING and str(ENOUGH) in json.dumps(str(told.text.fields))
    assert open_files(ENOUGH).verdict is CheckStatus.OK


@pytest.mark.fault(32, "the head's command line and environment hold no key, code or signing key")
def test_no_secret_is_in_the_process_list(head: HeadProcess, place: Path) -> None:
    """Secrets are neither in the arguments, which every user of the machine can read, nor in the environment."""
    shown = b"".join(Path(f"/proc/{head.process.pid}/{name}").read_bytes() for name in ("cmdline", "environ", "comm"))
    keys = json.loads((place / "keys.json").read_text())["keys"]
    secrets = [head.code, *(str(key) for key in keys.values()), (place / "data/signing.json").read_text()]
    assert len(secrets) == 4 and not any(secret.encode() in shown for secret in secrets)
