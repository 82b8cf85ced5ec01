"""Waiting for another thread or process. The timeout only guards against hanging; no test depends on how long something
takes.
"""

from __future__ import annotations

import time
from collections.abc import Callable

#: timeout of a wait in seconds: just below pytest's timeout of the whole test
HANGS_S = 280.0


def until(true: Callable[[], object], what: Callable[[], object] = lambda: "") -> None:
    """Poll until ``true()`` holds, less often the longer it takes, because polling slows the other side down.

    :param what: message if it hangs
    """
    began = time.monotonic()
    while not true():
        waited = time.monotonic() - began
        assert waited < HANGS_S, f"it hangs {what()}"
        time.sleep(min(0.005 + waited / 10, 0.1))
