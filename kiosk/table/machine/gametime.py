"""The table's one time: the monotonic clock, moved so that it never goes back over a power cut.

A reboot starts CLOCK_MONOTONIC anew. The journal knows the last instant that was lived and gives the offset from which
``ShiftedTime`` goes on, so the times of a game never decrease and the time without power is charged to nobody.
"""

from __future__ import annotations

from hardware.timebase import TimeBase


class ShiftedTime:
    """``base`` plus a fixed offset (a ``TimeBase``). ``offset_ns`` is also added to the edges' own stamps."""

    __slots__ = ("_base", "offset_ns")

    def __init__(self, base: TimeBase, offset_ns: int) -> None:
        self._base = base
        self.offset_ns = offset_ns

    def now_ns(self) -> int:
        return self._base.now_ns() + self.offset_ns

    def real_s(self, duration_ns: int) -> float:
        return self._base.real_s(duration_ns)
