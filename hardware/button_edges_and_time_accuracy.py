"""Edges of button lines, and the accuracy of their times."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.errors import ErrorText, say


@dataclass(frozen=True, slots=True)
class ButtonEdge:
    """One change of one line: ``line`` is "left", "right" or "arbiter", ``at_ns`` the time base at the change."""

    line: str
    pressed: bool
    at_ns: int


@dataclass(frozen=True, slots=True)
class EdgeSource:
    """Source of the times of the edges; shown on the table's status page and journalled.

    ``accuracy_ns`` is the expected accuracy of one edge's time in ordinary operation, not a guaranteed bound; 0 is
    exact.
    """

    name: str
    accuracy_ns: int
    text: ErrorText


LGPIO = EdgeSource(
    "lgpio", 50_000, say("kernel edge times (lgpio): stamped in the interrupt, whatever the program is doing")
)
_CALLBACK_NS = 10_000_000
_RPIGPIO_TEXT = say(
    "callback times (RPi.GPIO): stamped when the program is called, late when the table is busy; use lgpio for events"
)
RPIGPIO = EdgeSource("rpigpio", _CALLBACK_NS, _RPIGPIO_TEXT)
_RPI_LGPIO_TEXT = say(
    "callback times (rpi-lgpio): the kernel knows the time of each edge but this library hands on its own; use lgpio"
)
RPI_LGPIO = EdgeSource("rpi-lgpio", _CALLBACK_NS, _RPI_LGPIO_TEXT)
SIMULATED = EdgeSource("simulated", 0, say("simulated buttons: times are exact, no hardware is connected"))
