"""Exposure control: how much brighter or darker a camera's pictures have to be for the board in them. Pure.

- A camera exposes for the average of the whole picture. A bright board on a dark floor is overexposed, so that white,
  empty and glare look the same; a dark board on a bright table is noisy. The correction follows the board instead.
- Without a board in view, an overexposed picture is darkened, because it may hide one; a dark picture is not changed.
"""

from __future__ import annotations

import cv2
import numpy as np

from hardware.camera.frames_and_camera_faults import Frame
from hardware.camera.square_features import BURNT
from hardware.timebase import NS_PER_MS

#: cloth whose strongest colour (0 to 1) is above ``BRIGHTEST`` is brought to ``LESS``, so that neither white discs on
#: black cloth nor lamps reflected in black discs are overexposed; below ``DARKEST`` to ``MORE``. After darkening,
#: ``MORE`` is also the lower limit, because the camera's own exposure falls while the board fills with white discs.
BRIGHTEST, LESS = 0.5, 0.35
DARKEST, MORE = 0.1, 0.2
#: stops per request, each way; the total limit; and the smallest request
_STEP, _FURTHEST, _LEAST = 2.0, 5.0, 0.1
#: time until a camera shows a requested change
_SETTLED_NS = 1_000 * NS_PER_MS
#: brightness is this root of the light
_GAMMA = 2.2
#: quantile of brightness that stands for the board if none is found
_BOARD = 0.9


class Exposure:
    """Exposure requests to a camera, limited to ``_FURTHEST`` stops in total each way."""

    def __init__(self) -> None:
        self._wanted = 0.0
        self._asked_ns: int | None = None

    def board(self, frame: Frame, level: float) -> None:
        """Update the request from the board's brightness.

        :param level: brightness of the board's cloth in its strongest colour, 0 to 1.
        """
        self._feed(frame, level, BRIGHTEST, _FURTHEST)

    def no_board(self, frame: Frame) -> bool:
        """Update the request from a picture without a detected board.

        :param frame: a picture in which no board is found.
        :returns: whether it is overexposed.
        """
        grey = cv2.cvtColor(np.ascontiguousarray(frame.image[::8, ::8]), cv2.COLOR_BGR2GRAY)
        level = float(np.quantile(grey, _BOARD)) / 255
        self._feed(frame, level, BURNT, 0.0)
        return level > BURNT

    def stops(self) -> float:
        """Return how many stops brighter (below 0: darker) the next pictures have to be than the last; each request is
        returned once."""
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
