"""Layout of the two players' halves on the screen, as pure geometry.

Each half is laid out in its own reader's orientation; the screen rotates it.

- ``OPPOSITE`` (usual): the display lies flat between two players who face each other. LEFT sits at the lower edge,
  RIGHT at the upper edge; each sees their own half nearest and upright, the other's beyond it upside down.
- ``SAME``: the display stands upright and both look at it from one side, so both halves are upright: side by side with
  LEFT on the left, or on a portrait display one above the other with LEFT above.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.copy_with_changes import replace
from engine.match.match_value_types import Seat
from kiosk.table.scene import ColorRole, Items, Panel, Rect
from kiosk.table.state.free_clock_presets_settings_games import Club

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
    layout: Layout

    @property
    def local(self) -> Rect:
        return Rect(0, 0, self.box.w, self.box.h)

    def panel(self, ground: ColorRole, items: Items) -> Panel:
        return Panel(self.box, self.turned, ground, items, name=self.seat)


@dataclass(frozen=True, slots=True)
class Layout:
    """The screen's size in pixels, how the players look at it, whether it can be touched, and its text size: ``large``
    leaves small items out, so that the time is as large as possible."""

    width: int = 800
    height: int = 480
    facing: Facing = Facing.OPPOSITE
    touch: bool = False
    large: bool = False

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    def halves(self) -> tuple[Half, Half]:
        """Return the halves of LEFT and RIGHT, which never overlap."""
        screen, seam = Rect(0, 0, self.width, self.height), max(2, round(min(self.size) * SEAM))
        same = self.facing is Facing.SAME
        first, second = (screen.columns if self._are_side_by_side else screen.rows)(1, 1, gap=seam)
        left, right = (first, second) if same else (second, first)
        return Half(Seat.LEFT, left, False, self), Half(Seat.RIGHT, right, not same, self)

    @property
    def _are_side_by_side(self) -> bool:
        return self.facing is Facing.SAME and self.width >= self.height

    def seam(self) -> Panel:
        """Return the line between the halves."""
        first, second = sorted((half.box for half in self.halves()), key=lambda box: (box.x, box.y))
        if self._are_side_by_side:
            box = Rect(first.right, 0, second.x - first.right, self.height)
        else:
            box = Rect(0, first.bottom, self.width, second.y - first.bottom)
        return Panel(box, turned=False, ground=ColorRole.LINE, items=(), name="seam")


def is_wide(box: Rect) -> bool:
    """Return whether a half is a band (time and colour side by side) rather than a column (one below the other)."""
    return box.w >= 1.6 * box.h


def with_club_settings(layout: Layout, club: Club) -> Layout:
    """Return the layout with the orientation and text size that a club set on the device."""
    if club.stand is not None:
        layout = replace(layout, facing=Facing.SAME if club.stand else Facing.OPPOSITE)
    return layout if club.large is None else replace(layout, large=club.large)
