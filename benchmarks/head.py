"""The head's figures of DESIGN.md 8: 500 tables on one head, and its pages with 300 players and 60 live tables.

``python -m benchmarks.head [--tables N] [--windows N] [--window-s S] [--phones N] [--records N]`` prints JSON. The head
is the real program in a process of its own; the tables are real links over WebSockets in this one, which play by the
rules.
``ack`` is from the record in the table's outbox to its acknowledgement, so it holds the head's commit; ``stop_all``
from the arbiter's POST to the order's arrival at each table. Of several runs the median is given. Memory is the
head's resident set. ``processor_…`` tells the head's own work from that of the tables here, which the tables of a
hall do themselves: the cores that each takes while records come (every table's pings are in it), milliseconds of each
for one stop of all.
``archive``: a store with so many records of games before, and the zip of the event made again and again meanwhile.
``phones_open``: 60 busy tables, and so many phones that have the front page open, in a process of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import platform
import resource
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from halls.many_tables import Crowd, crowd, prepare_hall
from heads.addresses import addresses, filled
from heads.process import HeadProcess, free_port
from heads.staff import first_chief, token
from heads.world import event
from waiting import until

from kiosk.head.store import Store
from kiosk.link.link_messages import TableRecord
from kiosk.link.websocket_transport import WebSocketTransport

SMALLEST = (
    "--phones", "4", "--records", "2000",
    "--tables", "4", "--windows", "1", "--window-s", "0.2", "--players", "4", "--players-tables", "2", "--rounds", "1",
)  # fmt: skip
#: DESIGN.md 8: events of each table per second. A turn is two: the press and the board after it
EVENTS_PER_S = 0.2
RECORDS_OF_A_TURN = 2
#: turns per second of all tables together, if they are few
LEAST_PACE = 5.0
#: rest between two measurements, unless a window is shorter
PAUSE_S = 3.0
#: of a game before
EARLIER = {"game": "earlier", "revision": 1, "event": {"type": "press", "at_ns": 1}}


def at(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def pace(tables: int) -> float:
    """Return the turns of all tables together in a second."""
    return max(LEAST_PACE, tables * EVENTS_PER_S / RECORDS_OF_A_TURN)


def spread_ms(runs: list[list[float]]) -> dict[str, float]:
    """Return medians over the runs of each run's percentiles."""
    shares = {"p50_ms": 0.5, "p99_ms": 0.99, "max_ms": 1.0}
    return {name: round(1000 * median(at(run, share) for run in runs), 1) for name, share in shares.items()}


