"""Tests of a head with a certificate: staff use TLS; spectators and tables do not."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest
from halls.many_tables import crowd, prepare_hall
from heads.process import KIOSK, HeadProcess, free_port
from heads.staff import CHIEF, PASSWORD, first_chief, token
from heads.world import event
from waiting import HANGS_S, until

from kiosk.head.federation.federation_push_thread_and_outbox import Pusher
from kiosk.head.federation.venue_keys import new_key, save_venues
from kiosk.head.head_config import FederationConfig
from kiosk.head.pages.http_app_and_security_headers import TLS_ONLY_S
from kiosk.head.store import Store
from kiosk.link.websocket_transport import WebSocketTransport

Hall = tuple[Path, dict[int, bytes], int, int]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a certificate that is made as docs/setup/head.md says."""
    if shutil.which("openssl") is None:
        missing = "openssl is needed to make a certificate (apt install openssl)"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    docs = (Path(__file__).parents[4] / "docs/setup/head.md").read_text(encoding="utf-8")
    start, folder = docs.index("openssl req"), tmp_path_factory.mktemp("certificate")
    command = docs[start : docs.index("```", start)].replace("192.168.10.1", "127.0.0.1").replace("\\\n", " ")
    subprocess.run(command, shell=True, check=True, capture_output=True, cwd=folder)
    return folder


@pytest.fixture
def hall(tmp_path: Path, certificate: Path) -> Hall:
    """A configuration with a certificate, the tables' keys, and both ports."""
    shutil.copytree(certificate, tmp_path, dirs_exist_ok=True)
    plain, secure = free_port(), free_port()
    keys = prepare_hall(tmp_path, event(), 2, plain)
    with (tmp_path / "head.toml").open("a") as config:
        config.write(f'[tls]\ncertificate = "head-cert.pem"\nkey = "head-key.pem"\nport = {secure}\n')
    return tmp_path, keys, plain, secure


@contextlib.contextmanager
def running(folder: Path, prelude: str = "") -> Iterator[HeadProcess]:
    head = HeadProcess(folder / "head.toml", prelude=prelude)
    try:
        yield head
    finally:
        head.stop()


def test_staff_use_tls_and_spectators_and_tables_do_not(hall: Hall) -> None:
    folder, keys, plain, secure = hall
    trust = ssl.create_default_context(cafile=folder / "head-cert.pem")
    with running(folder) as head:
        with (
            httpx.Client(base_url=f"https://127.0.0.1:{secure}", verify=trust, timeout=HANGS_S) as web,
            httpx.Client(base_url=head.url) as open_,
            crowd(keys, lambda number: WebSocketTransport(f"ws://127.0.0.1:{plain}/link")) as tables,
        ):
            assert open_.get("/").status_code == 200  # spectators need no certificate
            for path in ("/sign-in", "/desk", "/audit?person=x", "/accounts"):
                answer = open_.get(path)
                assert (answer.status_code, answer.headers["location"]) == (303, f"https://127.0.0.1:{secure}{path}")
            sent = open_.post("/sign-in", data={"name": CHIEF, "password": PASSWORD})
            assert sent.status_code == 303 and "set-cookie" not in sent.headers
            first_chief(web, head.code)
            cookie = next(cookie for cookie in web.cookies.jar if cookie.name == "kiosk_session")
            assert cookie.secure and token(web) and web.get("/desk").status_code == 200
            # a stream over the open port is refused to a signed-in user as the page is
            own = {"cookie": f"{cookie.name}={cookie.value}"}
            assert open_.get("/desk", headers=own).status_code == 303
            assert open_.get("/stream/desk", headers=own).status_code == 403
            assert web.get("/").headers["strict-transport-security"] == f"max-age={TLS_ONLY_S}"
            assert "strict-transport-security" not in open_.get("/").headers
            until(tables.all_up)
        head.process.terminate()
        assert head.process.wait(HANGS_S) == 0


