"""No pause of the interpreter's own while a clock runs.

The law: what is there at the start is never searched for garbage again, a full search happens only while every clock
stands, a thread that waits for the interpreter gets it within a millisecond, and what is loaded at its first use (a
language) is loaded before the first game.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable

from engine.text import say
from kiosk.locale import Lang, render

#: searches of the young that the collector makes before it would search everything
_NEVER = 1_000_000_000
#: so many of them are worth a full search once the clocks stand
_WORTH = 10
SWITCH_S = 0.001


def prepare(spoken: Iterable[Lang]) -> None:
    """Once, for the whole process, when the table is put together and before it runs."""
    for language in spoken:
        render(say("Black"), language)
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)
    sys.setswitchinterval(SWITCH_S)


def tidy() -> None:
    """The clocks stand: a full search, if there was enough to do since the last one."""
    if gc.get_count()[2] >= _WORTH:
        gc.collect()