@contextmanager
def hall(players: int, tables: int, records: int = 0) -> Iterator[tuple[HeadProcess, Crowd, httpx.Client]]:
    """Provide a published round, every table in play, and a signed-in chief arbiter. ``records``: how many of games
    before are in the store."""
    port = free_port()
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        keys = prepare_hall(place, event(players), tables, port, auto=True)
        with contextlib.closing(Store(place / "data")) as store:
            for table in range(1, tables + 1):
                for begin in range(1, records // tables + 1, 1000):
                    rows = [TableRecord(seq, "event", EARLIER) for seq in range(begin, begin + 1000)]
                    store.commit_records(table, "earlier", rows).result()
        head = HeadProcess(place / "head.toml", fresh=True)
        try:
            with (
                crowd(keys, lambda number: WebSocketTransport(f"ws://127.0.0.1:{port}/link")) as tables_in_play,
                httpx.Client(base_url=head.url, timeout=60) as web,
            ):
                first_chief(web, head.code)
                until(tables_in_play.all_in_play)
                until(tables_in_play.all_acknowledged)
                yield head, tables_in_play, web
        finally:
            head.stop()


class Processor:
    """Processor time since creation: of the head, and of this process, which runs the tables."""

    def __init__(self, head: HeadProcess) -> None:
        self._head, self._before = head, (head.processor_s(), time.process_time(), time.perf_counter())

    def cores(self) -> dict[str, float]:
        seconds = time.perf_counter() - self._before[2]
        return {name: round(ms / 1000 / seconds, 3) for name, ms in self.ms().items()}

    def ms(self) -> dict[str, float]:
        head_s, tables_s, _ = self._before
        return {"head": 1000 * (self._head.processor_s() - head_s), "tables": 1000 * (time.process_time() - tables_s)}


def acknowledgements(head: HeadProcess, tables: Crowd, windows: int, window_s: float) -> dict[str, Any]:
    tables.pace = pace(len(tables.tables))
    time.sleep(min(PAUSE_S, window_s))
    runs, processor = [], Processor(head)
    for _ in range(windows):
        before = [len(table.took_s) for table in tables.tables]
        time.sleep(window_s)

        def taken(before: list[int] = before) -> list[float]:
            return [s for table, known in zip(tables.tables, before, strict=True) for s in table.took_s[known:]]

        until(taken)  # a short window may have none
        runs.append(taken())
    return {
        "records": sum(map(len, runs)),
        "windows": windows,
        **spread_ms(runs),
        "processor_cores": processor.cores(),
    }


def stops(head: HeadProcess, tables: Crowd, web: httpx.Client, times: int, window_s: float) -> dict[str, Any]:
    runs, worked, csrf = [], [], token(web, "/floor")
    for number in range(times):
        before = [len(table.held) for table in tables.tables]
        processor = Processor(head)
        began_s = time.perf_counter()
        answer = web.post("/floor/stop-all", data={"csrf": csrf, "reason": f"stop {number}"})
        assert answer.status_code in (303, 409), answer.text  # 409: one is being made
        until(lambda before=before: all(len(t.held) > n for t, n in zip(tables.tables, before, strict=True)))  # type: ignore[misc]
        worked.append(processor.ms())
        runs.append([max(table.held.values()) - began_s for table in tables.tables])
        time.sleep(min(PAUSE_S, window_s))
    processor_ms = {name: round(median(each[name] for each in worked)) for name in worked[0]}
    return {"times": times, **spread_ms(runs), "processor_ms": processor_ms}


def pages(web: httpx.Client, rounds: int) -> dict[str, Any]:
    """Return the times of every page that a signed-in person can open with at most a division's name or a table's
    number.
    """
    values = {"division": "main", "table": "1"}
    with tempfile.TemporaryDirectory() as directory:
        paths = [filled(route.path, values) for route in addresses(Path(directory)) if route.method == "GET"]
    open_paths = [path for path in paths if path is not None and not path.startswith("/stream") and _is_page(web, path)]
    took: dict[str, list[float]] = {path: [] for path in open_paths}
    for _ in range(rounds):
        for path in open_paths:
            began_s = time.perf_counter()
            web.get(path).raise_for_status()
            took[path].append(time.perf_counter() - began_s)
            time.sleep(0.02)
    all_s = [s for each in took.values() for s in each]
    slowest = sorted(took, key=lambda path: -at(took[path], 0.95))[:5]
    return {
        "pages": len(open_paths),
        "requests": len(all_s),
        "p50_ms": round(1000 * at(all_s, 0.5), 1),
        "p95_ms": round(1000 * at(all_s, 0.95), 1),
        "max_ms": round(1000 * max(all_s), 1),
        "slowest_p95_ms": {path: round(1000 * at(took[path], 0.95), 1) for path in slowest},
    }


def phones_open(url: str, count: int, ready: Any) -> None:
    """Open the front page and its stream on so many phones.

    They have three hundred loopback addresses, because the head lets no address have all of its connections.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, count + 200)), hard))
    host, port = url.removeprefix("http://").split(":")

    async def phone(number: int, coming: asyncio.Semaphore) -> None:
        address = f"127.0.{1 + number % 300 // 250}.{1 + number % 250}"
        async with coming:
            for path in ("/", "/stream/"):
                reader, writer = await asyncio.open_connection(host, int(port), local_addr=(address, 0))
                more = "Connection: close\r\n" if path == "/" else ""
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode())
                if path == "/":
                    await reader.read(-1)
                    writer.close()
            await reader.read(16)
            ready.release()
        while await reader.read(1 << 18):
            pass

    async def all_of_them() -> None:
        coming = asyncio.Semaphore(20)
        await asyncio.gather(*(phone(number, coming) for number in range(count)), return_exceptions=True)

    asyncio.run(all_of_them())


@contextmanager
def phones(head: HeadProcess, count: int) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    ready = context.Semaphore(0)
    process = context.Process(target=phones_open, args=(head.url, count, ready), daemon=True)
    process.start()
    try:
        for _ in range(count):
            assert ready.acquire(timeout=120), "the phones did not all open the page"
        yield
    finally:
        process.kill()
        process.join()


def with_phones(count: int, windows: int, window_s: float, tables: int = 60) -> dict[str, Any]:
    """Measure the arbiter's pages and orders, and the tables' acknowledgements, while so many phones watch."""
    with hall(2 * tables, tables) as (head, in_play, web), phones(head, count) if count else contextlib.nullcontext():
        ack = acknowledgements(head, in_play, windows, window_s)
        floor = []
        for _ in range(20 * windows):
            began_s = time.perf_counter()
            web.get("/floor").raise_for_status()
            floor.append(time.perf_counter() - began_s)
            time.sleep(0.05)
        return {
            "phones": count,
            "tables": tables,
            "ack": ack,
            "floor_ms": {"p50": round(1000 * at(floor, 0.5), 1), "p95": round(1000 * at(floor, 0.95), 1)},
            "stop_all": stops(head, in_play, web, windows, window_s),
            "memory_mb": round(head.rss_mb()),
        }


def with_archive(windows: int, window_s: float, tables: int, records: int) -> dict[str, Any]:
    """Measure stops of all tables, alone and while the zip of the whole event is made repeatedly."""
    with hall(2 * tables, tables, records) as (head, in_play, web):
        alone, stop, sizes = stops(head, in_play, web, windows, window_s), threading.Event(), []

        def archives() -> None:
            with httpx.Client(base_url=head.url, cookies=web.cookies, timeout=60) as another:
                form = {"csrf": token(another, "/floor"), "place": "", "country": "", "sender": ""}
                while True:
                    answer = another.post("/close", data=form)
                    assert answer.status_code in (303, 409), answer.text  # 409: one is being made
                    sizes.append(another.get("/close/event.zip").headers.get("etag"))
                    if stop.wait(0.2):
                        return

        making = threading.Thread(target=archives)
        making.start()
        try:
            meanwhile = stops(head, in_play, web, windows, window_s)
        finally:
            stop.set()
            making.join()
        zips = len({*sizes} - {None})
        return {"records": records, "tables": tables, "stop_all": alone, "zips": zips, "stop_all_meanwhile": meanwhile}


def _is_page(web: httpx.Client, path: str) -> bool:
    return web.get(path).status_code == 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--windows", type=int, default=5)
    parser.add_argument("--window-s", type=float, default=10.0)
    parser.add_argument("--players", type=int, default=300, help="while pages are opened")
    parser.add_argument("--players-tables", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=20, help="of all pages")
    parser.add_argument("--phones", type=int, default=1500)
    parser.add_argument("--records", type=int, default=200_000, help="of games before, while archives are made")
    parser.add_argument("--only-phones", action="store_true", help="no other part of the benchmark")
    parser.add_argument("--only-archive", action="store_true", help="no other part of the benchmark")
    options = parser.parse_args()
    figures: dict[str, Any] = {"machine": {"cores": os.cpu_count(), "python": platform.python_version()}}
    figures["archive"] = with_archive(options.windows, options.window_s, min(60, options.tables), options.records)
    if options.only_archive:
        print(json.dumps(figures, indent=1))
        return
    figures["phones_open"] = with_phones(options.phones, options.windows, options.window_s, min(60, options.tables))
    if options.only_phones:
        print(json.dumps(figures, indent=1))
        return
    with hall(2 * options.tables, options.tables) as (head, tables, web):
        at_rest_mb = head.rss_mb()
        ack = acknowledgements(head, tables, options.windows, options.window_s)
        figures[f"{options.tables}_tables"] = {
            "ack_at_0.2_events_per_s": ack,
            "stop_all": stops(head, tables, web, options.windows, options.window_s),
            "memory_mb": {"round_published": round(at_rest_mb), "after_all_this": round(head.rss_mb())},
            "this_process_was_late_by_ms": round(1000 * tables.late_s, 1),
        }
    with hall(options.players, options.players_tables) as (head, tables, web):
        tables.pace = pace(options.players_tables)
        figures[f"{options.players}_players_{options.players_tables}_live_tables"] = {
            **pages(web, options.rounds),
            "memory_mb": round(head.rss_mb()),
        }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
