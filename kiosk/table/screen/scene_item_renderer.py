"""Drawing of scene items: each is rendered once, cached, and copied to the screen as often as needed.

An item never paints outside its box, and depends on neither the time nor other items.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

import pygame
import pygame.draw
import pygame.image
import pygame.transform

from kiosk.table.scene import (
    Align,
    Box,
    ColorRole,
    Digits,
    Icon,
    Item,
    Panel,
    Picture,
    Rect,
    SceneDisc,
    SceneText,
    Theme,
    Touch,
)
from kiosk.table.screen.disc_shapes import clear, draw_disc, draw_icon, smooth
from kiosk.table.screen.text_layout import ABOVE, BOLD, LINE, REGULAR, Typeface
from kiosk.table.screen.theme_colors import DISC_BLACK, DISC_WHITE, PALETTES, RGB, dimmed

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
        x, y = item.box.x + _aligned(item.align, item.box.w - width), item.box.y + (item.box.h - height) // 2
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
            picture.blit(words, (_aligned(item.align, item.box.w - words.get_width()), y))
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


def _aligned(align: Align, spare: int) -> int:
    match align:
        case Align.LEFT:
            return 0
        case Align.CENTRE:
            return spare // 2
        case Align.RIGHT:
            return spare
    assert_never(align)


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
