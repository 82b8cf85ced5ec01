"""Write speed of this machine's SD card, and the card's own data (docs/develop/testing.md).

A sync is measured as the journal makes it: 200 bytes into a preallocated file, ``fdatasync``, five times a second. Only
measured values are reported.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.i18n import say
from kiosk import platform_compat
from kiosk.doctor.check_result import CheckResult, ok, warning

RECORD = b"x" * 200
PREALLOCATED = 4 * 1024 * 1024
EVERY_S = 0.2
#: upper bounds of the histogram's columns, in ms
BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
#: slower syncs delay "saved" on the screen so long that players ask
SLOW_MS = 2000
DEVICE = Path("/sys/block/mmcblk0/device")
#: tenths of an eMMC's life used, by its own report, at which it should be replaced
WORN = 9


def measure(
    directory: Path, seconds: float, every_s: float = EVERY_S, monotonic_s: Callable[[], float] = time.monotonic
) -> list[float]:
    """Return the milliseconds of each sync.

    :raises OSError: the directory cannot be written.
    """
    path = directory / "sync-times.tmp"
    path.unlink(missing_ok=True)  # left by an interrupted measurement
    took = []
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        platform_compat.reserve(descriptor, PREALLOCATED)
        os.fsync(descriptor)
        end = monotonic_s() + seconds
        while monotonic_s() < end:
            if os.lseek(descriptor, 0, os.SEEK_CUR) + len(RECORD) > PREALLOCATED:
                os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, RECORD)
            begun = monotonic_s()
            platform_compat.sync_data(descriptor)
            took.append((monotonic_s() - begun) * 1000)
            time.sleep(every_s)
    finally:
        os.close(descriptor)
        path.unlink()
    return took


def summary(took: list[float]) -> dict[str, object]:
    """Return percentiles, the longest, and the histogram, in ms."""
    ordered = sorted(took)
    histogram = {f"<={bound}": sum(ms <= bound for ms in ordered) for bound in BOUNDS_MS}
    return {
        "syncs": len(ordered),
        "ms": {f"p{100 * share:g}": percentile(ordered, share) for share in (0.5, 0.9, 0.99, 0.999)},
        "longest_ms": round(ordered[-1], 2),
        "at_most_ms": histogram,
    }


def percentile(ordered: list[float], share: float) -> float:
    """Return the value below which that share of the values is."""
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2)


def card(device: Path = DEVICE) -> dict[str, str]:
    """Return the card's own data, on a machine with a card."""
    found = {}
    for name in ("name", "manfid", "oemid", "date", "fwrev", "life_time"):
        try:
            found[name] = (device / name).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            continue
    return found


def card_findings(took: list[float], about: dict[str, str]) -> Iterator[CheckResult]:
    """Report the measurements in sentences."""
    ordered = sorted(took)
    is_slow = ordered[-1] > SLOW_MS
    text = say("{n} syncs: half within {p50} ms, 99 of 100 within {p99} ms, the longest {longest} ms.")
    if is_slow:
        text = say(
            "The card is slow at times: of {n} syncs half took {p50} ms, the longest {longest} ms; take another model."
        )
    p50, p99 = percentile(ordered, 0.5), percentile(ordered, 0.99)
    yield (warning if is_slow else ok)(
        "card-sync", text(n=len(ordered), p50=p50, p99=p99, longest=round(ordered[-1], 1))
    )
    if "life_time" not in about:
        yield ok("card-wear", say("This card does not report its wear (only eMMC does)."))
        return
    worn = max((int(word, 16) for word in re.findall(r"\b(?:0x)?[0-9a-fA-F]+\b", about["life_time"])), default=0)
    text = say("The card reports that {n}/10 of its lifetime is used.", n=worn)
    yield warning("card-wear", text) if worn >= WORN else ok("card-wear", text)
