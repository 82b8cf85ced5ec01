"""Whether a board still lies where it was found, by what could be seen on it then. Pure.

The law: a board full of discs hides its own lines, and nobody wants it looked for again in the middle of a game. What
was sharp on and around it when it was found is looked for again: most of it must have gone the same way.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.geometry import FIELD, Array, apply, homography

_MOST, _LEAST = 160, 14
#: pixels of a square in the picture in which landmarks are looked for
_SIDE = 26.0
#: squares around the field in which landmarks lie
_AROUND = 0.35
#: pixels by which a landmark may be off, and share of those that are seen again that must agree
_OFF, _AGREE = 1.5, 0.5
_WINDOW = (13, 13)


@dataclass(frozen=True, slots=True)
class Landmarks:
    """``grey`` is the picture, made smaller by ``scale``, in which they were seen; ``points`` n×2 in it; ``corners``
    the field's in the picture itself."""

    corners: Array
    grey: NDArray[np.uint8]
    scale: float
    points: NDArray[np.float32]

    @classmethod
    def of(cls, image: NDArray[np.uint8], corners: Array) -> Landmarks | None:
        """None: there is too little to hold on to."""
        sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
        scale = min(1.0, 8 * _SIDE / float(sides.max()))
        grey = _grey(image, scale)
        mask = np.zeros_like(grey)
        outer = FIELD + np.sign(FIELD - 4) * _AROUND
        cv2.fillConvexPoly(mask, np.round(apply(homography(FIELD, corners), outer) * scale).astype(np.int32), 255)
        points = cv2.goodFeaturesToTrack(grey, _MOST, 0.02, 5, mask=mask)
        if points is None or len(points) < _LEAST:
            return None
        return cls(corners, grey, scale, np.asarray(points[:, 0], np.float32))

    def now(self, image: NDArray[np.uint8]) -> Array | None:
        """Where the corners are in this picture: exactly where they were if it still lies there; None if it cannot
        be told."""
        grey = _grey(image, self.scale)
        if grey.shape != self.grey.shape:
            return None
        lighter = float(np.clip((np.median(self.grey) + 8) / (np.median(grey) + 8), 0.3, 3))
        grey = np.asarray(cv2.convertScaleAbs(grey, alpha=lighter), np.uint8)
        start = self.points[:, None]
        there, seen, _ = cv2.calcOpticalFlowPyrLK(self.grey, grey, start, start.copy(), winSize=_WINDOW, maxLevel=3)
        back, again, _ = cv2.calcOpticalFlowPyrLK(grey, self.grey, there, there.copy(), winSize=_WINDOW, maxLevel=3)
        same = (seen[:, 0] == 1) & (again[:, 0] == 1) & (np.linalg.norm((back - start)[:, 0], axis=1) < 1.0)
        if int(same.sum()) < _LEAST:
            return None
        before, after = self.points[same], there[same, 0]
        cv2.setRNGSeed(14)
        still = np.linalg.norm(after - before, axis=1) < _OFF
        if still.mean() >= _AGREE:
            return self.corners
        way, agree = cv2.findHomography(before, after, cv2.RANSAC, _OFF)
        if way is None or int(agree.sum()) < max(_LEAST, _AGREE * len(before)):
            return None
        return apply(np.asarray(way, np.float64), self.corners * self.scale) / self.scale


def _grey(image: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
