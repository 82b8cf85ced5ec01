"""Simulated GPIO header: pins whose edges carry the time base's nanoseconds, and buttons.

It is a gpiozero factory like the real ones, with the same callbacks and arguments as on a Pi. Each factory has its own
pins and reservations, so one process can simulate a whole hall of tables.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from gpiozero import GPIOZeroError
from gpiozero.pins.mock import MockFactory, MockPin
from gpiozero.pins.pi import PiPin

from hardware.button_edges_and_time_accuracy import SIMULATED
from hardware.real_and_simulated_time import NS_PER_S, TimeBase, now_s

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

    def ticks(self) -> float:
        return now_s(self.time_base)


class SimulatedButton:
    """Simulated finger on a button, for use by one thread at a time.

    Every ``at_ns`` is on the time base; None is now. Future edges are waited for in real time, past ones are delivered
    at once with their own stamp, so the times are exact regardless of the thread's delay.
    """

    def __init__(self, pin: SimulatedPin, time_base: TimeBase, sleep: Callable[[float], None] = time.sleep) -> None:
        self._pin = pin
        self._time_base = time_base
        self._sleep = sleep
        self._lock = threading.RLock()
        self._last_ns = -1

    def press(self, at_ns: int | None = None, hold_ns: int = 120_000_000, *, release: bool = True) -> int:
        """Press and release; return the time of the contact.

        :param release: False leaves the finger on the button (see ``release``).
        """
        with self._lock:
            pressed_ns = self._set(True, self._not_before(at_ns))
            if release:
                self._set(False, self._not_before(pressed_ns + hold_ns))
            return pressed_ns

    def release(self, at_ns: int | None = None) -> int:
        """Release the button; return the time of the opening."""
        with self._lock:
            return self._set(False, self._not_before(at_ns))

    def _not_before(self, at_ns: int | None) -> int:
        """Return the time of the next edge; times never go back, not even by a nanosecond."""
        return max(self._time_base.now_ns() if at_ns is None else at_ns, self._last_ns + 1)

    def _set(self, closed: bool, due_ns: int) -> int:
        wait_ns = due_ns - self._time_base.now_ns()
        if wait_ns > 0:
            self._sleep(self._time_base.real_s(wait_ns))
        self._pin.drive(not closed, due_ns)
        self._last_ns = due_ns
        return due_ns
