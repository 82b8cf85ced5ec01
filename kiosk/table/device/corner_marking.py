"""Marking of a board's corners with two buttons: each corner is moved horizontally, then vertically. Pure.

One button moves one way, the other the opposite way, both together go on. A press is one step, a hold moves
continuously.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

#: as shares of the image's side: the step of a press, and the speed of a hold per second once it has begun
STEP, SPEED = 1 / 640, 0.2
BEGINS_S = 0.3
_ABOUT = ((0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75))


@dataclass(frozen=True, slots=True)
class Marking:
    """Progress of the marking. ``corners`` of the field: x and y as shares of the image's sides, clockwise from the
    upper left. ``step`` 0 to 7: the first corner's x, its y, the next one's x; 8: done. ``held``: since when one button
    has been held, and until when the hold has been applied (seconds).
    """

    corners: tuple[tuple[float, float], ...] = _ABOUT
    step: int = 0
    held: tuple[float, float] | None = None

    @property
    def corner(self) -> int:
        return self.step // 2

    @property
    def across(self) -> bool:
        """Whether the corner now moves horizontally, else vertically."""
        return self.step % 2 == 0

    @property
    def done(self) -> bool:
        return self.step == 2 * len(self.corners)

    def on(self) -> Marking:
        return replace(self, step=self.step + 1, held=None)

    def touched(self, line: str) -> Marking:
        """Return the marking after a press of one button alone."""
        return self._moved(STEP if line == "right" else -STEP)

    def holding(self, down: set[str], now_s: float) -> Marking:
        """Return the marking while these buttons are held."""
        if len(down) != 1:
            return replace(self, held=None)
        since_s, until_s = self.held or (now_s, now_s + BEGINS_S)
        way = SPEED if "right" in down else -SPEED
        further = self._moved(way * max(now_s - until_s, 0.0))
        return replace(further, held=(since_s, max(now_s, until_s)))

    def _moved(self, by: float) -> Marking:
        places = [list(place) for place in self.corners]
        places[self.corner][self.step % 2] = min(max(places[self.corner][self.step % 2] + by, 0.0), 1.0)
        return replace(self, corners=tuple((x, y) for x, y in places))
