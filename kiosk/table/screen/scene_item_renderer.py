"""Drawing of scene items: each is rendered once, cached, and copied to the screen as often as needed.

An item never paints outside its box, and depends on neither the time nor other items.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import assert_never

import pygame
import pygame.draw
import pygame.image
import pygame.transform

from engine.board.color import Color
from kiosk.table.scene import (
    Align,
    Box,
    ColorRole,
    Digits,
    Icon,
    IconKind,
    Item,
    Panel,
    Picture,
    Rect,
    SceneDisc,
    SceneText,
    Theme,
    Touch,
)
from kiosk.table.screen.text_layout_and_font_fallback import ABOVE, BOLD, LINE, REGULAR, Typeface

#: pixels of cached pictures, four bytes each; a game needs a third of it, including the digits of both halves
KEPT_PIXELS = 3_000_000


class ItemRenderer:
    """Renderer in the colours of a theme. ``percent``: of their brightness."""

    def __init__(self, theme: Theme = Theme.DARK, percent: int = 100) -> None:
        self.palette = {role: dimmed(rgb, percent) for role, rgb in PALETTES[theme].items()}
        self._discs = dimmed(DISC_BLACK, percent), dimmed(DISC_WHITE, percent)
        self._regular = Typeface(REGULAR)
        self._bold = Typeface(BOLD)
        self._cache: OrderedDict[tuple[object, ...], pygame.Surface] = OrderedDict()
        self._kept_pixels = 0

    def paint(self, target: pygame.Surface, panel: Panel, item: Item) -> None:
        """Draw one item at its place."""
        match item:
            case Box():
                self._paint_box(target, panel, item)
            case Digits():
                self._paint_digits(target, panel, item)
            case Picture():
                self._paint_picture(target, panel, item)
            case Touch():
                pass
            case SceneText() | SceneDisc() | Icon():
                self._copy(target, panel, item.box, self._picture(item, panel.turned))
            case _:
                assert_never(item)

    def _paint_box(self, target: pygame.Surface, panel: Panel, item: Box) -> None:
        area = on_screen(panel, item.box)
        pygame.draw.rect(target, self.palette[item.ink], (area.x, area.y, area.w, area.h), item.frame)

    def _paint_digits(self, target: pygame.Surface, panel: Panel, item: Digits) -> None:
        """Draw digits from cached glyphs, so that a new time costs a few copies and no rendering."""
        size = self._digits_size(item.template, item.box.w, item.box.h)
        glyphs = [self._glyph(character, size, item.ink, panel.turned) for character in item.text]
        width, height = sum(glyph.get_width() for glyph in glyphs), glyphs[0].get_height() if glyphs else 0
        x, y = item.box.x + _alignment_offset(item.align, item.box.w - width), item.box.y + (item.box.h - height) // 2
        # Round digits extend slightly above the line; pixels outside the box would not be redrawn with it.
        area, clip = on_screen(panel, item.box), target.get_clip()
        target.set_clip(clip.clip((area.x, area.y, area.w, area.h)))
        for glyph in glyphs:
            self._copy(target, panel, Rect(x, y, glyph.get_width(), height), glyph)
            x += glyph.get_width()
        target.set_clip(clip)

    def _paint_picture(self, target: pygame.Surface, panel: Panel, item: Picture) -> None:
        """Draw a camera image. It is not cached, as the next one differs."""
        picture = pygame.image.frombuffer(item.pixels, item.size, "RGB")
        scale = min(item.box.w / item.size[0], item.box.h / item.size[1])
        wide, high = (max(1, int(side * scale)) for side in item.size)
        here = Rect(item.box.x + (item.box.w - wide) // 2, item.box.y + (item.box.h - high) // 2, wide, high)
        self._copy(target, panel, here, _turn(pygame.transform.smoothscale(picture, (wide, high)), panel.turned))

    def _copy(self, target: pygame.Surface, panel: Panel, box: Rect, picture: pygame.Surface) -> None:
        area = on_screen(panel, box)
        target.blit(picture, (area.x, area.y))

    # pictures, cached by everything they depend on -----------------------------------------------------------

    def _picture(self, item: SceneText | SceneDisc | Icon, turned: bool) -> pygame.Surface:
        here = replace(item, box=Rect(0, 0, item.box.w, item.box.h))
        return self._keep((here, turned), lambda: _turn(self._draw(here), turned))

    def _keep(self, key: tuple[object, ...], make: Callable[[], pygame.Surface]) -> pygame.Surface:
        picture = self._cache.get(key)
        if picture is None:
            picture = self._cache[key] = make()
            self._kept_pixels += _pixels(picture)
            while self._kept_pixels > KEPT_PIXELS and len(self._cache) > 1:
                self._kept_pixels -= _pixels(self._cache.popitem(last=False)[1])
        else:
            self._cache.move_to_end(key)
        return picture

    def _draw(self, item: SceneText | SceneDisc | Icon) -> pygame.Surface:
        match item:
            case SceneText():
                return self._draw_text(item)
            case SceneDisc():
                return smooth(item.box, lambda big: draw_disc(big, item.color, *self._discs))
            case Icon():
                return smooth(item.box, lambda big: draw_icon(big, item.kind, self.palette[item.ink]))

    def _draw_text(self, item: SceneText) -> pygame.Surface:
        face = self._bold if item.bold else self._regular
        setting = face.fit(item.text, item.box.w, item.box.h, item.lines, item.most)
        picture = clear(item.box.w, item.box.h)
        height, above = round(setting.size * LINE), round(setting.size * ABOVE)
        y = (item.box.h - height * len(setting.lines)) // 2
        for line in setting.lines:
            words = face.render(line, setting.size, self.palette[item.ink], above, height)
            picture.blit(words, (_alignment_offset(item.align, item.box.w - words.get_width()), y))
            y += height
        return picture

    # figures --------------------------------------------------------------------------------------------------

    def _digits_size(self, template: str, width: int, height: int) -> int:
        """Return the size at which the digit 0 is ``height`` high and ``template`` not wider than ``width``."""
        at = 200
        font = self._bold.font(at)
        below, above = _rows(font)
        tall = above - below
        wide = sum(_advance(font, character) for character in template)
        return max(8, min(at * height // tall, at * width // max(1, wide) - 1))

    def _glyph(self, character: str, size: int, ink: ColorRole, turned: bool) -> pygame.Surface:
        def make() -> pygame.Surface:
            return _turn(_cut_glyph(self._bold.font(size), character, self.palette[ink]), turned)

        return self._keep((character, size, ink, turned), make)


def on_screen(panel: Panel, box: Rect) -> Rect:
    """Return where a box of the panel lies on the screen: in a turned panel right becomes left and down becomes up."""
    if panel.turned:
        return Rect(panel.box.right - box.right, panel.box.bottom - box.bottom, box.w, box.h)
    return Rect(panel.box.x + box.x, panel.box.y + box.y, box.w, box.h)


def _turn(picture: pygame.Surface, turned: bool) -> pygame.Surface:
    return pygame.transform.flip(picture, True, True) if turned else picture


def _pixels(picture: pygame.Surface) -> int:
    return picture.get_width() * picture.get_height()


def _alignment_offset(align: Align, spare: int) -> int:
    return {Align.LEFT: 0, Align.CENTRE: spare // 2, Align.RIGHT: spare}[align]


def _rows(font: pygame.font.Font) -> tuple[int, int]:
    """Return the lowest and highest row with ink of a digit, counted upwards from the baseline."""
    metrics = font.metrics("0")[0]
    return (metrics[2], metrics[3]) if metrics else (0, font.get_ascent())


def _advance(font: pygame.font.Font, character: str) -> int:
    metrics = font.metrics(character)[0]
    return metrics[4] if metrics else font.size(character)[0]


def _cut_glyph(font: pygame.font.Font, character: str, ink: RGB) -> pygame.Surface:
    """Return a digit cut to the rows of the digit 0, as wide as its advance; a colon is raised to the middle."""
    below, above = _rows(font)
    picture = clear(_advance(font, character), above - below)
    drawn = font.render(character, True, ink)
    y = above - font.get_ascent()
    if character == ":":
        rows = drawn.get_bounding_rect()
        y = (picture.get_height() - rows.h) // 2 - rows.y
    picture.blit(drawn, (0, y))
    return picture


# Discs and icons as shapes, drawn large and scaled down for smooth edges.

Point = tuple[float, float]

OVERSAMPLE = 4
#: share of a disc's diameter that its rim takes
RIM = 0.07


def clear(width: int, height: int) -> pygame.Surface:
    """Return a fully transparent surface."""
    return pygame.Surface((max(1, width), max(1, height)), pygame.SRCALPHA, 32)


def smooth(box: Rect, draw: Callable[[pygame.Surface], None]) -> pygame.Surface:
    """Call ``draw`` on a square canvas and return it scaled down in the middle of a picture of the size of ``box``."""
    side = max(1, min(box.w, box.h))
    big = clear(side * OVERSAMPLE, side * OVERSAMPLE)
    draw(big)
    picture = clear(box.w, box.h)
    picture.blit(pygame.transform.smoothscale(big, (side, side)), ((box.w - side) // 2, (box.h - side) // 2))
    return picture


def draw_disc(big: pygame.Surface, color: Color | None, black: RGB, white: RGB) -> None:
    side = big.get_width()
    centre, radius = (side // 2, side // 2), side // 2
    face, rim = (white, black) if color is Color.WHITE else (black, white)
    # Two rims, one of each colour, make the disc stand out on the bright half and on the dark one.
    pygame.draw.circle(big, face, centre, radius)
    pygame.draw.circle(big, rim, centre, round(radius * (1 - RIM)))
    pygame.draw.circle(big, face, centre, round(radius * (1 - 2 * RIM)))
    if color is None:
        inner = round(radius * (1 - 2 * RIM))
        pygame.draw.circle(big, white, centre, inner, draw_top_right=True, draw_bottom_right=True)


def draw_icon(big: pygame.Surface, kind: IconKind, ink: RGB) -> None:
    """Draw an icon on a canvas of 100 × 100 units."""
    unit = big.get_width() / 100

    def line(*points: Point, width: float = 12) -> None:
        _stroke(big, ink, [(x * unit, y * unit) for x, y in points], width * unit)

    def shape(*points: Point) -> None:
        pygame.draw.polygon(big, ink, [(x * unit, y * unit) for x, y in points])

    def ring(x: float, y: float, radius: float, width: float = 11) -> None:
        pygame.draw.circle(big, ink, (x * unit, y * unit), radius * unit, round(width * unit))

    match kind:
        case IconKind.CHECK:
            line((12, 54), (40, 82), (88, 20), width=16)
        case IconKind.OPEN:
            ring(50, 50, 38)
        case IconKind.LINK:
            ring(34, 50, 26)
            ring(66, 50, 26)
        case IconKind.NO_LINK:
            ring(24, 50, 22)
            ring(76, 50, 22)
            line((34, 90), (66, 10), width=9)
        case IconKind.WARNING:
            line((50, 12), (92, 86), (8, 86), (50, 12), width=10)
            line((50, 38), (50, 60), width=10)
            line((50, 73), (50, 74), width=10)
        case IconKind.HAND:
            line((32, 6), (68, 6), (94, 32), (94, 68), (68, 94), (32, 94), (6, 68), (6, 32), (32, 6), width=10)
            line((28, 50), (72, 50), width=14)
        case IconKind.FLAT:
            line((8, 78), (92, 78), width=4)
            line((36, 70), (64, 70), width=9)
            ring(14, 34, 10, 6)
            line((14, 46), (14, 72), width=6)
            ring(86, 34, 10, 6)
            line((86, 46), (86, 72), width=6)
        case IconKind.STAND:
            line((8, 78), (92, 78), width=4)
            line((70, 72), (84, 40), width=9)
            line((82, 48), (90, 74), width=4)
            ring(14, 34, 10, 6)
            line((14, 46), (14, 72), width=6)
            ring(40, 34, 10, 6)
            line((40, 46), (40, 72), width=6)
        case IconKind.BATTERY:
            line((8, 30), (80, 30), (80, 70), (8, 70), (8, 30), width=9)
            line((93, 44), (93, 56), width=9)
            shape((18, 40), (50, 40), (50, 60), (18, 60))
        case IconKind.BUTTON:
            line((50, 6), (50, 40), width=14)
            shape((24, 34), (76, 34), (50, 64))
            shape((22, 70), (78, 70), (78, 80), (22, 80))
            shape((4, 80), (96, 80), (96, 94), (4, 94))
        case _:
            assert_never(kind)


def _stroke(big: pygame.Surface, ink: RGB, points: Sequence[Point], width: float) -> None:
    """Draw a thick line with round corners and ends."""
    for (x0, y0), (x1, y1) in pairwise(points):
        length = max(1e-9, ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
        dx, dy = (y1 - y0) / length * width / 2, (x0 - x1) / length * width / 2
        pygame.draw.polygon(big, ink, [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)])
    for x, y in points:
        pygame.draw.circle(big, ink, (x, y), width / 2)


# Colours of each theme.
#
# The contrast ratio of every ink to its ground is at least 7, that of the two halves' grounds at least 10, so that they
# differ for every kind of colour vision. Nothing is shown by hue alone.

RGB = tuple[int, int, int]

#: discs are black and white in every theme
DISC_BLACK: RGB = (8, 10, 12)
DISC_WHITE: RGB = (244, 246, 248)


def dimmed(color: RGB, percent: int) -> RGB:
    """Return a colour at ``percent`` of its brightness."""
    red, green, blue = color
    return red * percent // 100, green * percent // 100, blue * percent // 100


#: dark, light, and of high contrast, in the order of ``Theme``
_COLORS: Mapping[ColorRole, tuple[RGB, RGB, RGB]] = {
    ColorRole.NIGHT: ((16, 20, 24), (250, 250, 247), (0, 0, 0)),
    ColorRole.ON_NIGHT: ((244, 246, 248), (10, 12, 14), (255, 255, 255)),
    ColorRole.QUIET: ((176, 186, 196), (66, 74, 82), (255, 255, 255)),
    ColorRole.PANEL: ((34, 41, 48), (229, 232, 235), (30, 30, 30)),
    ColorRole.LINE: ((84, 96, 108), (120, 130, 140), (255, 255, 255)),
    ColorRole.DAY: ((255, 206, 84), (0, 50, 104), (255, 255, 255)),
    ColorRole.ON_DAY: ((8, 10, 12), (255, 255, 255), (0, 0, 0)),
    ColorRole.ALERT: ((255, 236, 190), (112, 36, 0), (255, 255, 0)),
}
PALETTES: Mapping[Theme, Mapping[ColorRole, RGB]] = {
    theme: {role: colors[number] for role, colors in _COLORS.items()} for number, theme in enumerate(Theme)
}
