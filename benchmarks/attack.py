"""Acknowledgement latency of a table and memory of the head while outsiders, and a desk account, attack the head.

``python -m benchmarks.attack [--seconds 8]`` prints JSON: for each attack, which lasts that long, the median, the 99th
percentile and the longest time from a table's record to its acknowledgement, in milliseconds; ``held``, the most
processor time of one step of the head's event loop meanwhile, which is independent of other work on the machine; and
the head's memory in MB, with the heap settings of its unit.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

import httpx

sys.path.append(str(Path(__file__).parents[1] / "tests" / "tools"))

from heads.process import HeadProcess
from heads.staff import CHIEF, PASSWORD, first_chief, token
from heads.world import event
from links.at_table import LinkedTable
from links.world import MemoryOutbox

from kiosk.link.keys import new_keys, save_keys
from kiosk.link.network import NetworkCarrier

SMALLEST = ("--seconds", "2", "--guesses", "2", "--names", "20", "--half-open", "20")
#: as in systemd/othello-head.service
HEAPS = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
#: in the head's process: the longest step of its loop since the last request, in milliseconds; and a disk that takes
#: two seconds for each of the head's own files (not SQLite's, since requests would then wait for their commit)
WATCH = """
import asyncio, os, signal, time
def run(handle, step=asyncio.events.Handle._run):
    global held
    begun = time.thread_time()
    step(handle)
    held = max(held, time.thread_time() - begun)
def tell(*_):
    global held
    print(1000 * held, flush=True)
    held = 0.0
held, asyncio.events.Handle._run = 0.0, run
signal.signal(signal.SIGUSR1, tell)
def slow(descriptor, sync=os.fsync):
    time.sleep(SECONDS)
    sync(descriptor)
def on_a_slow_disk(*_):
    os.fsync = slow
signal.signal(signal.SIGUSR2, on_a_slow_disk)
""".replace("SECONDS", "2.0")


class Attacked:
    """A head, its desk's browser, and a table that sends a record as soon as the last was acknowledged."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._seconds = seconds
        keys = new_keys([1])
        save_keys(folder / "keys.json", keys)
        (folder / "event.json").write_text(json.dumps(event(), ensure_ascii=False), encoding="utf-8")
        config = 'data = "data"\nkeys = "keys.json"\nevent = "event.json"\nhost = "127.0.0.1"\nport = 0\n'
        (folder / "head.toml").write_text(config)
        os.environ |= HEAPS
        self.head = HeadProcess(folder / "head.toml", prelude=WATCH)
        self.web = httpx.Client(base_url=self.head.url, timeout=60)
        first_chief(self.web, self.head.code)
        self.csrf = token(self.web)
        self.outbox = MemoryOutbox()
        address = f"{self.head.url.replace('http', 'ws')}/link"
        self._table = LinkedTable([NetworkCarrier(address)], keys[1], self.outbox)
        self._said = 0

    def close(self) -> None:
        self._table.link.stop()
        self.web.close()
        self.head.stop()

    def acknowledged_ms(self) -> float:
        begun_s = time.perf_counter()
        self._said += 1
        self._table.grow(1)
        while self.outbox.acknowledgements[-1:] != [self._said]:
            time.sleep(0.0005)
        return 1000 * (time.perf_counter() - begun_s)

    def during(self, attack: Callable[[], object]) -> dict[str, float]:
        """Return the acknowledgement times while ``attack`` is repeated."""
        self.held_ms()
        end_s, took = time.monotonic() + self._seconds, []

        def again() -> None:
            while time.monotonic() < end_s:
                with contextlib.suppress(OSError, httpx.HTTPError):
                    attack()

        attackers = [multiprocessing.get_context("fork").Process(target=again) for _ in range(2)]
        for one in attackers:
            one.start()
        while time.monotonic() < end_s:
            took.append(self.acknowledged_ms())
            time.sleep(0.02)
        for one in attackers:
            one.join()
        p99 = quantiles(took, n=100)[98]
        figures = {"p50": median(took), "p99": p99, "max": max(took), "held": self.held_ms()}
        return {name: round(ms, 1) for name, ms in figures.items()} | {"tried": len(took)}

    def held_ms(self) -> float:
        self.head.process.send_signal(signal.SIGUSR1)
        assert self.head.process.stdout is not None
        return float(self.head.process.stdout.readline())

    def upload(self, path: str, content: bytes) -> int:
        parts = [("csrf", self.csrf.encode()), ("file", content)]
        body = b"".join(
            b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), said)
            for name, said in parts
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
        """Return the peak resident memory of the head during ``act``."""
        process = Path(f"/proc/{self.head.process.pid}")
        (process / "clear_refs").write_text("5")
        act()
        status = (process / "status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024

    def half_open(self, number: int) -> None:
        host, port = self.head.url.removeprefix("http://").split(":")
        with contextlib.ExitStack() as open_:
            for _ in range(number):
                one = open_.enter_context(socket.create_connection((host, int(port)), timeout=60))
                one.send(b"GET / HTTP/1.1\r\nX: ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each attack")
    parser.add_argument("--guesses", type=int, default=240, help="of a password, for what they leave in memory")
    parser.add_argument("--names", type=int, default=100_000, help="in the register that is uploaded")
    parser.add_argument("--half-open", type=int, default=9_000, help="connections that ask for nothing")
    print(json.dumps(measured(parser.parse_args())))


def measured(given: argparse.Namespace) -> dict[str, object]:
    nested = b"".join(
        b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (n, n + 1) for n in range(16_000)
    )
    line = b"name\n" + b"," * 3_900_000
    rows = (f"架空 太郎{n},かくう たろう,{n % 9 + 1}d,{1950 + n % 60},架空クラブ\n" for n in range(given.names - 1))
    names = "".join(["name,kana,grade,birth_year,club\n", *rows]).encode()
    with tempfile.TemporaryDirectory() as folder:
        hall = Attacked(Path(folder), given.seconds)
        try:
            attacks: dict[str, Callable[[], object]] = {
                "nothing": lambda: time.sleep(0.1),
                "nested": lambda: hall.upload("/division/main/import", nested),
                "line": lambda: hall.upload("/division/main/import", line),
                "guesses": hall.guess,
                "half_open": lambda: hall.half_open(given.half_open),
            }
            memory = {"before": hall.head.rss_mb()}
            report: dict[str, object] = {name: hall.during(attack) for name, attack in attacks.items()}
            memory["after_attacks"] = hall.head.rss_mb()
            for _ in range(given.guesses):
                hall.guess()
            memory[f"after_{given.guesses}_guesses"] = hall.head.rss_mb()
            memory["reading_roster"] = hall.peak_mb(lambda: hall.upload("/division/main/roster", names))
            memory["after_roster"] = hall.head.rss_mb()
            hall.head.process.send_signal(signal.SIGUSR2)
            report["signing_in_on_a_slow_disk"] = hall.during(hall.sign_in)
            report["memory_mb"] = {name: round(mb) for name, mb in memory.items()}
        finally:
            hall.close()
    return report


if __name__ == "__main__":
    main()