#: a head with few descriptors and no time limit for a handshake
FEW = (
    "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256));"
    "from kiosk.head.program import connection_and_traffic_limits as limits; limits.HANDSHAKE_S = 600.0;"
)


@pytest.mark.fault(26, "500 handshakes of TLS that do not end, at a head with 256 descriptors")
def test_unfinished_handshakes_block_no_other_client(hall: Hall) -> None:
    """Half of them send nothing, the others the beginning of a handshake. They count among the connections that have
    sent nothing, also beyond the time limit of one handshake."""
    folder, keys, plain, secure = hall
    trust = ssl.create_default_context(cafile=folder / "head-cert.pem")
    with running(folder, FEW) as head, contextlib.ExitStack() as open_:
        for said in (b"", b"\x16\x03\x01\x02\x00\x01") * 250:
            one = open_.enter_context(socket.create_connection(("127.0.0.1", secure), timeout=HANGS_S))
            with contextlib.suppress(OSError):
                one.sendall(said)
        for _ in range(3):
            assert httpx.get(f"https://127.0.0.1:{secure}/sign-in", verify=trust, timeout=20).status_code == 200
        assert httpx.get(head.url, timeout=20).status_code == 200
        with crowd(keys, lambda number: WebSocketTransport(f"ws://127.0.0.1:{plain}/link")) as tables:
            until(tables.all_up)


def test_a_handshake_has_a_time_limit(hall: Hall) -> None:
    folder, _, _, secure = hall
    with (
        running(folder, FEW.replace("600.0", "0.2")),
        socket.create_connection(("127.0.0.1", secure), timeout=HANGS_S) as one,
        contextlib.suppress(ConnectionError),
    ):
        assert one.recv(1) == b""  # TimeoutError if the head waits


def test_a_venue_pushes_by_tls_and_trusts_the_federation_s_certificate(hall: Hall) -> None:
    folder, _, _, secure = hall
    save_venues(folder / "venues.json", {"osaka": new_key()})
    config = (folder / "head.toml").read_text()
    (folder / "head.toml").write_text('venues = "venues.json"\n' + config)
    venue = FederationConfig(f"https://127.0.0.1:{secure}", "osaka", folder / "venues.json", folder / "head-cert.pem")
    head, store = HeadProcess(folder / "head.toml"), Store(folder / "venue")
    try:
        store.append("note", {"n": 1}).result(5)
        trusting, doubting = Pusher(store, venue), Pusher(store, msgspec.structs.replace(venue, certificate=None))
        assert trusting.push() and not trusting.push()
        assert (trusting.status.sent, trusting.status.waiting) == (1, 0)
        with pytest.raises(httpx.ConnectError, match="certificate"):
            doubting.push()
        trusting.close()
        doubting.close()
    finally:
        head.stop()
        store.close()


def test_an_unusable_certificate_is_reported(hall: Hall) -> None:
    folder = hall[0]
    (folder / "head-key.pem").write_text(json.dumps("no key"))
    command = [sys.executable, "-c", KIOSK, "head", "--config", str(folder / "head.toml")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=HANGS_S)
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1 and "make them again" in ended.stderr


def test_connections_by_tls_cost_little_memory(hall: Hall) -> None:
    """With asyncio's default buffers 150 of them take 41 MB, and several hundred that come and go 450 MB."""
    folder, _, _, secure = hall
    trust = ssl.create_default_context(cafile=folder / "head-cert.pem")
    with running(folder) as head:
        before_mb = head.rss_mb()
        with contextlib.ExitStack() as open_:
            for _ in range(150):
                one = open_.enter_context(socket.create_connection(("127.0.0.1", secure), timeout=HANGS_S))
                open_.enter_context(trust.wrap_socket(one, server_hostname="127.0.0.1")).sendall(b"GET / HTTP/1.1\r\n")
            until(lambda: len(list(Path(f"/proc/{head.process.pid}/fd").iterdir())) > 150)
            assert head.rss_mb() - before_mb < 25
