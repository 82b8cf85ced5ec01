"""Scene: the content of a screen as a value, made of panels with boxes, texts, discs and icons.

- A scene holds everything that is visible and nothing else, so two equal scenes look the same and need no redrawing.
- Views make scenes and the screen draws them, independently of each other.
- Coordinates are whole pixels inside a panel, in its reader's orientation; a ``turned`` panel is drawn rotated by 180
  degrees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise

from engine.board.color import Color


class ColorRole(StrEnum):
    """Colours by their role. Nothing is shown by colour alone; a word or a shape always shows it too."""

    NIGHT = "night"  # ground of a half whose clock is stopped
    ON_NIGHT = "on-night"  # words and digits on NIGHT and PANEL
    QUIET = "quiet"  # small print on NIGHT
    PANEL = "panel"  # ground of a box on NIGHT
    LINE = "line"  # rules and frames on NIGHT
    DAY = "day"  # ground of the half whose clock runs, and of what asks for a press
    ON_DAY = "on-day"  # words and digits on DAY and ALERT
    ALERT = "alert"  # ground of an arbiter call or an alarm


class Theme(StrEnum):
    """Colour themes of the display (``kiosk.table.screen.scene_item_renderer``)."""

    DARK = "dark"
    LIGHT = "light"  # for a bright hall
    CONTRAST = "contrast"  # black and white, for low vision


class Align(StrEnum):
    LEFT = "left"
    CENTRE = "centre"
    RIGHT = "right"


class IconKind(StrEnum):
    """Shapes that carry meaning without colour."""

    CHECK = "check"  # done, saved
    OPEN = "open"  # not yet: an empty ring
    LINK = "link"  # two joined rings
    NO_LINK = "no-link"  # two rings apart, struck through
    WARNING = "warning"  # triangle with a stroke
    HAND = "hand"  # stop: an octagon with a bar
    BATTERY = "battery"
    FLAT = "flat"  # seen from the side: two players with the display lying between them
    STAND = "stand"  # seen from the side: both players in front of an upright display
    BUTTON = "button"  # a push button seen from the side, with an arrow down


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle in pixels. The cutting methods make the layout: their results never overlap and stay inside."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        return self.x + self.w

    @property
    def bottom(self) -> int:
        return self.y + self.h

    def contains(self, other: Rect) -> bool:
        return self.x <= other.x and self.y <= other.y and other.right <= self.right and other.bottom <= self.bottom

    def overlaps(self, other: Rect) -> bool:
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom

    def inset(self, dx: int, dy: int | None = None) -> Rect:
        dy = dx if dy is None else dy
        return Rect(self.x + dx, self.y + dy, max(0, self.w - 2 * dx), max(0, self.h - 2 * dy))

    def rows(self, *shares: float, gap: int = 0) -> tuple[Rect, ...]:
        """Cut from top to bottom in proportion to ``shares``, ``gap`` pixels apart."""
        edges = _edges(self.h - gap * (len(shares) - 1), shares)
        return tuple(Rect(self.x, self.y + a + i * gap, self.w, b - a) for i, (a, b) in enumerate(pairwise(edges)))

    def columns(self, *shares: float, gap: int = 0) -> tuple[Rect, ...]:
        """Cut from left to right in proportion to ``shares``, ``gap`` pixels apart."""
        edges = _edges(self.w - gap * (len(shares) - 1), shares)
        return tuple(Rect(self.x + a + i * gap, self.y, b - a, self.h) for i, (a, b) in enumerate(pairwise(edges)))

    def left(self, width: int) -> Rect:
        return Rect(self.x, self.y, min(width, self.w), self.h)

    def after(self, width: int) -> Rect:
        """Return what remains to the right of ``left(width)``."""
        width = min(width, self.w)
        return Rect(self.x + width, self.y, self.w - width, self.h)


def _edges(length: int, shares: tuple[float, ...]) -> list[int]:
    total, done, edges = sum(shares), 0.0, [0]
    for share in shares:
        done += share
        edges.append(round(max(0, length) * done / total))
    return edges


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle; with ``frame`` > 0 only its border, that many pixels thick."""

    box: Rect
    ink: ColorRole
    frame: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class SceneText:
    """Words, set as large as ``box`` allows, in at most ``lines`` lines; what still does not fit ends in an ellipsis.

    ``most``: the largest size in pixels, so that short and long lines of a list are of one size; 0: no limit.
    ``name`` says what the text is (``player``, ``message`` ...), for tests only.
    """

    box: Rect
    text: str
    ink: ColorRole = ColorRole.ON_NIGHT
    bold: bool = False
    align: Align = Align.LEFT
    lines: int = 1
    most: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Digits:
    """Digits of equal width, as large as ``template`` would be in ``box``, so that they do not move on a change."""

    box: Rect
    text: str
    template: str
    ink: ColorRole = ColorRole.ON_NIGHT
    align: Align = Align.CENTRE
    name: str = ""


