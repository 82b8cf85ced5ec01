"""Discs and icons as shapes, drawn large and scaled down for smooth edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import assert_never

import pygame
import pygame.draw
import pygame.transform

from engine.board.color import Color
from kiosk.table.scene import IconKind, Rect
from kiosk.table.screen.theme_colors import RGB

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
