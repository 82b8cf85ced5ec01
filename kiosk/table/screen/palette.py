"""The colours of each theme.

The law: every pair of a ground and its ink differs in luminance by a ratio of 7 or more, the two grounds of the halves
by 10 or more, so that they stay apart for every kind of colour vision, and nothing is told by hue.
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
