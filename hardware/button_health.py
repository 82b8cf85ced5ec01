"""What is wrong with a button, told from what is heard of it. Pure: time comes in with the reports.

The law, for each line by itself:

- ``STUCK``: a press that the debouncer told as stuck, until it is let go.
- ``LOOSE``: ``SPIKES`` presses within ``WINDOW_NS`` had to be taken back, as the contact did not hold: a loose wire,
  a worn switch, or static. Until a press has held and ``WINDOW_NS`` have passed without a spike.
- ``SILENT``: the button that is awaited was not heard, while the other one was pressed ``TRIES`` times out of turn:
  its wire may be off. Until it is heard.

A button with an ailment is never ignored: what it does tell still counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from hardware.debounce import Press, Release, Report, Spike, Stuck

SPIKES = 4
WINDOW_NS = 60_000_000_000
TRIES = 3


class Ailment(StrEnum):
    STUCK = "stuck"
    LOOSE = "loose"
    SILENT = "silent"


@dataclass(slots=True)
class _Line:
    stuck: bool = False
    loose: bool = False
    held_since_spike: bool = False
    missed: int = 0
    spikes_ns: list[int] = field(default_factory=list)


class ButtonHealth:
    """Hears the debouncer's reports, and which button was awaited when the other one was pressed out of turn."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line] = {}

    def hear(self, report: Report) -> None:
        line = self._line(report.line)
        match report:
            case Press():
                line.missed = 0
            case Release():
                line.stuck, line.held_since_spike = False, True
            case Stuck():
                line.stuck = True
            case Spike(_, at_ns):
                line.held_since_spike = False
                line.spikes_ns = [*(old for old in line.spikes_ns if at_ns - old < WINDOW_NS), at_ns]
                line.loose = line.loose or len(line.spikes_ns) >= SPIKES
            case _:
                pass

    def out_of_turn(self, awaited: str) -> None:
        """The other button was pressed, and that meant nothing, because the press of ``awaited`` has to come first."""
        self._line(awaited).missed += 1

    def ailments(self, now_ns: int) -> dict[str, Ailment]:
        """The lines that are ill now; of two ailments the first of the list above."""
        found: dict[str, Ailment] = {}
        for name, line in self._lines.items():
            if line.loose and line.held_since_spike and now_ns - line.spikes_ns[-1] >= WINDOW_NS:
                line.loose, line.spikes_ns = False, []
            if line.stuck:
                found[name] = Ailment.STUCK
            elif line.loose:
                found[name] = Ailment.LOOSE
            elif line.missed >= TRIES:
                found[name] = Ailment.SILENT
        return found

    def _line(self, name: str) -> _Line:
        return self._lines.setdefault(name, _Line())
