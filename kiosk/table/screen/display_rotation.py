"""Rotation for a display that is mounted on its side or upside down: conversion between picture and display pixels.

The picture is drawn upright, in the reader's coordinates; only what has changed is rotated and copied. ``quarters`` is
the number of clockwise quarter turns of the picture on the display.
"""

from __future__ import annotations

from dataclasses import dataclass

import pygame
import pygame.transform

from kiosk.table.scene import Rect


@dataclass(frozen=True, slots=True)
class DisplayRotation:
    """Rotation of one display. ``panel`` is the display's own size in pixels."""

    panel: tuple[int, int]
    quarters: int = 0

    @property
    def size(self) -> tuple[int, int]:
        """Size of the picture."""
        width, height = self.panel
        return (height, width) if self.quarters % 2 else (width, height)

    def on_panel(self, area: Rect) -> Rect:
        """Return where an area of the picture lies on the display."""
        width, height = self.size
        match self.quarters % 4:
            case 1:
                return Rect(height - area.bottom, area.x, area.h, area.w)
            case 2:
                return Rect(width - area.right, height - area.bottom, area.w, area.h)
            case 3:
                return Rect(area.y, width - area.right, area.h, area.w)
            case _:
                return area

    def in_picture(self, x: int, y: int) -> tuple[int, int]:
        """Return the pixel of the picture that lies at a pixel of the display."""
        back = DisplayRotation(self.size, -self.quarters).on_panel(Rect(x, y, 1, 1))
        return back.x, back.y

    def copy(self, picture: pygame.Surface, display: pygame.Surface, areas: tuple[Rect, ...]) -> tuple[Rect, ...]:
        """Copy those areas of the picture, rotated, to the display; return where they lie there."""
        whole = Rect(0, 0, *self.size)
        inside = tuple(_common(area, whole) for area in areas)
        for area in inside:
            part = picture.subsurface((area.x, area.y, area.w, area.h))
            place = self.on_panel(area)
            display.blit(pygame.transform.rotate(part, -90 * self.quarters), (place.x, place.y))
        return tuple(map(self.on_panel, inside))


def _common(area: Rect, whole: Rect) -> Rect:
    x, y = max(area.x, whole.x), max(area.y, whole.y)
    return Rect(x, y, max(0, min(area.right, whole.right) - x), max(0, min(area.bottom, whole.bottom) - y))
