"""Cost of a sign-in on the head's machine: one Argon2id hash.

``python -m benchmarks.access [--times 20]`` prints JSON. ``hash_ms`` is the median of that many; ``wrong_ms`` is for a
password of an account that does not exist, which must take as long, so that existing accounts cannot be found out.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from statistics import median

from kiosk.head.access import passwords_and_codes

SMALLEST = ("--times", "1")


def _ms(what: Callable[[], object]) -> float:
    begun_s = time.perf_counter()
    what()
    return 1000 * (time.perf_counter() - begun_s)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args().times
    hash = passwords_and_codes.hash_password("green discs rule")
    right = median(_ms(lambda: passwords_and_codes.verify_password(hash, "green discs rule")) for _ in range(times))
    wrong = median(_ms(lambda: passwords_and_codes.verify_password(None, "green discs rule")) for _ in range(times))
    cost = {
        "memory_kib": passwords_and_codes.MEMORY_KIB,
        "passes": passwords_and_codes.PASSES,
        "lanes": passwords_and_codes.LANES,
    }
    report = {"machine": platform.machine(), **cost, "hash_ms": round(right, 1), "wrong_ms": round(wrong, 1)}
    print(json.dumps(report))


if __name__ == "__main__":
    main()
