"""Buttons on GPIO lines as a source of raw edges with their times.

- The callback runs in the library's thread and only puts a ``ButtonEdge`` into the sink.
- The library's debouncing is off, because lgpio and the kernel would then stamp after the debounce time.
- The source of the times differs by library; ``source`` names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpiozero import InputDevice

from hardware.button_edges_and_time_accuracy import ButtonEdge, EdgeSource
from hardware.errors import GpioError, say
from hardware.real_and_simulated_time import NS_PER_S

__all__ = ["ButtonEdge", "ButtonInput", "EdgeSource"]


class _Line:
    """One button. gpiozero keeps only a weak reference to ``send_edge``, so ``ButtonInput`` keeps the line."""

    def __init__(self, name: str, device: Any, sink: Callable[[ButtonEdge], None], pull_up: bool) -> None:
        self.name = name
        self.device = device
        self._sink = sink
        self._low_is_pressed = pull_up

    def send_edge(self, ticks: float, state: float) -> None:
        """Send the edge; runs in the GPIO library's thread. ``ticks`` are seconds of CLOCK_MONOTONIC; exact to 1 ns for
        26 days of uptime and to 2 ns thereafter."""
        self._sink(ButtonEdge(self.name, bool(state) is not self._low_is_pressed, round(ticks * NS_PER_S)))

    def listen(self) -> None:
        pin = self.device.pin
        pin.bounce = None
        pin.edges = "both"
        pin.when_changed = self.send_edge


class ButtonInput:
    """Buttons of one table.

    :param pins: GPIO number of each line, as ``{"left": 17, "right": 27, "arbiter": 22}``.
    :param factory: from ``hardware.gpio_library_selection.open_factory``, or a ``SimulatedFactory``.
    :param sink: called with each edge, in the library's thread; must not block (a queue's ``put_nowait``).
    :param pull_up: True if the button connects the line to ground (pressed = low, the built-in pull-up holds it high).
    :raises GpioError: if a line cannot be claimed or read; all lines claimed before are released.

    ``pressed_at_start`` names the lines that were closed when they were claimed: they have made no edge.
    """

    def __init__(
        self, pins: Mapping[str, int], factory: Any, sink: Callable[[ButtonEdge], None], pull_up: bool = True
    ) -> None:
        self.source: EdgeSource = factory.edge_source
        self._sink = sink
        self._pin_errors: tuple[type[Exception], ...] = factory.pin_errors
        self._lines: list[_Line] = []
        try:
            for name, gpio in pins.items():
                self._lines.append(_claim_line(name, gpio, factory, sink, pull_up))
            self.pressed_at_start = tuple(line.name for line in self._lines if self.is_pressed(line.name))
        except GpioError:
            self.close()
            raise

    def is_pressed(self, name: str) -> bool:
        """Return the level of a line now. For checks; presses are reported as edges.

        :raises GpioError: if the line cannot be read.
        """
        line = next(line for line in self._lines if line.name == name)
        try:
            return bool(line.device.is_active)
        except self._pin_errors as error:
            raise _button_error(name, repr(line.device.pin), error) from error

    def recheck(self, now_ns: int, believed: Mapping[str, bool]) -> None:
        """Send an edge at ``now_ns`` for each line whose level differs from the ``believed`` one. The kernel keeps only
        16 waiting edges per line and drops more, so after many bounces the last edge may be missing."""
        for name, pressed in believed.items():
            if name in {line.name for line in self._lines} and self.is_pressed(name) is not pressed:
                self._sink(ButtonEdge(name, not pressed, now_ns))

    def close(self) -> None:
        """Release the lines; no edge comes afterwards."""
        while self._lines:
            device = self._lines.pop().device
            device.pin.when_changed = None  # closing the device alone leaves lgpio's callback in place
            device.close()


def _claim_line(name: str, gpio: int, factory: Any, sink: Callable[[ButtonEdge], None], pull_up: bool) -> _Line:
    try:
        device = InputDevice(gpio, pull_up=pull_up, pin_factory=factory)
    except factory.pin_errors as error:
        raise _button_error(name, f"GPIO{gpio}", error) from error
    line = _Line(name, device, sink, pull_up)
    try:
        line.listen()
    except factory.pin_errors as error:
        device.close()
        raise _button_error(name, f"GPIO{gpio}", error) from error
    return line


def _button_error(name: str, pin: str, error: Exception) -> GpioError:
    return GpioError(
        say(
            "the {name} button on {pin} cannot be used ({error}); see "
            "docs/setup/wiring-and-hardware.md and the [buttons] of the table file",
            name=name,
            pin=pin,
            error=error,
        ),
    )
