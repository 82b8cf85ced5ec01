"""Image quality of a board picture, in figures that tell a person what to improve. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.board_reader import BoardReading
from hardware.camera.camera_projection import Array
from hardware.camera.picture_decoding_and_overlays import rectify_field
from hardware.camera.square_features import RectifiedBoard

#: pixels per square in the straightened board
_SIDE = 16
#: a pixel this bright shows a lamp, not the board; a square with a larger share of them has glare
_BLINDING, _GLARING = 244, 0.06


@dataclass(frozen=True, slots=True)
class ImageQuality:
    """Quality figures of one picture.

    - ``brightness``: the board's median grey (0 to 255).
    - ``sharpness``: the ratio of fine to coarse detail (about 1 in a sharp picture, 0.4 in one blurred by two pixels).
    - ``square_pixels``: the smallest square's side. ``elevation``: degrees above the table.
    - ``edge``: the distance of the field from the picture's edge, in squares.
    - ``glare`` and ``unread``: indices of squares, the first corner's first.
    """

    brightness: float
    sharpness: float
    square_pixels: float
    elevation: float
    edge: float
    glare: tuple[int, ...]
    unread: tuple[int, ...]


def measure_quality(image: NDArray[np.uint8], seen: BoardReading) -> ImageQuality:
    """Return the quality of a picture.

    :param seen: the reading of ``image`` (BGR).
    """
    height, width = image.shape[:2]
    view = RectifiedBoard.of(image, seen.corners).view
    flat = rectify_field(image, seen.corners, _SIDE)
    # centres are left out: white discs are bright themselves, as are the edges of their neighbours
    middles = (flat.min(axis=2) > _BLINDING).reshape(8, _SIDE, 8, _SIDE)[:, 4:-4, :, 4:-4]
    glaring = middles.mean(axis=(1, 3)).ravel()
    glare = tuple(at for at in range(64) if glaring[at] > _GLARING and seen.cells[at] in "-?")
    side = float(np.linalg.norm(np.roll(seen.corners, -1, axis=0) - seen.corners, axis=1).min()) / 8
    near = min(float(seen.corners.min()), float((np.array([width, height]) - seen.corners).min()))
    return ImageQuality(
        brightness=float(np.median(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY))),
        sharpness=_sharpness(image, seen.corners),
        square_pixels=view.square_pixels(),
        elevation=float(np.degrees(view.elevation)),
        edge=near / side,
        glare=glare,
        unread=tuple(at for at in range(64) if seen.cells[at] == "?"),
    )


def _sharpness(image: NDArray[np.uint8], corners: Array) -> float:
    """Return the ratio of the board's fine to its coarse detail."""
    grey = cv2.medianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), 3).astype(np.float32)  # noise is not detail
    mask = np.zeros(grey.shape, np.uint8)
    cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 1)
    fine, middle, coarse = (cv2.GaussianBlur(grey, (0, 0), sigma) for sigma in (0.8, 2.0, 4.0))
    inside = mask > 0
    return float(np.abs(fine - middle)[inside].mean() / max(float(np.abs(middle - coarse)[inside].mean()), 0.1))
