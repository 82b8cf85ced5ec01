"""Colours of each theme.

The contrast ratio of every ink to its ground is at least 7, that of the two halves' grounds at least 10, so that they
differ for every kind of colour vision. Nothing is shown by hue alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from kiosk.table.scene import Ink, Theme

RGB = tuple[int, int, int]

#: discs are black and white in every theme
DISC_BLACK: RGB = (8, 10, 12)
DISC_WHITE: RGB = (244, 246, 248)

PALETTES: Mapping[Theme, Mapping[Ink, RGB]] = {
    Theme.DARK: {
        Ink.NIGHT: (16, 20, 24),
        Ink.ON_NIGHT: (244, 246, 248),
        Ink.QUIET: (176, 186, 196),
        Ink.PANEL: (34, 41, 48),
        Ink.LINE: (84, 96, 108),
        Ink.DAY: (255, 206, 84),
        Ink.ON_DAY: (8, 10, 12),
        Ink.ALERT: (255, 236, 190),
    },
    Theme.LIGHT: {
        Ink.NIGHT: (250, 250, 247),
        Ink.ON_NIGHT: (10, 12, 14),
        Ink.QUIET: (66, 74, 82),
        Ink.PANEL: (229, 232, 235),
        Ink.LINE: (120, 130, 140),
        Ink.DAY: (0, 50, 104),
        Ink.ON_DAY: (255, 255, 255),
        Ink.ALERT: (112, 36, 0),
    },
    Theme.CONTRAST: {
        Ink.NIGHT: (0, 0, 0),
        Ink.ON_NIGHT: (255, 255, 255),
        Ink.QUIET: (255, 255, 255),
        Ink.PANEL: (30, 30, 30),
        Ink.LINE: (255, 255, 255),
        Ink.DAY: (255, 255, 255),
        Ink.ON_DAY: (0, 0, 0),
        Ink.ALERT: (255, 255, 0),
    },
}
