"""Colours of each theme.

The contrast ratio of every ink to its ground is at least 7, that of the two halves' grounds at least 10, so that they
differ for every kind of colour vision. Nothing is shown by hue alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from kiosk.table.scene import ColorRole, Theme

RGB = tuple[int, int, int]

#: discs are black and white in every theme
DISC_BLACK: RGB = (8, 10, 12)
DISC_WHITE: RGB = (244, 246, 248)


def dimmed(color: RGB, percent: int) -> RGB:
    """Return a colour at ``percent`` of its brightness."""
    red, green, blue = color
    return red * percent // 100, green * percent // 100, blue * percent // 100


PALETTES: Mapping[Theme, Mapping[ColorRole, RGB]] = {
    Theme.DARK: {
        ColorRole.NIGHT: (16, 20, 24),
        ColorRole.ON_NIGHT: (244, 246, 248),
        ColorRole.QUIET: (176, 186, 196),
        ColorRole.PANEL: (34, 41, 48),
        ColorRole.LINE: (84, 96, 108),
        ColorRole.DAY: (255, 206, 84),
        ColorRole.ON_DAY: (8, 10, 12),
        ColorRole.ALERT: (255, 236, 190),
    },
    Theme.LIGHT: {
        ColorRole.NIGHT: (250, 250, 247),
        ColorRole.ON_NIGHT: (10, 12, 14),
        ColorRole.QUIET: (66, 74, 82),
        ColorRole.PANEL: (229, 232, 235),
        ColorRole.LINE: (120, 130, 140),
        ColorRole.DAY: (0, 50, 104),
        ColorRole.ON_DAY: (255, 255, 255),
        ColorRole.ALERT: (112, 36, 0),
    },
    Theme.CONTRAST: {
        ColorRole.NIGHT: (0, 0, 0),
        ColorRole.ON_NIGHT: (255, 255, 255),
        ColorRole.QUIET: (255, 255, 255),
        ColorRole.PANEL: (30, 30, 30),
        ColorRole.LINE: (255, 255, 255),
        ColorRole.DAY: (255, 255, 255),
        ColorRole.ON_DAY: (0, 0, 0),
        ColorRole.ALERT: (255, 255, 0),
    },
}
