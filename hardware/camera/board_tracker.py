"""Board tracking: whether a board still lies where it was found, by image features around it. Pure.

- A board full of discs hides its own lines, and a full search is too slow in the middle of a game.
- Sharp features on and around the board are found again: most of them must have moved alike.
- Where few features are sharp (a dark board), the board counts as unmoved if nothing changed of what a small shift of
  it would change.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.camera_projection import FIELD, Array, apply, homography, square_sides

_MOST, _LEAST = 160, 14
#: pixels per square in the picture used for features
_SIDE = 26.0
#: squares around the field in which features lie
_AROUND = 0.35
#: maximum error of a feature in pixels, and the share of those found again that must agree
_OFF, _AGREE = 1.5, 0.5
_WINDOW = (13, 13)
#: a shift (squares) each way, and where it would be visible: squares around the field, number of pixels, grey levels
_STEP, _OUTSIDE, _SEEN_IN, _SEEN_BY = 0.15, 1.2, 200, 6.0
#: maximum share of a shift's change on an unmoved board: a twentieth of a square makes 0.4
_STILL = 0.25
#: quantiles of the board's brightness
_SHARES = np.linspace(0, 1, 65)


@dataclass(frozen=True, slots=True)
class BoardTracker:
    """Features of a board in one picture.

    - ``grey``: the picture, made smaller by ``scale``; ``smooth``: the same without noise. ``points``: n×2 in it.
    - ``corners``: the field's in the picture itself; ``near``: mask of the field and its surroundings.
    - ``steps``: 2×n, the pixels that a shift across, and one down, would change most; ``changes``: by how much.
    """

    corners: Array
    grey: NDArray[np.uint8]
    smooth: NDArray[np.float32]
    scale: float
    points: NDArray[np.float32]
    near: NDArray[np.bool_]
    steps: NDArray[np.intp]
    changes: NDArray[np.float32]

    @classmethod
    def of(cls, image: NDArray[np.uint8], corners: Array) -> BoardTracker | None:
        """Return the features of a board; None if there are too few."""
        sides = square_sides(corners)
        scale = min(1.0, _SIDE / float(sides.max()))
        grey = _grey(image, scale)
        found = cv2.goodFeaturesToTrack(grey, _MOST, 0.02, 5, mask=_mask(grey, corners, scale, _AROUND))
        points = np.empty((0, 2), np.float32) if found is None else np.asarray(found[:, 0], np.float32)
        near = _mask(grey, corners, scale, _OUTSIDE) > 0
        smooth = _smooth(grey)
        steps, changes = _steps(smooth, near, _STEP * float(sides.mean()) * scale)
        if len(points) < _LEAST and changes.min() < _SEEN_BY:
            return None
        return cls(corners, grey, smooth, scale, points, near, steps, changes)

    def now(self, image: NDArray[np.uint8]) -> Array | None:
        """Return the corners in this picture, exactly the old ones if the board is unmoved; None if they cannot be
        determined."""
        grey = _grey(image, self.scale)
        if grey.shape != self.grey.shape:
            return None
        lighter = float(np.clip((np.median(self.grey) + 8) / (np.median(grey) + 8), 0.3, 3))
        lit = np.asarray(cv2.convertScaleAbs(grey, alpha=lighter), np.uint8)
        # checked first: in a dim room sharp features are noise, and part of it always moves alike
        if self._lies_still(_smooth(lit)) or self._lies_still(self._as_bright(_smooth(grey))):
            return self.corners
        return self._track_features(lit) if len(self.points) >= _LEAST else None

    def _as_bright(self, now: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the other picture with the brightness distribution of this one, which compensates for any tone curve
        of the camera's exposure."""
        before = np.quantile(self.smooth[self.near], _SHARES)
        return np.asarray(np.interp(now, np.quantile(now[self.near], _SHARES), before), np.float32)

    def _lies_still(self, now: NDArray[np.float32]) -> bool:
        changed = np.median(np.abs(now - self.smooth).ravel()[self.steps], axis=1)
        return bool(self.changes.min() >= _SEEN_BY and (changed < _STILL * self.changes).all())

    def _track_features(self, grey: NDArray[np.uint8]) -> Array | None:
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


def _mask(grey: NDArray[np.uint8], corners: Array, scale: float, around: float) -> NDArray[np.uint8]:
    """Return the mask of the field and so many squares around it."""
    mask = np.zeros_like(grey)
    outer = FIELD + np.sign(FIELD - 4) * around
    cv2.fillConvexPoly(mask, np.round(apply(homography(FIELD, corners), outer) * scale).astype(np.int32), 255)
    return mask


def _steps(
    grey: NDArray[np.float32], near: NDArray[np.bool_], step: float
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return the pixels that show most of a shift (pixels) to either side, across and down, and how much of it."""
    steps, changes = [], []
    places = np.flatnonzero(near)
    for way in ((step, 0.0), (0.0, step)):
        stepped = (np.abs(_shift_picture(grey, way, sign) - grey) for sign in (1, -1))
        shown = np.minimum(*stepped).ravel()[places]
        most = np.argpartition(shown, -_SEEN_IN)[-_SEEN_IN:]
        steps.append(places[most])
        changes.append(np.median(shown[most]))
    return np.array(steps), np.array(changes, np.float32)


def _shift_picture(grey: NDArray[np.float32], way: tuple[float, float], sign: int) -> NDArray[np.float32]:
    matrix = np.array([[1, 0, sign * way[0]], [0, 1, sign * way[1]]])
    return np.asarray(cv2.warpAffine(grey, matrix, grey.shape[::-1], borderMode=cv2.BORDER_REPLICATE), np.float32)


def _smooth(grey: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 1.5), np.float32)


def _grey(image: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
