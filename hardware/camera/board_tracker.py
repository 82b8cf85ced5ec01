"""Board tracking: whether a board still lies where it was found. Pure.

A board counts as unmoved if nothing changed of what a small shift of it would change, apart from the places of discs.
That tells also of a dark board and of one whose discs hide its lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.camera_projection import FIELD, TOP, Array, Pose, apply, square_sides

#: pixels per square in the picture that is compared
_SIDE = 26.0
#: a shift (squares) each way, and where it would be visible: squares around the field, number of pixels, grey levels
_STEP, _OUTSIDE, _SEEN_IN, _SEEN_BY = 0.15, 1.2, 200, 6.0
#: maximum share of a shift's change on an unmoved board: a twentieth of a square mostly makes 0.4 or more
_STILL = 0.2
#: outlines of the places of discs, which moves change (64 × 16 × 2)
_TURN = np.arange(16) * np.pi / 8
_DISCS = np.indices((8, 8)).T.reshape(64, 1, 2) + 0.5 + 0.46 * np.stack([np.cos(_TURN), np.sin(_TURN)], axis=-1)
#: quantiles of the board's brightness
_SHARES = np.linspace(0, 1, 65)


@dataclass(frozen=True, slots=True)
class BoardTracker:
    """Appearance of a board in one picture.

    - ``corners``: the field's in the picture; ``scale``: how much smaller the compared picture is; ``near``: mask of
      the field and its surroundings there, without the places of discs; ``shares``: quantiles of the brightness in it.
    - ``steps``: 2×n, the pixels that a shift across, and one down, would change most; ``greys``: their brightness;
      ``changes``: by how much a shift would change it.
    """

    corners: Array
    scale: float
    near: NDArray[np.bool_]
    shares: NDArray[np.float32]
    steps: NDArray[np.intp]
    greys: NDArray[np.float32]
    changes: NDArray[np.float32]

    @classmethod
    def of(cls, image: NDArray[np.uint8], corners: Array) -> BoardTracker | None:
        """Return the tracker of a board; None if a small shift would not be visible."""
        sides = square_sides(corners)
        scale = min(1.0, _SIDE / float(sides.max()))
        smooth = _smooth(image, scale)
        mask = np.zeros(smooth.shape, np.uint8)
        pose = Pose.of(corners, (image.shape[1], image.shape[0]))
        outer = apply(pose.plane(0.0), FIELD + np.sign(FIELD - 4) * _OUTSIDE)
        cv2.fillConvexPoly(mask, np.round(outer * scale).astype(np.int32), 255)
        for disc in np.concatenate([apply(pose.plane(height), _DISCS) for height in (0.0, TOP)], axis=1) * scale:
            cv2.fillConvexPoly(mask, cv2.convexHull(np.round(disc).astype(np.int32)), 0)
        near = mask > 0
        steps, changes = _steps(smooth, near, _STEP * float(sides.mean()) * scale)
        if changes.min() < _SEEN_BY:
            return None
        return cls(corners, scale, near, np.quantile(smooth[near], _SHARES), steps, smooth.ravel()[steps], changes)

    def is_unmoved(self, image: NDArray[np.uint8]) -> bool:
        """Return whether the board lies in this picture where it was."""
        now = _smooth(image, self.scale)
        if now.shape != self.near.shape:
            return False
        # the same distribution of brightness compensates for any tone curve of the camera's exposure
        same = np.interp(now.ravel()[self.steps], np.quantile(now[self.near], _SHARES), self.shares)
        changed = np.median(np.abs(same - self.greys), axis=1)
        return bool((changed < _STILL * self.changes).all())


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


def _smooth(image: NDArray[np.uint8], scale: float) -> NDArray[np.float32]:
    """Return the grey picture, made smaller, without noise."""
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.5), np.float32)
