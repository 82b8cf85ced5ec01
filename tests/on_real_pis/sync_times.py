"""How long this machine's card takes for one ``fdatasync`` of a journal's record (docs/faults-on-real-pis.md).

    python tests/on_real_pis/sync_times.py /var/lib/othello-kiosk --minutes 30

Writes as the journal does: 200 bytes into a preallocated file, ``fdatasync``, five times a second; prints percentiles,
the longest and a histogram as JSON, with the card's name.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

RECORD = b"x" * 200
PREALLOCATED = 4 * 1024 * 1024
EVERY_S = 0.2
#: upper bounds of the histogram's columns, in ms
BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def measure(directory: Path, seconds: float, every_s: float = EVERY_S) -> list[float]:
    """Milliseconds of each sync."""
    path = directory / "sync-times.tmp"
    took = []
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, PREALLOCATED)
        os.fsync(descriptor)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if os.lseek(descriptor, 0, os.SEEK_CUR) + len(RECORD) > PREALLOCATED:
                os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, RECORD)
            begun = time.monotonic()
            os.fdatasync(descriptor)
            took.append((time.monotonic() - begun) * 1000)
            time.sleep(every_s)
    finally:
        os.close(descriptor)
        path.unlink()
    return took


def summary(took: list[float]) -> dict[str, object]:
    ordered = sorted(took)

    def percentile(share: float) -> float:
        return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2)

    histogram = {f"<={bound}": sum(ms <= bound for ms in ordered) for bound in BOUNDS_MS}
    return {
        "syncs": len(ordered),
        "ms": {"p50": percentile(0.5), "p90": percentile(0.9), "p99": percentile(0.99), "p99.9": percentile(0.999)},
        "longest_ms": round(ordered[-1], 2),
        "at_most_ms": histogram,
    }


def card() -> dict[str, str]:
    """What the card says of itself, on a machine with one."""
    device = Path("/sys/block/mmcblk0/device")
    found = {}
    for name in ("name", "manfid", "oemid", "date", "fwrev"):
        try:
            found[name] = (device / name).read_text(encoding="ascii").strip()
        except OSError:
            continue
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--minutes", type=float, default=30.0)
    given = parser.parse_args(arguments)
    took = measure(given.directory, 60 * given.minutes)
    sys.stdout.write(json.dumps({"card": card(), **summary(took)}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