@dataclass(frozen=True, slots=True)
class SceneDisc:
    """An Othello disc with a rim, visible on every ground. None: half black, half white, for an open colour."""

    box: Rect
    color: Color | None
    name: str = "disc"


@dataclass(frozen=True, slots=True)
class Icon:
    box: Rect
    kind: IconKind
    ink: ColorRole = ColorRole.ON_NIGHT
    name: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A camera image: ``pixels`` are RGB, ``size`` columns and rows, set as large as ``box`` allows."""

    box: Rect
    size: tuple[int, int]
    pixels: bytes
    name: str = "picture"


@dataclass(frozen=True, slots=True)
class Touch:
    """A place that can be touched on a touch display; it is not drawn. ``action`` is what a touch means; where two
    overlap, the later one in the panel counts.
    """

    box: Rect
    action: str
    name: str = "touch"


Item = Box | SceneText | Digits | SceneDisc | Icon | Picture | Touch
Items = tuple[Item, ...]


def flat(parts: Iterable[Items]) -> Items:
    """Return the items of all parts, one part after the other."""
    return tuple(chain.from_iterable(parts))


@dataclass(frozen=True, slots=True)
class Panel:
    """One reader's part of the screen. ``box`` is in screen pixels; the items' boxes are inside ``local``."""

    box: Rect
    turned: bool
    ground: ColorRole
    items: Items
    name: str = ""

    @property
    def local(self) -> Rect:
        return Rect(0, 0, self.box.w, self.box.h)

    def texts(self, name: str | None = None) -> tuple[str, ...]:
        """Return all readable texts of the panel, or only those named ``name``."""
        return tuple(
            item.text for item in self.items if isinstance(item, SceneText | Digits) and name in (None, item.name)
        )

    def named(self, name: str) -> Items:
        return tuple(item for item in self.items if item.name == name)

    def touched(self, x: int, y: int) -> str | None:
        """Return the action at a place of the screen, in screen pixels; None if nothing can be touched there."""
        if not (self.box.x <= x < self.box.right and self.box.y <= y < self.box.bottom):
            return None
        here = (self.box.right - 1 - x, self.box.bottom - 1 - y) if self.turned else (x - self.box.x, y - self.box.y)
        point = Rect(*here, 1, 1)
        found = [item.action for item in self.items if isinstance(item, Touch) and item.box.contains(point)]
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class Scene:
    size: tuple[int, int]
    panels: tuple[Panel, ...]

    def texts(self) -> tuple[str, ...]:
        return tuple(text for panel in self.panels for text in panel.texts())

    @property
    def can_be_touched(self) -> bool:
        return any(isinstance(item, Touch) for panel in self.panels for item in panel.items)

    def touched(self, x: int, y: int) -> tuple[str, str] | None:
        """Return the panel name and the action at a place of the screen; None if nothing can be touched there."""
        for panel in self.panels:
            action = panel.touched(x, y)
            if action is not None:
                return panel.name, action
        return None
