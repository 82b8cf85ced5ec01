"""Simulated GPIO header: pins whose edges carry the time base's nanoseconds, and buttons with fault injection.

It is a gpiozero factory like the real ones, with the same callbacks and arguments as on a Pi. Each factory has its own
pins and reservations, so one process can simulate a whole hall of tables.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gpiozero import GPIOZeroError
from gpiozero.pins.mock import MockFactory, MockPin
from gpiozero.pins.pi import PiPin

from hardware.button_edges import SIMULATED
from hardware.timebase import NS_PER_S, TimeBase

#: closed, open, closed, open … durations in ns after the first contact: the first 4 ms of a worn microswitch.
WORN_SWITCH_NS = (150_000, 300_000, 80_000, 900_000, 400_000, 1_500_000, 200_000, 500_000)

_RASPBERRY_PI_4B = "c03111"


class SimulatedPin(MockPin):  # type: ignore[misc]  # gpiozero has no annotations
    """Pin that stamps its edges with the time base of its factory, to the nanosecond."""

    _state: bool

    def __init__(self, factory: SimulatedFactory, info: Any) -> None:
        self._lock = threading.RLock()
        self._driven: bool | None = None
        super().__init__(factory, info)

    def drive(self, level: bool, at_ns: int) -> None:
        """Set the external level of the line at ``at_ns``."""
        with self._lock:
            self._driven = level
            if self._state is level:
                return
            self._state = level
            if self._when_changed is not None:
                PiPin._call_when_changed(self, at_ns / NS_PER_S, level)

    def _set_pull(self, value: str) -> None:
        """Set the pull resistor, which does not lift a line that a finger holds down."""
        super()._set_pull(value)
        if self._driven is not None:
            self._state = self._driven

    def _change_state(self, value: float) -> bool:
        """Change the state without recording it; the original keeps the whole history of states."""
        before, self._state = self._state, bool(value)
        return before is not self._state


class SimulatedFactory(MockFactory):  # type: ignore[misc]  # gpiozero has no annotations
    """Header of a simulated Raspberry Pi 4B.

    :param time_base: stamps the edges.
    :param sleep: waits so many seconds for an edge in the future.
    """

    edge_source = SIMULATED
    pin_errors = (GPIOZeroError,)

    def __init__(self, time_base: TimeBase, sleep: Callable[[float], None] = time.sleep) -> None:
        super().__init__(revision=_RASPBERRY_PI_4B, pin_class=SimulatedPin)
        self.time_base = time_base
        self._sleep = sleep
        self._buttons: dict[int, SimulatedButton] = {}

    def button(self, gpio: int) -> SimulatedButton:
        """Return the button wired from this line to ground; the same one each time."""
        return self._buttons.setdefault(gpio, SimulatedButton(self.pin(gpio), self.time_base, self._sleep))

    def is_high(self, gpio: int) -> bool:
        """Return the level of a line: whether a lamp is lit or the buzzer sounds."""
        return bool(self.pin(gpio).state)

    def ticks(self) -> float:
        return self.time_base.now_ns() / NS_PER_S


class SimulatedButton:
    """Simulated finger on a button, for use by one thread at a time; ``dead`` is a button whose wire is off.

    Every ``at_ns`` is on the time base; None is now. Future edges are waited for in real time, past ones are delivered
    at once with their own stamp, so the times are exact regardless of the thread's delay.
    """

    def __init__(self, pin: SimulatedPin, time_base: TimeBase, sleep: Callable[[float], None] = time.sleep) -> None:
        self._pin = pin
        self._time_base = time_base
        self._sleep = sleep
        self._lock = threading.RLock()
        self._last_ns = -1
        self.dead = False

    def press(
        self, at_ns: int | None = None, hold_ns: int = 120_000_000, bounce_ns: Sequence[int] = (), release: bool = True
    ) -> int:
        """Press and release; return the time of the first contact.

        :param bounce_ns: durations closed, open, closed, open … before the contact is stable, as ``WORN_SWITCH_NS``;
            the opening bounces the same way.
        :param release: False leaves the finger on the button (see ``release``).
        :raises ValueError: if bounce_ns does not end open.
        """
        if len(bounce_ns) % 2:
            raise ValueError(f"a bounce is pairs of closed and open durations; {len(bounce_ns)} is odd")
        with self._lock:
            pressed_ns = self._play(True, at_ns, bounce_ns)
            if release:
                self._play(False, pressed_ns + sum(bounce_ns) + hold_ns, bounce_ns)
            return pressed_ns

    def release(self, at_ns: int | None = None, bounce_ns: Sequence[int] = ()) -> int:
        """Release the button; return the time of the first opening."""
        with self._lock:
            return self._play(False, at_ns, bounce_ns)

    def spike(self, width_ns: int = 200_000, at_ns: int | None = None) -> int:
        """Close the line for a moment without a press, as a static discharge does; return its time."""
        return self.press(at_ns, hold_ns=width_ns)

    def stick(self, at_ns: int | None = None) -> int:
        """Press and jam: the button stays down until ``release``. Return the time of the contact."""
        return self.press(at_ns, release=False)

    def _play(self, closed: bool, at_ns: int | None, bounce_ns: Sequence[int]) -> int:
        """Play one contact and its bounces; times never go back, not even by a nanosecond."""
        first_ns = max(self._time_base.now_ns() if at_ns is None else at_ns, self._last_ns + 1)
        for offset_ns, level_closed in _trace(closed, bounce_ns):
            due_ns = first_ns + offset_ns
            wait_ns = due_ns - self._time_base.now_ns()
            if wait_ns > 0:
                self._sleep(self._time_base.real_s(wait_ns))
            if not self.dead:
                self._pin.drive(not level_closed, due_ns)
            self._last_ns = due_ns
        return first_ns


def _trace(closed: bool, bounce_ns: Sequence[int]) -> Iterator[tuple[int, bool]]:
    """Yield ``(offset, closed)`` of each edge: the first contact, then one edge after each bounce duration."""
    offset_ns = 0
    yield offset_ns, closed
    for duration_ns in bounce_ns:
        offset_ns += duration_ns
        closed = not closed
        yield offset_ns, closed
