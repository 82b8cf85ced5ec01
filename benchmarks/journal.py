"""The journal: time of ``append`` while every fdatasync stalls, time to save a record on this disk, and the effect of
preallocation on a sync.

``python -m benchmarks.journal [--appends N] [--directory D]`` prints JSON. The stalls: 8 ms median, 1 % 250 ms, 0.1 % 2
s; the other figures are those of the disk under ``--directory`` (the temporary one by default). Bytes written by a sync
are counted by the kernel for the whole device, so other work on it counts too.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median, quantiles

from simulate.storage_faults import FaultyStorage

from kiosk.table.journal.journal_and_link_outbox import Journal
from kiosk.table.journal.journal_storage_and_sd_card_alarms import Storage
from kiosk.table.journal.segment_files_and_recovery import recover

SMALLEST = ("--appends", "10", "--syncs", "2")
PRESS = {"kind": "press", "at_ns": 123_456_789_012, "seat": "left"}


def spread(seconds: list[float], unit: float) -> dict[str, float]:
    cuts = quantiles(seconds, n=100)
    return {
        name: round(value * unit, 3)
        for name, value in zip(("p50", "p99", "max"), (cuts[49], cuts[98], max(seconds)), strict=True)
    }


def stalls(random: Random) -> float:
    chance = random.random()
    return 2.0 if chance < 0.001 else 0.25 if chance < 0.011 else random.lognormvariate(0, 0.3) * 0.008


def stalled_appends(count: int) -> dict[str, float]:
    random = Random(8)

    def before(operation: str, number: int) -> None:
        if operation == "sync":
            time.sleep(stalls(random))

    journal = Journal(Path("/journal"), storage=FaultyStorage(before=before)).start()
    took = []
    for _ in range(count):
        began = time.perf_counter()
        journal.append("event", PRESS)
        took.append(time.perf_counter() - began)
        time.sleep(0.001)
    journal.close(10)
    return spread(took, 1e6)


def one_by_one(directory: Path, count: int) -> dict[str, float]:
    journal = Journal(directory).start()
    took = []
    for _ in range(count):
        began = time.perf_counter()
        journal.append("event", PRESS)
        journal.flush(30)
        took.append(time.perf_counter() - began)
    journal.close()
    return spread(took, 1e3)


def written_bytes(directory: Path) -> int | None:
    """Return the bytes written to the directory's device since boot, if the kernel reports them."""
    device = directory.stat().st_dev
    stat = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")
    return int(stat.read_text(encoding="ascii").split()[6]) * 512 if stat.exists() else None


def syncs(file: Path, preallocated: int, count: int) -> tuple[float, float, float | None]:
    """Return median and 99th percentile in microseconds, and kilobytes written, of one small write and its sync."""
    opened = Storage().create(file)
    if preallocated:
        opened.reserve(preallocated)
    opened.sync()
    os.sync()
    before, took = written_bytes(file.parent), []
    for _ in range(count):
        began = time.perf_counter()
        opened.write(bytes(range(1, 121)))
        opened.sync()
        took.append((time.perf_counter() - began) * 1e6)
    after = written_bytes(file.parent)
    opened.close()
    cuts = quantiles(took, n=100)
    return cuts[49], cuts[98], None if before is None or after is None else (after - before) / count / 1024


def room_set_aside(directory: Path, count: int, rounds: int = 5) -> dict[str, dict[str, float | None]]:
    """Return medians over the rounds of both ways, measured alternately."""
    found: dict[str, list[tuple[float, float, float | None]]] = {"growing": [], "set_aside": []}
    for number in range(rounds):
        for name, room in (("growing", 0), ("set_aside", 128 * 1024)):
            found[name].append(syncs(directory / f"{name}-{number}", room, count))
    return {
        name: {
            figure: None if None in values else round(median(value for value in values if value is not None), 1)
            for figure, values in zip(("p50_us", "p99_us", "written_kb"), zip(*runs, strict=True), strict=True)
        }
        for name, runs in found.items()
    }


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--appends", type=int, default=10_000)
    options.add_argument("--syncs", type=int, default=300)
    options.add_argument("--directory", type=Path, help="Measure the disk under this directory.")
    arguments = options.parse_args()
    count = arguments.appends
    with tempfile.TemporaryDirectory(dir=arguments.directory) as directory:
        figures: dict[str, object] = {
            "append_us_while_every_sync_stalls": stalled_appends(count),
            "append_to_saved_ms": one_by_one(Path(directory) / "one", arguments.syncs),
            "one_sync": room_set_aside(Path(directory), arguments.syncs),
        }
        journal = Journal(Path(directory) / "many").start()
        for _ in range(count):
            journal.append("event", PRESS)
        journal.close()
        began = time.perf_counter()
        recover(Path(directory) / "many")
        figures[f"recovery_of_{count}_records_ms"] = round((time.perf_counter() - began) * 1e3, 1)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
