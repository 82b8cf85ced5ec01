"""Camera geometry: projection between board points and picture pixels. Pure.

- Board coordinates are in squares. The field is 0 to 8 both ways, x along its first row, y down its rows, z up from the
  cloth; a disc's top lies about ``TOP`` above it.
- A camera is calibrated from the four corners alone: the homography of the cloth gives the focal length, that gives the
  pose, and the pose projects points of any height.
- A lens's distortion is left out: with it, drawn boards of strong wide-angle lenses were read no better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Height of a disc's top above the cloth, in squares.
TOP = 0.18
#: error of sides and angles from inexact corners, and spread of lenses (log of the focal length)
_INEXACT = 0.03
_LENSES = 0.5
#: the order of four corners from each first one
_TURNED = (np.arange(4)[:, None] + np.arange(4)) % 4
#: squares around a board that are looked at, and how much larger than its own those nearer to the camera may look
AROUND, _NEARER = 2, 1.5
FIELD = np.array([[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]])


def homography(source: Array, target: Array) -> Array:
    """Return the projective map that takes four points (4×2) to others."""
    return np.asarray(cv2.getPerspectiveTransform(source.astype(np.float32), target.astype(np.float32)), np.float64)


def apply(matrix: Array, points: Array) -> Array:
    """Return points (…×2) mapped by a homography."""
    x, y = points[..., 0], points[..., 1]
    right, down, away = (across * x + along * y + offset for across, along, offset in matrix)
    out = np.empty(points.shape)
    np.divide(right, away, out=out[..., 0])
    np.divide(down, away, out=out[..., 1])
    return out


def placement_changes(points: Array) -> Array:
    """Return how far board points (n×2) move for each of eight small changes of a board's placement (n rows across,
    then n down): moved, stretched and slanted across, the same down, and keystoned both ways."""
    x, y = (points / 4 - 1).T
    one, none = np.ones_like(x), np.zeros_like(x)
    return np.concatenate(
        [
            np.stack([one, x, y, none, none, none, x * x, x * y], axis=1),
            np.stack([none, none, none, one, x, y, x * y, y * y], axis=1),
        ]
    )


@dataclass(frozen=True, slots=True)
class Pose:
    """Pose of a camera relative to a board. ``projection`` (3×4) takes board points to pixels; ``eye`` is the camera's
    position in the board's coordinates."""

    projection: Array
    eye: Array

    @classmethod
    def of(cls, corners: Array, size: tuple[int, int]) -> Pose:
        """Return the pose from the outer corners of the field (4×2, clockwise) in a picture of ``size`` (width,
        height).

        The focal length is the one that makes the board's sides square and at right angles; where the view is too
        frontal to determine it, that of a common camera.

        :raises ValueError: if the corners are not a quadrilateral seen from above.
        """
        if not is_convex(corners):
            raise ValueError("the corners are not those of a convex quadrilateral, clockwise")
        width, height = size
        centre = np.array([[1.0, 0.0, -width / 2], [0.0, 1.0, -height / 2], [0.0, 0.0, 1.0]])
        ground = centre @ homography(FIELD, corners)
        focal = _focal(ground, max(width, height))
        seen = np.diag([1 / focal, 1 / focal, 1.0]) @ ground
        scale = 2 / (np.linalg.norm(seen[:, 0]) + np.linalg.norm(seen[:, 1]))
        across, down, place = (seen * scale).T
        up = -np.cross(across, down)
        turn = np.stack([across, down, up], axis=1)
        unit_u, _, unit_v = np.linalg.svd(turn)
        eye = -(unit_u @ unit_v).T @ place
        back = np.array([[focal, 0.0, width / 2], [0.0, focal, height / 2], [0.0, 0.0, 1.0]])
        # The cloth's plane is kept exactly as the corners give it; only the height comes from the pose.
        whole = np.stack([seen[:, 0] * scale, seen[:, 1] * scale, (unit_u @ unit_v)[:, 2], place], axis=1)
        return cls(back @ whole, eye)

    def plane(self, height: float) -> Array:
        """Return the homography from the board's x, y at that height to the picture."""
        return np.stack(
            [self.projection[:, 0], self.projection[:, 1], self.projection[:, 3] + height * self.projection[:, 2]],
            axis=1,
        )

    @property
    def elevation(self) -> float:
        """The camera's elevation over the board's middle, in radians; π/2 is from above."""
        away = self.eye - np.array([4.0, 4.0, 0.0])
        return math.atan2(abs(float(away[2])), float(np.hypot(away[0], away[1])))

    def square_pixels(self) -> float:
        """Return the side of the smallest square in pixels, the shorter way."""
        nodes = apply(self.plane(0.0), np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), axis=-1))
        return float(min(np.linalg.norm(np.diff(nodes, axis=way), axis=-1).min() for way in (0, 1)))


