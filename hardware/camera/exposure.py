"""How much brighter or darker a camera's pictures have to be for the board in them. Pure.

The law: a camera aims at a middling picture of all that it sees. Over a dark floor it burns a bright board out, and
then white, empty and glare look the same; over a bright table a dark board drowns in noise. Who sees the board asks for
less or more light. Where no board is seen, a picture that is burnt out may hide one; one that is dark is let be.
"""

from __future__ import annotations

import cv2
import numpy as np

from hardware.camera.frames import Frame
from hardware.camera.patches import BURNT
from hardware.timebase import NS_PER_MS

#: cloth brighter or darker than this (0 to 1, in its strongest colour) is made so bright: white discs on black cloth
#: are not burnt out then, nor lamps mirrored in black ones quite white. Where less light was asked for before, cloth
#: darker than ``MORE`` gets it back: what a camera aims at goes down while the board fills with white discs.
BRIGHTEST, LESS = 0.5, 0.35
DARKEST, MORE = 0.1, 0.2
#: stops that are asked for at once, each way; all together; and what is too little to ask for
_STEP, _FURTHEST, _LEAST = 2.0, 5.0, 0.1
#: a camera shows after so long what it was asked for
_SETTLED_NS = 1_000 * NS_PER_MS
#: brightness goes with this root of the light
_GAMMA = 2.2
#: of a picture in which no board is found, the brightest tenth may be one
_BOARD = 0.9


class Exposure:
    """What a camera is asked for, all together ``_FURTHEST`` each way."""

    def __init__(self) -> None:
        self._wanted = 0.0
        self._asked_ns: int | None = None

    def board(self, frame: Frame, level: float) -> None:
        """:param level: how bright the board's cloth is in its strongest colour, 0 to 1."""
        self._feed(frame, level, BRIGHTEST, _FURTHEST)

    def no_board(self, frame: Frame) -> bool:
        """:param frame: in which no board is found.
        :returns: whether it is burnt out.
        """
        grey = cv2.cvtColor(np.ascontiguousarray(frame.image[::8, ::8]), cv2.COLOR_BGR2GRAY)
        level = float(np.quantile(grey, _BOARD)) / 255
        self._feed(frame, level, BURNT, 0.0)
        return level > BURNT

    def stops(self) -> float:
        """How many stops brighter (below 0: darker) the next pictures have to be than the last; told once."""
        wanted, self._wanted = self._wanted, 0.0
        return wanted

    def _feed(self, frame: Frame, level: float, brightest: float, most: float) -> None:
        waits = self._asked_ns is not None and frame.at_ns - self._asked_ns < _SETTLED_NS
        darkest = MORE if frame.stops < 0 else DARKEST
        if darkest <= level <= brightest or waits:
            return
        away = _GAMMA * float(np.log2((LESS if level > brightest else MORE) / max(level, 0.01)))
        together = min(max(frame.stops + min(max(away, -_STEP), _STEP), -_FURTHEST), most)
        if abs(together - frame.stops) >= _LEAST:
            self._wanted, self._asked_ns = together - frame.stops, frame.at_ns
