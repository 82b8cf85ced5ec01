"""Acknowledgement latency of a table and memory of the head while outsiders, and a desk account, attack the head.

``python -m benchmarks.attack [--seconds S] [--part N]`` prints JSON: for each attack, which goes on for so long, the
median, the 99th percentile and the longest time from a table's record to its acknowledgement, in milliseconds;
``held``, the most processor time that one step of the head's event loop took meanwhile, which other work on the machine
does not change; ``peak_mb``, the most resident memory, and ``descriptors``, the most open files of the head meanwhile;
and its memory in MB after each part. Attacks that begin with ``tls_`` go to the TLS port of another head. ``flood`` is
sent with the keys of two tables: ``stored_mb`` is what the store has grown by, ``floor_s`` how long the page of such a
table takes afterwards. The head runs with the heaps that its unit gives it. ``--part N`` makes every attack N times
smaller.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import secrets
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

import httpx
from heads.process import HeadProcess
from heads.staff import CHIEF, PASSWORD, first_chief, token
from heads.world import event
from links.linked_table import LinkedTable
from links.world import MemoryOutbox

from kiosk.link.link_messages import TableRecord
from kiosk.link.table_keys import new_keys, save_keys
from kiosk.link.websocket_transport import WebSocketTransport

SMALLEST = ("--seconds", "0.1", "--part", "100")
HALF_OPEN, BODIES, PINGS_MB = 9_000, 300, 40
#: of a table's key in one attack; bytes of each record
FLOOD, RECORD_BYTES = 20_000, 2_000
NAMES, NESTED = 100_000, 16_000
#: what a WebSocket begins with, and frames of six bytes and more: a mask of zero
SHAKE = (
    "GET {} HTTP/1.1\r\nHost: head\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
PING, FIRST, FRAGMENT = b"\x89\xfd" + bytes(4 + 125), b"\x02\x80" + bytes(4), b"\x00\x80" + bytes(4)
#: a body that the service of the tables would still take, without its end
BODY = b"POST /service HTTP/1.1\r\nHost: head\r\nContent-Length: 260000\r\n\r\n" + bytes(250_000)
#: as systemd/othello-head.service has them
HEAPS = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
#: in the head's process: the longest step of its loop since the last request, in milliseconds; and a disk that takes
#: a quarter of an attack's time for each of the head's own files (not SQLite's, since requests would then wait for
#: their commit)
WATCH = """
import asyncio, os, signal, time
def run(handle, step=asyncio.events.Handle._run):
    global longest_s
    start_s = time.thread_time()
    step(handle)
    longest_s = max(longest_s, time.thread_time() - start_s)
def report(*_):
    global longest_s
    os.write(1, b"%f\\n" % (1000 * longest_s))  # print fails if the next signal comes before it returns
    longest_s = 0.0
longest_s, asyncio.events.Handle._run = 0.0, run
signal.signal(signal.SIGUSR1, report)
def slow(descriptor, sync=os.fsync):
    time.sleep(SECONDS)
    sync(descriptor)
def on_a_slow_disk(*_):
    os.fsync = slow
