"""Where the two players' halves lie on the screen, as pure geometry.

The law: each half is laid out in its own reader's directions; turning it is the screen's affair.

``OPPOSITE``, the usual way: the display lies flat between two players who face each other. The seat LEFT sits at the
lower edge, the seat RIGHT at the upper edge; each sees his own half nearest to him and upright, and the other's beyond
it, upside down. ``SAME``: the display stands up and both look at it from one side, so the halves are side by side, both
upright, LEFT on the left.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.match.model import Seat
from kiosk.table.scene import Box, Ink, Item, Panel, Rect

#: thickness of the line between the halves, as a share of the shorter side
SEAM = 0.012


class Facing(StrEnum):
    OPPOSITE = "opposite"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Half:
    """One seat's part of the screen."""

    seat: Seat
    box: Rect
    turned: bool

    @property
    def local(self) -> Rect:
        return Rect(0, 0, self.box.w, self.box.h)

    def panel(self, ground: Ink, items: tuple[Item, ...]) -> Panel:
        return Panel(self.box, self.turned, ground, items, name=self.seat)


@dataclass(frozen=True, slots=True)
class Layout:
    """The size of the screen in pixels and how the players look at it."""

    width: int = 800
    height: int = 480
    facing: Facing = Facing.OPPOSITE

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    def halves(self) -> tuple[Half, Half]:
        """The halves of LEFT and RIGHT, which never overlap."""
        screen, seam = Rect(0, 0, self.width, self.height), max(2, round(min(self.size) * SEAM))
        if self.facing is Facing.SAME:
            left, right = screen.columns(1, 1, gap=seam)
            return Half(Seat.LEFT, left, turned=False), Half(Seat.RIGHT, right, turned=False)
        upper, lower = screen.rows(1, 1, gap=seam)
        return Half(Seat.LEFT, lower, turned=False), Half(Seat.RIGHT, upper, turned=True)

    def seam(self) -> Panel:
        """The line between the halves."""
        left, right = self.halves()
        if self.facing is Facing.SAME:
            box = Rect(left.box.right, 0, right.box.x - left.box.right, self.height)
        else:
            box = Rect(0, right.box.bottom, self.width, left.box.y - right.box.bottom)
        return Panel(box, turned=False, ground=Ink.LINE, items=(), name="seam")


def is_wide(box: Rect) -> bool:
    """Whether a half is a band (time and colour beside each other) rather than a column (one below the other)."""
    return box.w >= 1.6 * box.h


def frame(box: Rect, thickness: int, ink: Ink, name: str = "frame") -> Box:
    return Box(box, ink, max(1, thickness), name)