@dataclass(frozen=True, slots=True)
class BoardPart:
    """The part of a picture with a board and ``AROUND`` squares around it. It ``begins`` at this pixel (x, y);
    ``small``: made smaller by ``scale`` (across, down), float BGR."""

    small: NDArray[np.float32]
    begins: NDArray[np.int64]
    scale: Array

    @classmethod
    def of(cls, image: NDArray[np.uint8], corners: Array, scale: float) -> BoardPart:
        """Return the part of a picture with a board.

        :param corners: the outer corners of the field in ``image`` (BGR), 4×2, clockwise.
        :param scale: how much smaller the picture is made; above 1 counts as 1.
        """
        size, around = image.shape[1::-1], _NEARER * AROUND * float(square_sides(corners).max())
        begins = np.clip(np.floor(corners.min(axis=0) - around), 0, np.array(size) - 1).astype(int)
        ends = np.clip(np.ceil(corners.max(axis=0) + around), begins + 1, size).astype(int)
        less = np.ceil((ends - begins) * min(scale, 1.0)).astype(int)
        part = image[begins[1] : ends[1], begins[0] : ends[0]]
        small = cv2.resize(part, less.tolist(), interpolation=cv2.INTER_AREA)
        return cls(small.astype(np.float32), begins, less / (ends - begins))

    def colours(self, pixels: Array) -> NDArray[np.float32]:
        """Return the colours (rows × columns × 3, BGR, 0 to 255) of these pixels (rows × columns × 2) of the picture;
        beyond the edge those of the edge."""
        across, down = ((pixels - self.begins) * self.scale - 0.5).astype(np.float32).transpose(2, 0, 1)
        seen = cv2.remap(self.small, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(seen, np.float32)


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board in a picture, seen with this ``pose``."""

    part: BoardPart
    pose: Pose

    def colours(self, points: Array, height: float = 0.0) -> NDArray[np.float32]:
        """Return the colours (…×3, BGR, 0 to 1) of board points (…×2) of that height."""
        at = apply(self.pose.plane(height), points).reshape(len(points), -1, 2)
        return self.part.colours(at).reshape(*points.shape[:-1], 3) / np.float32(255)


def is_convex(corners: Array) -> bool:
    """Return True for four corners in clockwise order (y points down) that form a convex quadrilateral."""
    sides = np.roll(corners, -1, axis=0) - corners
    after = np.roll(sides, -1, axis=0)
    return bool((sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0] > 1e-6).all())


def square_sides(corners: Array) -> Array:
    """Return the mean side of a square along each side of the field, in pixels."""
    return np.asarray(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1) / 8)


def corner_distance(one: Array, other: Array) -> float:
    """Return the largest distance between corresponding corners of two boards, in squares."""
    return float(np.linalg.norm(one - other, axis=1).max() / square_sides(one).mean())


def corner_distance_any_order(one: Array, other: Array) -> float:
    """Return ``corner_distance`` for whichever first corner gives the least."""
    away = np.linalg.norm(one - other[_TURNED], axis=-1).max(axis=1)
    return float(away.min() / square_sides(one).mean())


def _focal(ground: Array, longest: int) -> float:
    """Return the focal length in pixels that makes the board's sides equal and at right angles, within the range of
    lenses. A view from straight above determines none, and corners are never exact."""
    focals = longest * np.exp(np.linspace(math.log(0.5), math.log(6.0), 50))
    flat = ground[:2, :2].T[None] / focals[:, None, None]
    sides = np.concatenate([flat, np.broadcast_to(ground[2, :2][None, :, None], (len(focals), 2, 1))], axis=2)
    first, second = np.linalg.norm(sides, axis=2).T
    leaning = (sides[:, 0] * sides[:, 1]).sum(axis=1) / (first * second)
    unequal = np.log(first / second)
    unusual = np.log(focals / longest)
    cost = (leaning**2 + unequal**2) / _INEXACT**2 + unusual**2 / _LENSES**2
    return float(focals[np.argmin(cost)])