signal.signal(signal.SIGUSR2, on_a_slow_disk)
"""


class AttackedHead:
    """A head, its desk's browser, and a table that sends a record as soon as the last was acknowledged."""

    def __init__(self, folder: Path, seconds: float, *, tls: bool = False) -> None:
        self._seconds, self._folder = seconds, folder
        self._tls = _trusting_all() if tls else None
        self._keys = keys = new_keys([1, 2, 3])
        save_keys(folder / "keys.json", keys)
        (folder / "event.json").write_text(json.dumps(event(), ensure_ascii=False), encoding="utf-8")
        config = 'data = "data"\nkeys = "keys.json"\nevent = "event.json"\nhost = "127.0.0.1"\nport = 0\n'
        if tls:
            with socket.create_server(("127.0.0.1", 0)) as free:
                self._port = free.getsockname()[1]
            make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=head"
            files = ["-keyout", "key.pem", "-out", "cert.pem"]
            subprocess.run([*make.split(), *files], cwd=folder, check=True, capture_output=True)
            (folder / "key.pem").chmod(0o600)
            config += f'[tls]\ncertificate = "cert.pem"\nkey = "key.pem"\nport = {self._port}\n'
        (folder / "head.toml").write_text(config)
        os.environ |= HEAPS
        self.head = HeadProcess(folder / "head.toml", prelude=WATCH.replace("SECONDS", str(seconds / 4)))
        self.web = httpx.Client(base_url=self.head.url, timeout=60)
        if not tls:
            first_chief(self.web, self.head.code)
            self.csrf = token(self.web)
        self.outbox = MemoryOutbox()
        address = f"{self.head.url.replace('http', 'ws')}/link"
        self._table = LinkedTable([WebSocketTransport(address)], keys[1], self.outbox)
        self._said = 0

    def close(self) -> None:
        self._table.link.stop()
        self.web.close()
        self.head.stop()

    def acknowledged_ms(self) -> float:
        start_s = time.perf_counter()
        self._said += 1
        self._table.grow(1)
        while self.outbox.acknowledgements[-1:] != [self._said]:
            time.sleep(0.0005)
        return 1000 * (time.perf_counter() - start_s)

    def during(self, attack: Callable[[], object]) -> dict[str, float]:
        """Return the acknowledgement times while ``attack`` is repeated."""
        self.held_ms()
        self._forget_peak()
        end_s, descriptors = time.monotonic() + self._seconds, 0
        took: list[float] = []

        def again() -> None:
            while True:
                with contextlib.suppress(OSError, httpx.HTTPError):
                    attack()
                if time.monotonic() >= end_s:
                    return

        attackers = [multiprocessing.get_context("fork").Process(target=again) for _ in range(2)]
        for one in attackers:
            one.start()
        while not took or time.monotonic() < end_s:  # a short attack may be over before its processes have started
            took.append(self.acknowledged_ms())
            descriptors = max(descriptors, len(list(Path(f"/proc/{self.head.process.pid}/fd").iterdir())))
            time.sleep(0.02)
        for one in attackers:
            one.join()
        p99 = quantiles(took, n=100)[98] if len(took) > 1 else took[0]
        figures = {"p50": median(took), "p99": p99, "max": max(took), "held": self.held_ms()}
        counts = {"tried": len(took), "peak_mb": round(self._peak_mb()), "descriptors": descriptors}
        return {name: round(ms, 1) for name, ms in figures.items()} | counts

    def held_ms(self) -> float:
        self.head.process.send_signal(signal.SIGUSR1)
        assert self.head.process.stdout is not None
        return float(self.head.process.stdout.readline())

    def upload(self, path: str, content: bytes) -> int:
        parts = [("csrf", self.csrf.encode()), ("file", content)]
        body = b"".join(
            b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), value)
            for name, value in parts
        )
        type = {"content-type": "multipart/form-data; boundary=b"}
        return httpx.post(
            f"{self.head.url}{path}", content=body + b"--b--\r\n", headers=type, cookies=self.web.cookies, timeout=60
        ).status_code

    def guess(self) -> int:
        form = {"name": "nobody", "password": "guess"}
        return httpx.post(f"{self.head.url}/sign-in", data=form, timeout=60).status_code

    def sign_in(self) -> int:
        return httpx.post(
            f"{self.head.url}/sign-in", data={"name": CHIEF, "password": PASSWORD}, timeout=60
        ).status_code

    def peak_mb(self, act: Callable[[], object]) -> float:
        """Return the most resident memory of the head while ``act`` runs."""
        self._forget_peak()
        act()
        return self._peak_mb()

    def _forget_peak(self) -> None:
        Path(f"/proc/{self.head.process.pid}/clear_refs").write_text("5")

    def _peak_mb(self) -> float:
        status = Path(f"/proc/{self.head.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024

    def connection(self) -> socket.socket:
        host, port = self.head.url.removeprefix("http://").split(":")
        if self._tls is None:
            return socket.create_connection((host, int(port)), timeout=5)
        return self._tls.wrap_socket(socket.create_connection((host, self._port), timeout=5))

    def half_shaken(self, count: int) -> None:
        """Begin TLS handshakes without finishing them."""
        with contextlib.ExitStack() as open_:
            for _ in range(count):
                one = open_.enter_context(socket.create_connection(("127.0.0.1", self._port), timeout=5))
                one.sendall(b"\x16\x03\x01\x02\x00\x01")

    def flood(self, count: int) -> None:
        """Send records of an endless game with the key of a table, as fast as the head accepts them."""
        number, journal = 2 + os.getpid() % 2, MemoryOutbox(secrets.token_hex(4))
        body = {"game": "g", "revision": 1, "event": {"type": "press", "at_ns": 1}, "x": "x" * RECORD_BYTES}
        journal.records = [TableRecord(seq, "event", body) for seq in range(1, count + 1)]
        address = WebSocketTransport(f"{self.head.url.replace('http', 'ws')}/link")
        table = LinkedTable([address], self._keys[number], journal, table=number)
        time.sleep(self._seconds / 4)
        table.link.stop()

    def stored_mb(self) -> float:
        return sum(file.stat().st_size for file in (self._folder / "data").glob("head.sqlite*")) / 1_000_000

    def floor_s(self) -> float:
        """Return the time of the page of a table whose key was misused."""
        start_s = time.perf_counter()
        assert self.web.get("/floor/2").status_code == 200
        return round(time.perf_counter() - start_s, 2)

    def half_open(self, count: int) -> None:
        with contextlib.ExitStack() as open_:
            for _ in range(count):
                open_.enter_context(self.connection()).send(b"GET / HTTP/1.1\r\nX: ")

    def bodies(self, count: int) -> None:
        """Send endless bodies, all at the same time."""
        with contextlib.ExitStack() as open_:
            for _ in range(count):
                with contextlib.suppress(OSError):
                    open_.enter_context(self.connection()).sendall(BODY)
            time.sleep(0.2)

    def unread(self, megabytes: float) -> None:
        """Send pings over a WebSocket that never reads."""
        with self.connection() as one:
            one.sendall(SHAKE.format("/enrol").encode())
            for _ in range(int(megabytes * 100)):
                one.sendall(80 * PING)

    def fragments(self, megabytes: float) -> None:
        """Send a message in empty fragments."""
        with self.connection() as one:
            one.sendall(SHAKE.format("/link").encode() + FIRST)
            for _ in range(int(megabytes * 20)):
                one.sendall(8_000 * FRAGMENT)

    def never_reading(self) -> None:
        """Open WebSockets that send nothing and do not read the order to close."""
        with contextlib.ExitStack() as open_:
            for _ in range(50):
                open_.enter_context(self.connection()).sendall(SHAKE.format("/enrol").encode() + 50 * PING)
            time.sleep(0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each attack")
    parser.add_argument("--part", type=int, default=1, help="how many times smaller each attack is")
    arguments = parser.parse_args()
    print(json.dumps(measured(arguments.seconds, arguments.part)))


def measured(seconds: float, part: int) -> dict[str, object]:
    nested = b"".join(
        b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (n, n + 1) for n in range(NESTED // part)
    )
    line = b"name\n" + b"," * (3_900_000 // part)
    rows = (f"架空 太郎{n},かくう たろう,{n % 9 + 1}d,{1950 + n % 60},架空クラブ\n" for n in range(NAMES // part - 1))
    names = "".join(["name,kana,grade,birth_year,club\n", *rows]).encode()
    with tempfile.TemporaryDirectory() as folder:
        hall = AttackedHead(Path(folder), seconds)
        try:
            attacks: dict[str, Callable[[], object]] = {
                "nothing": lambda: time.sleep(0.1),
                "nested": lambda: hall.upload("/division/main/import", nested),
                "line": lambda: hall.upload("/division/main/import", line),
                "guesses": hall.guess,
                "half_open": lambda: hall.half_open(HALF_OPEN // part),
                "unread_pings": lambda: hall.unread(PINGS_MB / part),
                "fragments": lambda: hall.fragments(PINGS_MB / part),
                "endless_bodies": lambda: hall.bodies(max(3, BODIES // part)),
                "never_reading": hall.never_reading,
            }
            memory = {"before": hall.head.rss_mb()}
            report: dict[str, object] = {name: hall.during(attack) for name, attack in attacks.items()}
            memory["after_attacks"] = hall.head.rss_mb()
            stored_mb = hall.stored_mb()
            flood = hall.during(lambda: hall.flood(max(500, FLOOD // part)))
            grown_mb = round(hall.stored_mb() - stored_mb, 1)
            report["flood"] = flood | {"stored_mb": grown_mb, "floor_s": hall.floor_s()}
            for _ in range(240 // part):
                hall.guess()
            memory["after_guesses"] = hall.head.rss_mb()
            memory["reading_roster"] = hall.peak_mb(lambda: hall.upload("/division/main/roster", names))
            memory["after_roster"] = hall.head.rss_mb()
            hall.head.process.send_signal(signal.SIGUSR2)
            report["signing_in_on_a_slow_disk"] = hall.during(hall.sign_in)
            report["memory_mb"] = {name: round(mb) for name, mb in memory.items()}
        finally:
            hall.close()
    with tempfile.TemporaryDirectory() as folder:
        hall = AttackedHead(Path(folder), seconds, tls=True)
        try:
            over_tls: dict[str, Callable[[], object]] = {
                "half_shaken": lambda: hall.half_shaken(HALF_OPEN // part),
                "half_open": lambda: hall.half_open(HALF_OPEN // part // 10),
                "unread_pings": lambda: hall.unread(PINGS_MB / part),
                "fragments": lambda: hall.fragments(PINGS_MB / part),
                "endless_bodies": lambda: hall.bodies(max(3, BODIES // part)),
                "never_reading": hall.never_reading,
            }
            report |= {f"tls_{name}": hall.during(attack) for name, attack in over_tls.items()}
        finally:
            hall.close()
    return report


def _trusting_all() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


if __name__ == "__main__":
    main()
