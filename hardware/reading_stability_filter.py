"""Stability filter: turns sensor pictures into stable readings. Pure: time is passed in with the frames.

A reading is given only when the board has been still, and a faulty square never prevents a reading.

1. A square flickers when it has changed ``flicker_changes`` times within ``window_ns``; it stops flickering when it has
been still for a whole window. A hand that turns discs changes a square once or twice.
2. The picture is settled when every square that does not flicker has been still for ``settle_ms``, by the board's own
``stable_ms`` or by the received frames.
3. A flickering square reads as the value it has shown for most of the window, not counting ``?``; it keeps its last
settled value unless another has shown for two thirds of that time.
4. A square that is ``?`` in a settled picture is dead.
5. A settled reading is given when it differs from the last one, and whenever it answers a request. A request that is
answered by an unsettled picture stays open, and the next settled picture answers it.
6. A change of the flickering or the dead squares is reported, also when none are left.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from hardware.real_and_simulated_time import NS_PER_MS
from hardware.sensor_board_protocol import SensorFrame


@dataclass(frozen=True, slots=True)
class StableReading:
    """Settled picture. ``answers`` as in ``BoardRequest``; ``at_ns`` is the arrival of the frame that settled it."""

    cells: str
    answers: int | None
    at_ns: int


@dataclass(frozen=True, slots=True)
class SquareFault:
    """Squares (indices into ``cells``) that are unreliable now; both sets empty when all have recovered."""

    flickering: tuple[int, ...]
    dead: tuple[int, ...]
    at_ns: int


class _Square:
    """Recent values of one square and when each began."""

    __slots__ = ("flickering", "past", "settled")

    def __init__(self, cell: str, since_ns: int) -> None:
        self.past: deque[tuple[int, str]] = deque([(since_ns, cell)])
        self.settled: str | None = None
        self.flickering = False

    def show(self, cell: str, at_ns: int, window_ns: int, flicker_changes: int) -> None:
        if cell != self.past[-1][1]:
            self.past.append((at_ns, cell))
        while len(self.past) > 1 and self.past[1][0] <= at_ns - window_ns:
            self.past.popleft()  # the first entry left is the value at the beginning of the window
        changes = len(self.past) - 1
        self.flickering = changes >= flicker_changes or (self.flickering and changes > 0)

    def majority(self, at_ns: int, window_ns: int) -> str:
        """Return the value by rule 3."""
        durations: dict[str, int] = {}
        ends = [*[since for since, _ in self.past][1:], at_ns]
        for (since_ns, cell), end_ns in zip(self.past, ends, strict=True):
            if cell != "?":
                durations[cell] = durations.get(cell, 0) + end_ns - max(since_ns, at_ns - window_ns)
        if not durations:
            return "?"
        best = max(durations, key=lambda cell: durations[cell])
        if self.settled in durations and 3 * durations[best] < 2 * sum(durations.values()):
            return str(self.settled)
        return best


class StabilityFilter:
    """Filter from frames to readings and square faults, by the rules of this module.

    :param settle_ms: how long a picture must have been still.
    :param window_ms: the window in which flickering is counted; longer than settle_ms.
    :param flicker_changes: changes within the window that make a square flicker.
    :raises ValueError: unless 0 < settle_ms < window_ms and flicker_changes > 2.
    """

    def __init__(self, settle_ms: int = 300, window_ms: int = 2_000, flicker_changes: int = 4) -> None:
        if not 0 < settle_ms < window_ms or flicker_changes <= 2:
            raise ValueError(
                f"need 0 < settle ({settle_ms}) < window ({window_ms}) ms and flicker_changes ({flicker_changes}) > 2"
            )
        self._settle_ms = settle_ms
        self._window_ns = window_ms * NS_PER_MS
        self._flicker_changes = flicker_changes
        self._squares: list[_Square] = []
        self._open_request: int | None = None
        self._last_cells: str | None = None
        self._trouble: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    def feed(self, frame: SensorFrame) -> tuple[StableReading | SquareFault, ...]:
        """Process one frame, in the order of arrival."""
        self._update_squares(frame)
        if frame.answers is not None:
            self._open_request = frame.answers
        out: list[StableReading | SquareFault] = []
        flickering = tuple(i for i, square in enumerate(self._squares) if square.flickering)
        dead = self._trouble[1]
        if self._is_settled(frame):
            cells = self._settle(frame)
            dead = tuple(i for i, cell in enumerate(cells) if cell == "?")
            if cells != self._last_cells or self._open_request is not None:
                out.append(StableReading(cells, self._open_request, frame.at_ns))
                self._last_cells, self._open_request = cells, None
        if (flickering, dead) != self._trouble:
            self._trouble = (flickering, dead)
            out.append(SquareFault(flickering, dead, frame.at_ns))
        return tuple(out)

    def _update_squares(self, frame: SensorFrame) -> None:
        if len(self._squares) != len(frame.cells):
            since_ns = frame.at_ns - frame.stable_ms * NS_PER_MS
            self._squares = [_Square(cell, since_ns) for cell in frame.cells]
        for square, cell in zip(self._squares, frame.cells, strict=True):
            if cell != square.past[-1][1] or len(square.past) > 1:  # a square that was still needs no update
                square.show(cell, frame.at_ns, self._window_ns, self._flicker_changes)

    def _is_settled(self, frame: SensorFrame) -> bool:
        """Return whether the picture is settled (rule 2)."""
        if frame.stable_ms >= self._settle_ms:
            return True
        quiet_ns = frame.at_ns - self._settle_ms * NS_PER_MS
        return any(square.flickering for square in self._squares) and all(
            square.flickering or square.past[-1][0] <= quiet_ns for square in self._squares
        )

    def _settle(self, frame: SensorFrame) -> str:
        for square, cell in zip(self._squares, frame.cells, strict=True):
            square.settled = square.majority(frame.at_ns, self._window_ns) if square.flickering else cell
        return "".join(str(square.settled) for square in self._squares)
