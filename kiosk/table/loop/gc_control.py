"""Garbage collection and thread switching, set so that the interpreter causes no pause while a clock runs.

- Objects that exist at the start are never collected.
- A full collection runs only while all clocks are stopped.
- A waiting thread gets the interpreter within a millisecond.
- What is loaded on first use (a language) is loaded before the first game.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable

from engine.i18n import say
from kiosk.locale import Lang, render

#: collections of the young generations before the collector would run a full one
_NEVER = 1_000_000_000
#: this many of them justify a full collection once the clocks are stopped
_WORTH = 10
SWITCH_S = 0.001


def configure_gc(languages: Iterable[Lang]) -> None:
    """Prepare the process, once, after the table is assembled and before it runs."""
    for language in languages:
        render(say("Black"), language)
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)
    sys.setswitchinterval(SWITCH_S)


def collect_if_idle() -> None:
    """Run a full collection while the clocks are stopped, if enough was allocated since the last one."""
    if gc.get_count()[2] >= _WORTH:
        gc.collect()
