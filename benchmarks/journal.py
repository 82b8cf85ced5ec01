"""The journal: how long ``append`` takes while every fdatasync stalls, and how long a record takes to be saved here.

``python -m benchmarks.journal [--appends N]`` prints JSON. The stalls: 8 ms median, 1 % 250 ms,
0.1 % 2 s; the figures of ``saved`` are those of this machine's disk under the temporary directory.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import quantiles

from kiosk.table.journal import Journal, recover
from kiosk.table.journal.storage_faults import FaultyStorage

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

    journal = Journal.open(Path("/journal"), storage=FaultyStorage(before=before))
    took = []
    for _ in range(count):
        began = time.perf_counter()
        journal.append("event", PRESS)
        took.append(time.perf_counter() - began)
        time.sleep(0.001)
    journal.close(10)
    return spread(took, 1e6)


def one_by_one(directory: Path, count: int) -> dict[str, float]:
    journal = Journal.open(directory)
    took = []
    for _ in range(count):
        began = time.perf_counter()
        journal.append("event", PRESS)
        journal.flush(30)
        took.append(time.perf_counter() - began)
    journal.close()
    return spread(took, 1e3)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--appends", type=int, default=10_000)
    count = options.parse_args().appends
    with tempfile.TemporaryDirectory() as directory:
        figures: dict[str, object] = {
            "append_us_while_every_sync_stalls": stalled_appends(count),
            "append_to_saved_ms": one_by_one(Path(directory) / "one", 300),
        }
        journal = Journal.open(Path(directory) / "many")
        for _ in range(10_000):
            journal.append("event", PRESS)
        journal.close()
        began = time.perf_counter()
        recover(Path(directory) / "many")
        figures["recovery_of_10000_records_ms"] = round((time.perf_counter() - began) * 1e3, 1)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
