"""Detection of faulty buttons from the debouncer's reports. Pure: time is passed in with the reports.

Faults, for each line by itself:

- ``STUCK``: the debouncer reported a press as stuck; lasts until its release.
- ``LOOSE``: ``SPIKES`` presses within ``WINDOW_NS`` were retracted because the contact did not hold: a loose wire, a
  worn switch, or static. Lasts until a press has held and ``WINDOW_NS`` have passed without a spike.
- ``SILENT``: the expected button has never given an edge, and the other one was pressed ``TRIES`` times out of turn:
  its wire may be off, or a player is impatient. Lasts until it gives an edge.

The presses of a faulty button still count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from hardware.debounce import DebouncedPress, Glitch, Release, Report, StuckButton

SPIKES = 4
WINDOW_NS = 60_000_000_000
TRIES = 3


class ButtonFault(StrEnum):
    STUCK = "stuck"
    LOOSE = "loose"
    SILENT = "silent"


@dataclass(slots=True)
class _Line:
    stuck: bool = False
    loose: bool = False
    held_since_spike: bool = False
    heard: bool = False
    missed: int = 0
    spikes_ns: list[int] = field(default_factory=list)


class ButtonHealth:
    """Fault state of all lines, fed with the debouncer's reports and with presses out of turn."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line] = {}

    def receive(self, report: Report) -> None:
        line = self._line(report.line)
        match report:
            case DebouncedPress():
                line.heard, line.missed = True, 0
            case Release():
                line.stuck, line.held_since_spike = False, True
            case StuckButton():
                line.stuck = True
            case Glitch(_, at_ns):
                line.held_since_spike = False
                line.spikes_ns = [*(old for old in line.spikes_ns if at_ns - old < WINDOW_NS), at_ns]
                line.loose = line.loose or len(line.spikes_ns) >= SPIKES
            case _:
                pass

    def record_out_of_turn(self, awaited: str) -> None:
        """Record a press of the other button that had no effect, because the press of ``awaited`` has to come first."""
        line = self._line(awaited)
        line.missed += not line.heard

    def faults(self, now_ns: int) -> dict[str, ButtonFault]:
        """Return the faulty lines now; of two faults of a line the first of the list above."""
        found: dict[str, ButtonFault] = {}
        for name, line in self._lines.items():
            if line.loose and line.held_since_spike and now_ns - line.spikes_ns[-1] >= WINDOW_NS:
                line.loose, line.spikes_ns = False, []
            if line.stuck:
                found[name] = ButtonFault.STUCK
            elif line.loose:
                found[name] = ButtonFault.LOOSE
            elif line.missed >= TRIES:
                found[name] = ButtonFault.SILENT
        return found

    def _line(self, name: str) -> _Line:
        return self._lines.setdefault(name, _Line())
