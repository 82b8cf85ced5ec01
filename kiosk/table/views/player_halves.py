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
from kiosk.locale import render
from kiosk.table.game.chouchou_capture_count_entry import CAPTURED_LESS, CAPTURED_MORE
from kiosk.table.scene import Align, ColorRole, Digits, Item, Panel, Rect, SceneText
from kiosk.table.state.free_clock_presets_and_games import Club
from kiosk.table.strings import player_strings as words
from kiosk.table.views.player_view_model import SideViewModel, TableViewModel
from kiosk.table.views.shared_widgets import key

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
    facing: Facing
    touch: bool = False
    large: bool = False  # the time as large as possible; small items are left out

    @property
    def local(self) -> Rect:
        return Rect(0, 0, self.box.w, self.box.h)

    def panel(self, ground: ColorRole, items: tuple[Item, ...]) -> Panel:
        return Panel(self.box, self.turned, ground, items, name=self.seat)


@dataclass(frozen=True, slots=True)
class Layout:
    """The screen's size in pixels, how the players look at it, whether it can be touched, and its text size."""

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
        return self._half(Seat.LEFT, left, False), self._half(Seat.RIGHT, right, not same)

    @property
    def _are_side_by_side(self) -> bool:
        return self.facing is Facing.SAME and self.width >= self.height

    def _half(self, seat: Seat, box: Rect, turned: bool) -> Half:
        return Half(seat, box, turned, self.facing, self.touch, self.large)

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


# --- ChouChou's score board: pieces captured by both, the target, and plus and minus at the end (CC-WIN-1, CC-SCO-1);
# it shows what the players entered, as the board is not read

#: player numbers in turn order
NUMBERS = "①②③④"


def score_board(
    model: TableViewModel, side: SideViewModel, box: Rect, ink: ColorRole, quiet: ColorRole, touch: bool
) -> tuple[Item, ...]:
    """Return the player's own pieces large, the opponent's small; with a touch display, keys to add and subtract."""
    if not touch:
        return _counts(model, side, box, ink, quiet)
    if box.w >= 3 * box.h:
        board, keys = box.columns(1, 1, gap=box.h // 6)
    else:
        board, keys = box.rows(0.54, 0.46, gap=box.h // 30)
    less, more = keys.columns(1, 1, gap=box.w // 16)
    counts = _counts(model, side, board, ink, quiet)
    return (*counts, *key(less, "－1", CAPTURED_LESS, ink), *key(more, "＋1", CAPTURED_MORE, ink))


def _counts(
    model: TableViewModel, side: SideViewModel, box: Rect, ink: ColorRole, quiet: ColorRole
) -> tuple[Item, ...]:
    above, below = box.rows(0.34, 0.66, gap=box.h // 30)
    title, target = above.columns(0.7, 0.3)
    own, theirs = below.columns(0.4, 0.6) if model.company else below.columns(0.6, 0.4, gap=box.w // 20)
    return (
        SceneText(title, render(words.CAPTURED, side.language), quiet, name="captured-title"),
        SceneText(
            target, render(words.OF_TARGET, side.language, n=model.target), quiet, align=Align.RIGHT, name="target"
        ),
        Digits(own, str(side.captures), "00", ink, name="captured"),
        *_others(model, side, theirs, quiet),
    )


def _others(model: TableViewModel, side: SideViewModel, box: Rect, ink: ColorRole) -> tuple[Item, ...]:
    """Return the opponent's pieces; with more than two players everybody's by number, two in a line."""
    if not model.company:
        other = model.sides[side.seat.other]
        return (Digits(box.inset(0, box.h // 5), str(other.captures), "00", ink, name="captured-opponent"),)
    places = (place for row in box.rows(1, 1) for place in row.columns(1, 1, gap=box.w // 16))
    return tuple(
        SceneText(place, f"{mark}{pieces}", ink, align=Align.RIGHT, name="captured-each")
        for place, mark, pieces in zip(places, NUMBERS, model.company, strict=False)
    )


def plus_minus(pieces: int | None, target: int) -> str:
    """Return ``+2`` or ``−3`` as on the score sheet; empty before anything was entered."""
    if pieces is None:
        return ""
    return f"+{pieces - target}" if pieces >= target else f"−{target - pieces}"
