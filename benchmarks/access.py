"""What a sign-in costs the head's machine: one Argon2id hash.

``python -m benchmarks.access`` prints JSON. ``hash_ms`` is the median of 20; ``wrong_ms`` of a password for an account
that is not there, which must take as long, so that nobody learns which accounts exist.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from statistics import median

from kiosk.head.access import passwords


def _ms(what: Callable[[], object]) -> float:
    begun_s = time.perf_counter()
    what()
    return 1000 * (time.perf_counter() - begun_s)


if __name__ == "__main__":
    hash = passwords.hashed("green discs rule")
    right = median(_ms(lambda: passwords.matches(hash, "green discs rule")) for _ in range(20))
    wrong = median(_ms(lambda: passwords.matches(None, "green discs rule")) for _ in range(20))
    cost = {"memory_kib": passwords.MEMORY_KIB, "passes": passwords.PASSES, "lanes": passwords.LANES}
    report = {"machine": platform.machine(), **cost, "hash_ms": round(right, 1), "wrong_ms": round(wrong, 1)}
    print(json.dumps(report))
