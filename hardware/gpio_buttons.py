"""Buttons on GPIO lines as a source of raw edges with their times.

- The callback runs in the library's thread and only puts a ``ButtonEdge`` into the sink.
- The library's debouncing is off, because lgpio and the kernel would then stamp after the debounce time.
- The source of the times differs by library; ``source`` names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gpiozero import InputDevice

from hardware.button_edges_and_time_accuracy import ButtonEdge, EdgeSource
from hardware.errors import ErrorText, GpioError, raised_as, say
from hardware.real_and_simulated_time import NS_PER_S

_UNUSABLE = say(
    "the {name} button on {pin} cannot be used ({error}); see docs/setup/wiring-and-hardware.md and the [buttons] of "
    "the table file"
)


class EdgeLine:
    """One input line that sends its edges. gpiozero keeps only a weak reference to ``send_edge``, so the owner keeps
    the line.

    :param low_is_active: True if the line is active while it is connected to ground (the built-in pull-up holds it
        high).
    :param sink: called with the new state and its time, in the library's thread; must not block.
    :param unusable: the sentence of the errors, without its ``error``.
    :raises GpioError: if the line cannot be claimed.
    """

    def __init__(
        self, gpio: int, factory: Any, low_is_active: bool, sink: Callable[[bool, int], None], unusable: ErrorText
    ) -> None:
        self._sink, self._low_is_active, self._unusable = sink, low_is_active, unusable
        self._pin_errors: tuple[type[Exception], ...] = factory.pin_errors
        with raised_as(GpioError, unusable, *self._pin_errors):
            self._device = InputDevice(gpio, pull_up=low_is_active, pin_factory=factory)
            try:
                pin = self._device.pin
                pin.bounce, pin.edges, pin.when_changed = None, "both", self.send_edge
            except self._pin_errors:
                self._device.close()
                raise

    def send_edge(self, ticks: float, state: float) -> None:
        """Send the edge; runs in the GPIO library's thread. ``ticks`` are seconds of CLOCK_MONOTONIC; exact to 1 ns for
        26 days of uptime and to 2 ns thereafter."""
        self._sink(bool(state) is not self._low_is_active, round(ticks * NS_PER_S))

    @property
    def is_active(self) -> bool:
        """The level of the line now. For checks; changes are reported as edges.

        :raises GpioError: if the line cannot be read.
        """
        with raised_as(GpioError, self._unusable, *self._pin_errors):
            return bool(self._device.is_active)

    def close(self) -> None:
        """Release the line; no edge comes afterwards."""
        self._device.pin.when_changed = None  # closing the device alone leaves lgpio's callback in place
        self._device.close()


class ButtonInput:
    """Buttons of one table.

    :param pins: GPIO number of each line, as ``{"left": 17, "right": 27, "arbiter": 22}``.
    :param factory: from ``hardware.gpio_library_selection.open_factory``, or a ``SimulatedFactory``.
    :param sink: called with each edge, in the library's thread; must not block (a queue's ``put_nowait``).
    :raises GpioError: if a line cannot be claimed or read; all lines claimed before are released.

    A button connects its line to ground. ``pressed_at_start`` names the lines that were closed when they were claimed:
    they have made no edge.
    """

    def __init__(self, pins: Mapping[str, int], factory: Any, sink: Callable[[ButtonEdge], None]) -> None:
        self.source: EdgeSource = factory.edge_source
        self._sink = sink
        self._lines: dict[str, EdgeLine] = {}
        try:
            for name, gpio in pins.items():
                unusable = _UNUSABLE(name=name, pin=f"GPIO{gpio}")
                self._lines[name] = EdgeLine(gpio, factory, True, partial(self._send, name), unusable)
            self.pressed_at_start = tuple(name for name, line in self._lines.items() if line.is_active)
        except GpioError:
            self.close()
            raise

    def _send(self, name: str, pressed: bool, at_ns: int) -> None:
        self._sink(ButtonEdge(name, pressed, at_ns))

    def recheck(self, now_ns: int, believed: Mapping[str, bool]) -> None:
        """Send an edge at ``now_ns`` for each line whose level differs from the ``believed`` one. The kernel keeps only
        16 waiting edges per line and drops more, so after many bounces the last edge may be missing."""
        for name, pressed in believed.items():
            if name in self._lines and self._lines[name].is_active is not pressed:
                self._send(name, not pressed, now_ns)

    def close(self) -> None:
        """Release the lines; no edge comes afterwards."""
        while self._lines:
            self._lines.popitem()[1].close()
