"""Virtual time: an event loop that never waits, and the connection of a table to the head in it.

Time moves only when nothing is left to do, and then directly to the next scheduled call. A loop with nothing scheduled
would stay idle for ever, which is an error.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any

from hardware.real_and_simulated_time import NS_PER_S
from kiosk.link.message_macs_versions_handshake import MAX_FRAME
from kiosk.link.transport_interfaces import ChannelClosedError, HeadChannel

#: passes of the loop at one instant at most; the busiest need some hundreds
MOST_AT_ONCE = 10_000

#: calls due within this time are due now
RESOLUTION_S = 1 / NS_PER_S

#: the shortest wait of a program
SHORTEST_WAIT_NS = 1_000

#: start of every day in monotonic time
START_NS = 1_000 * NS_PER_S
#: Sunday, 24 March 2019, 09:00 in Japan
START_WALL_NS = 1_553_385_600 * NS_PER_S


class DeadlockError(RuntimeError):
    """Error if nothing is scheduled, or an instant never ends."""


class VirtualTime:
    """The time of a simulated day, and the clocks of a table's or head's machine."""

    __slots__ = ("_now_ns",)

    def __init__(self) -> None:
        self._now_ns = START_NS

    def now_ns(self) -> int:
        return self._now_ns

    def monotonic_s(self) -> float:
        return self._now_ns / NS_PER_S

    def wall_ns(self) -> int:
        return START_WALL_NS + self._now_ns - START_NS

    def wall_clock(self) -> str:
        """Return the wall clock in the head's format."""
        return datetime.fromtimestamp(self.wall_ns() / NS_PER_S, UTC).isoformat(timespec="milliseconds")

    def real_s(self, duration_ns: int) -> float:
        return max(duration_ns, 0) / NS_PER_S

    def pass_s(self, duration_s: float) -> None:
        self._now_ns += max(1, round(duration_s * NS_PER_S))


class _Task(asyncio.Task[Any]):
    """Task whose order in a set (of a group's tasks, of a head's connections) does not depend on its address."""

    def __init__(self, number: int, *args: Any, **kwargs: Any) -> None:
        self._number = number
        super().__init__(*args, **kwargs)

    def __hash__(self) -> int:
        return self._number


class VirtualLoop(asyncio.SelectorEventLoop):
    """Event loop in which calls from other threads do not occur, and work for a thread runs at once. Instead of waiting
    for I/O, it moves the time.
    """

    _ready: deque[asyncio.Handle]
    _stopping: bool

    def __init__(self, time: VirtualTime) -> None:
        super().__init__()
        self._virtual = time
        self._due: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._order = count()
        self._at_once = 0
        numbers = count()
        self.set_task_factory(lambda loop, coro, **kwargs: _Task(next(numbers), coro, loop=loop, **kwargs))

    def time(self) -> float:
        return self._virtual.monotonic_s()

    def call_at(  # type: ignore[override]  # the stub's type variables say the same
        self, when: float, callback: Callable[..., Any], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        heappush(self._due, (when, next(self._order), handle))
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self._virtual.monotonic_s() + delay, callback, *args, context=context)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Do nothing; a cancelled timer is dropped when it is due."""

    def _run_once(self) -> None:
        """Run one pass, as ``asyncio.BaseEventLoop`` does, without polling for I/O."""
        due, ready, now_s = self._due, self._ready, self._virtual.monotonic_s()
        self._at_once += 1
        if not ready and not self._stopping:
            while due and due[0][2]._cancelled:
                heappop(due)
            if not due:
                raise DeadlockError("nothing is due any more: every part waits for another")
            if (wait_s := due[0][0] - now_s) > 0:
                self._virtual.pass_s(wait_s)
                self._at_once = 0
                now_s = self._virtual.monotonic_s()
        if self._at_once > MOST_AT_ONCE:
            self._at_once = 0
            raise DeadlockError("something goes on and on, and no time passes")
        end_s = now_s + RESOLUTION_S
        while due and due[0][0] < end_s:
            ready.append(heappop(due)[2])
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Any = None
    ) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def run_in_executor(  # type: ignore[override]  # the stub's type variables say the same
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - as an executor: whoever awaits it gets it
            future.set_exception(error)
        return future


# --- network connections between tables and head; like a WebSocket: whole frames in order, until one side ends it

LATENCY_S = (0.000_5, 0.008)


class WireEnd:
    """One side of a connection."""

    frame_bytes = MAX_FRAME
    handshake_s = 6.0

    def __init__(self, wire: Wire, is_table: bool) -> None:
        self._wire = wire
        self.is_table = is_table
        self._frames: asyncio.Queue[bytes | int | None] = asyncio.Queue()
        self._arrives_s = 0.0
        self.peer: WireEnd = self
        self.over = False

    async def receive(self) -> bytes:
        if self.over:
            raise ChannelClosedError
        frame = await self._frames.get()
        if isinstance(frame, bytes):
            return frame
        self.over = True
        raise ChannelClosedError(frame)

    async def send(self, frame: bytes) -> None:
        if self.over:
            raise ChannelClosedError
        self._schedule_delivery(frame)

    def note_key_proved(self) -> None:
        """No server guards this connection."""

    async def close(self, code: int) -> None:
        self.over = True
        self._schedule_delivery(code)

    def end(self) -> None:
        """Close the connection at a stopped machine's side."""
        if not self.over:
            self.over = True
            self._schedule_delivery(None)

    def _schedule_delivery(self, what: bytes | int | None) -> None:
        if self._wire.carries(self):
            loop = asyncio.get_running_loop()
            self._arrives_s = max(self._arrives_s, loop.time() + self._wire.latency_s())
            loop.call_at(self._arrives_s, self.peer.deliver, what)

    def deliver(self, what: bytes | int | None) -> None:
        self._frames.put_nowait(what)


class Wire:
    """The connection of one table to the head, a transport. ``answer`` begins a connection at the head's end, or raises
    ``OSError`` when there is no head.
    """

    def __init__(self, chance: Random, answer: Callable[[HeadChannel], asyncio.Task[None]]) -> None:
        self._chance = chance
        self._answer = answer

    def latency_s(self) -> float:
        return self._chance.uniform(*LATENCY_S)

    def carries(self, end: WireEnd) -> bool:
        """Return whether a frame sent at this end arrives."""
        return True

    async def reach(self) -> None:
        """Wait for the head's machine.

        :raises TimeoutError: it does not answer.
        """

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[WireEnd]:
        await asyncio.sleep(self.latency_s())
        await self.reach()
        table, head = WireEnd(self, True), WireEnd(self, False)
        table.peer, head.peer = head, table
        connection = self._answer(head)
        connection.add_done_callback(lambda _: head.end())
        try:
            yield table
        finally:
            table.end()
