"""The broadcast: 500 boards and 2 000 streams on one head, and 10 000 spectators of a relay's files.

``python -m benchmarks.live [--tables N] [--streams N] [--seconds S] [--spectators N]`` prints JSON. The head is the
real program in its own process, the tables are real links in this one, and the streams a process that only reads.
``ack`` is a table's waiting time, as in ``benchmarks.head``. The spectators fetch ``live.json`` every three seconds and
a game every fourth time, as the viewer does, over persistent connections from a file server of thirty lines in one
process, which a production server outperforms.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import platform
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from waiting import HANGS_S, until

from benchmarks.head import acknowledgements, at, hall, pace

SMALLEST = ("--tables", "4", "--streams", "2", "--seconds", "0.3", "--spectators", "2")
#: interval at which a viewer fetches the list of games, unless the benchmark is shorter
_FETCHED_EVERY_S = 3.0
_REQUEST = "GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n"


def _more_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _listen(host: str, port: int, streams: int, tables: int, read: Any, stop: Any) -> None:
    """Hold streams open in a separate process; ``read``: the number of streams, and of lines received."""
    _more_files()
    os.nice(5)

    async def one(number: int) -> None:
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(_REQUEST.format(path=f"/stream/live/{number % tables + 1}").encode())
        read[0] += 1
        while line := await reader.readline():
            if line.startswith(b"data:") and b'"games":[{' in line:
                read[1] += 1

    async def everybody() -> None:
        tasks = []
        for number in range(streams):
            tasks.append(asyncio.create_task(one(number)))
            if number % 50 == 0:
                await asyncio.sleep(0.05)
        while not stop.is_set():
            await asyncio.sleep(0.2)
        for task in tasks:
            task.cancel()

    asyncio.run(everybody())


@contextmanager
def streams(url: str, many: int, tables: int) -> Iterator[Any]:
    spawn = multiprocessing.get_context("spawn")
    read, stop = spawn.Array("q", 2), spawn.Event()
    place = urlsplit(url)
    process = spawn.Process(target=_listen, args=(place.hostname, place.port, many, tables, read, stop))
    process.start()
    try:
        until(lambda: read[0] == many)
        yield read
    finally:
        stop.set()
        process.join(HANGS_S)
        process.kill()


def on_one_head(tables: int, many: int, seconds: float) -> dict[str, Any]:
    with hall(2 * tables, tables) as (head, crowd, _):
        crowd.pace = pace(tables)
        alone = acknowledgements(head, crowd, 3, seconds / 3)
        with streams(head.url, many, tables) as read:
            time.sleep(min(5, seconds))
            before = read[1]
            watched = acknowledgements(head, crowd, 3, seconds / 3)
            lines = read[1] - before
        return {"ack_alone": alone, "ack_with_streams": watched, "streams": many, "games_told": lines,
                "memory_mb": round(head.rss_mb())}  # fmt: skip


def _serve(folder: str, port: Any) -> None:
    """Serve files minimally, reading the file for every request."""
    _more_files()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            path = Path(folder) / line.split()[1].decode().lstrip("/")
            while (await reader.readline()).strip():
                pass
            data = path.read_bytes()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(data) + data)
            await writer.drain()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=4096)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    asyncio.run(serve())


async def _watch(port: int, took: list[float], until_s: float, every_s: float, late_s: float, number: int) -> None:
    await asyncio.sleep(late_s)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    looks = number
    while time.perf_counter() < until_s:
        looks += 1
        for path in ("/live.json", "/1.json") if looks % 4 == 0 else ("/live.json",):
            began = time.perf_counter()
            writer.write(_REQUEST.format(path=path).encode())
            length = 0
            while (line := await reader.readline()).strip():
                if line.lower().startswith(b"content-length"):
                    length = int(line.split()[1])
            await reader.readexactly(length)
            took.append(time.perf_counter() - began)
        await asyncio.sleep(every_s)
    writer.close()


def of_a_relay(many: int, seconds: float) -> dict[str, Any]:
    """Return the figures of the files of eight games in play with all spectators."""
    _more_files()
    every_s = min(_FETCHED_EVERY_S, seconds)
    with tempfile.TemporaryDirectory() as folder:
        move = {"by": "black", "move": "f5", "ms": 7300, "changes": "Xe5f5"}
        games = [{"table": number, "number": "0" * 12} for number in range(8)]
        (Path(folder) / "1.json").write_text(json.dumps({"schema": "othello-live/1", "moves": [move] * 60}))
        (Path(folder) / "live.json").write_text(json.dumps({"games": games}))
        spawn = multiprocessing.get_context("spawn")
        port = spawn.Value("i", 0)
        server = spawn.Process(target=_serve, args=(folder, port))
        server.start()
        try:
            until(lambda: port.value)
            took: list[float] = []

            async def everybody() -> None:
                end = time.perf_counter() + seconds + every_s
                watching = (
                    _watch(port.value, took, end, every_s, every_s * number / many, number) for number in range(many)
                )
                await asyncio.gather(*watching)

            asyncio.run(everybody())
        finally:
            server.kill()
            server.join()
    return {"spectators": many, "requests": len(took), "requests_per_s": round(len(took) / (seconds + every_s)),
            "p50_ms": round(1000 * at(took, 0.5), 1), "p99_ms": round(1000 * at(took, 0.99), 1)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--spectators", type=int, default=10_000)
    options = parser.parse_args()
    figures: dict[str, Any] = {"machine": {"cores": os.cpu_count(), "python": platform.python_version(),
                                           "load": os.getloadavg()}}  # fmt: skip
    if options.spectators:
        figures["relay"] = of_a_relay(options.spectators, options.seconds)
    if options.streams:
        figures["head"] = on_one_head(options.tables, options.streams, options.seconds)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
