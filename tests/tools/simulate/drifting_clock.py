"""The clocks of one machine in a simulated hall, and the event loop of a hall with serial cables."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from kiosk.demo.virtual_time_loop_and_connection import SHORTEST_WAIT_NS, START_NS, VirtualLoop, VirtualTime

T = TypeVar("T")


class DriftingClock(VirtualTime):
    """The clocks of one machine in the hall: a crystal with a drift in parts per million, and a wall clock that may be
    set.
    """

    __slots__ = ("_time", "ahead_ns", "too_fast_ppm")

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self.too_fast_ppm = 0
        self.ahead_ns = 0

    def now_ns(self) -> int:
        return self._at(self._time.now_ns())

    def _at(self, now_ns: int) -> int:
        return now_ns + (now_ns - START_NS) * self.too_fast_ppm // 1_000_000

    def wall_ns(self) -> int:
        return self._time.wall_ns() + self.ahead_ns

    def real_s(self, duration_ns: int) -> float:
        """Return the real duration in one piece; with a slow crystal a program would otherwise wake too early and wait
        for the rest repeatedly.
        """
        real_ns = duration_ns
        if self.too_fast_ppm < 0 < duration_ns:
            now_ns, due_ns = self._time.now_ns(), self.now_ns() + duration_ns
            while (left_ns := due_ns - self._at(now_ns + real_ns)) > 0:
                real_ns += max(left_ns, SHORTEST_WAIT_NS)
        return self._time.real_s(real_ns)


class WaitedFor(Protocol):
    """A port on whose descriptor a program waits. None: it waits no longer."""

    def when_readable(self, call: Callable[[], object] | None) -> None: ...
    def when_writable(self, call: Callable[[], object] | None) -> None: ...


class PortLoop(VirtualLoop):
    """Virtual time with simulated serial ports (``simulate.simulated_cables``), by their descriptors."""

    def __init__(self, time: VirtualTime) -> None:
        super().__init__(time)
        self.ports: dict[int, WaitedFor] = {}

    def add_reader(self, fd: Any, callback: Callable[..., Any], *args: Any) -> None:  # type: ignore[override]
        self.ports[fd].when_readable(callback)

    def remove_reader(self, fd: Any) -> bool:
        self.ports[fd].when_readable(None)
        return True

    def add_writer(self, fd: Any, callback: Callable[..., Any], *args: Any) -> None:  # type: ignore[override]
        self.ports[fd].when_writable(callback)

    def remove_writer(self, fd: Any) -> bool:
        self.ports[fd].when_writable(None)
        return True


def run(time: VirtualTime, main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a day to its end. An error in any part of it ends it."""
    with asyncio.Runner(loop_factory=lambda: PortLoop(time)) as runner:
        return runner.run(main())
