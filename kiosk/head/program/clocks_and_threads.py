"""The machine that a head runs on: its clocks and its threads.

Whoever builds a head passes it in, real or simulated; nothing in the head asks which one it was given.
"""

from __future__ import annotations

import time as clocks
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy import Connection, Engine

from hardware.timebase import NS_PER_S, SystemTime, TimeBase
from kiosk.head.desk.background_pairings_and_standings import QUICK
from kiosk.head.desk.table_assignment_and_publication_thread import AutoAdvanceThread
from kiosk.head.federation.push_thread import Pusher
from kiosk.head.store.store_rows import wall_clock
from kiosk.head.store.store_writer import StoreWriter
from kiosk.platform_compat import elapsed_ns


@dataclass(frozen=True, slots=True)
class Runtime:
    """Clocks and threads of a head. ``session_ns``: time for the age of sessions, also while the machine sleeps.
    ``quick``: calculations up to this weight run at once (``kiosk.head.desk.background_pairings_and_standings``).
    ``reads_ahead``: as in ``kiosk.head.tables.live_table_state``."""

    time: TimeBase = field(default_factory=SystemTime)
    session_ns: Callable[[], int] = elapsed_ns
    wall_ns: Callable[[], int] = clocks.time_ns
    wall_clock: Callable[[], str] = wall_clock
    store_writer: Callable[[Engine, Connection], StoreWriter] = StoreWriter
    worker: Callable[..., AutoAdvanceThread] = AutoAdvanceThread
    pusher: Callable[..., Pusher] = Pusher
    quick: float = QUICK
    reads_ahead: bool = True

    def monotonic_s(self) -> float:
        return self.time.now_ns() / NS_PER_S


REAL = Runtime()
