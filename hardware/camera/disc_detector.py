"""Disc detection: round spots in a picture, and alignment of a board to them. Pure.

Discs that hide a board's lines lie near the middle of its squares; together they locate the squares. Round spots
elsewhere, or too large or too small for a disc of that board, are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.camera_projection import FIELD, Array, Pose, apply, homography, is_convex, placement_changes

Picture = NDArray[np.uint8]
#: minimum and maximum pixels of a spot
_LEAST, _MOST = 20, 6500
#: range of a shape's area relative to the ellipse with its moments
_ROUND = (0.93, 1.02)
#: neighbourhood sizes for light and dark spots, and thresholds in median differences
_AROUND, _DIFFERENT = (19, 35, 65), (0.7, 2.0)
_LEVELS = ((0.2, 0.35, 0.5, 0.65, 0.8, 0.9), (0.3, 0.5, 0.7), (0.3, 0.5, 0.7))
#: range of a disc's visible share of its square, and the height of its spot's middle above the cloth
_SHARE, _HEIGHT = (0.25, 0.95), 0.15
#: maximum distance from the middle of a square in each iteration, and the minimum number of squares with a spot
_AWAY, _ENOUGH = (0.42, 0.36, 0.3, 0.3), 12
#: of a board accepted by its discs: the maximum mean distance from the squares' middles, and the maximum share of discs
#: further away than the second value
_CENTRED, _ASIDE, _FEW = 0.065, 0.3, 0.1


def spots(image: Picture) -> Array:
    """Return the middles and areas (n×3) of all round spots, in pixels."""
    found = [spot for mask in _masks(image) for spot in _round(mask)]
    return np.array(found, np.float64).reshape(-1, 3)


def _masks(image: Picture) -> Iterator[Picture]:
    lab = cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
    for number, levels in enumerate(_LEVELS):
        channel = cv2.GaussianBlur(lab[..., number], (0, 0), 1.6 if number else 0.9)
        for level in np.quantile(channel, levels):
            yield (channel > level).astype(np.uint8)
            yield (channel < level).astype(np.uint8)
        if number:
            continue
        for around in _AROUND:
            away = channel.astype(np.int16) - cv2.blur(channel, (around, around))
            usual = max(float(np.median(np.abs(away))), 2.0)
            for times in _DIFFERENT:
                yield (away > times * usual).astype(np.uint8)
                yield (away < -times * usual).astype(np.uint8)


def _round(mask: Picture) -> Iterator[tuple[float, float, float]]:
    _, labels, boxes, middles = cv2.connectedComponentsWithStats(mask, connectivity=4)
    wide, high, areas = boxes[:, 2], boxes[:, 3], boxes[:, 4]
    likely = (areas >= _LEAST) & (areas <= _MOST) & (wide < 6 * high) & (high < 6 * wide)
    for index in np.flatnonzero(likely[1:]) + 1:
        x, y, width, height, area = (int(value) for value in boxes[index])
        shape = (labels[y : y + height, x : x + width] == index).astype(np.uint8)
        about = cv2.moments(shape, binaryImage=True)
        square = about["mu20"] * about["mu02"] - about["mu11"] ** 2
        if square > 0 and _ROUND[0] < area * area / (4 * np.pi * np.sqrt(square)) < _ROUND[1]:
            yield float(middles[index][0]), float(middles[index][1]), float(area)


def align_to_spots(corners: Array, found: Array, size: tuple[int, int]) -> Array | None:
    """Return the corners after aligning the spots to the middles of squares; None if too few lie near one.

    :param found: as from ``spots``, in the same picture of ``size`` (width, height).
    """
    for away in _AWAY:
        try:
            places, discs = _as_discs(corners, found, size)
        except (ValueError, np.linalg.LinAlgError):
            return None
        squares = np.clip(np.floor(places), 0, 7) + 0.5
        shift = places - squares
        near = (np.linalg.norm(shift, axis=1) < away) & discs
        squares, shift = squares[near], shift[near]
        number = (squares[:, 0] * 8 + squares[:, 1]).astype(int)
        counts = np.bincount(number, minlength=64)
        if (counts > 0).sum() < _ENOUGH:
            return None
        moved = _moved(squares, shift, 1 / counts[number])
        corners = apply(homography(FIELD, corners), FIELD + np.clip(moved, -0.5, 0.5))
        if not is_convex(corners):
            return None
    return corners


def matches_spots(corners: Array, found: Array, size: tuple[int, int]) -> bool:
    """Return whether the spots lie on the squares of this board as discs do: enough of them, centred on the whole, and
    hardly any near a line. Parameters as in ``align_to_spots``."""
    try:
        places, discs = _as_discs(corners, found, size)
    except (ValueError, np.linalg.LinAlgError):
        return False
    places = places[discs & (places > 0).all(axis=1) & (places < 8).all(axis=1)]
    squares = np.floor(places)
    number = (squares[:, 0] * 8 + squares[:, 1]).astype(int)
    shifts = [np.median((places - squares - 0.5)[number == one], axis=0) for one in np.unique(number)]
    if len(shifts) < _ENOUGH:
        return False
    aside = np.linalg.norm(shifts, axis=1) > _ASIDE
    return bool(np.linalg.norm(np.median(shifts, axis=0)) <= _CENTRED and aside.mean() <= _FEW)


def _as_discs(corners: Array, found: Array, size: tuple[int, int]) -> tuple[Array, NDArray[np.bool_]]:
    """Return the board positions of the spots if they are discs' tops, and which have the size of discs there."""
    plane = Pose.of(corners, size).plane(_HEIGHT)
    places = apply(np.asarray(np.linalg.inv(plane), np.float64), found[:, :2])
    # pixels per square at that place
    pixels = abs(float(np.linalg.det(plane))) / np.abs(places @ plane[2, :2] + plane[2, 2]) ** 3
    share = found[:, 2] / pixels
    return places, (share > _SHARE[0]) & (share < _SHARE[1])


def _moved(squares: Array, shift: Array, weight: Array) -> Array:
    """Return how far the field's corners move (squares) if its squares move to the spots."""
    terms = placement_changes(squares)
    wanted, weight = np.concatenate([shift[:, 0], shift[:, 1]]), np.tile(weight, 2)
    keep = np.diag([0.02, 0.3, 0.3, 0.02, 0.3, 0.3, 2.0, 2.0])
    change = np.zeros(8)
    for _ in range(6):
        left = wanted - terms @ change
        strong = weight / (1 + (left / max(1.5 * float(np.median(np.abs(left))), 0.05)) ** 2) ** 2
        change = np.linalg.solve(terms.T @ (terms * strong[:, None]) + keep, terms.T @ (strong * wanted))
    corner = FIELD / 4 - 1
    bow = (corner @ change[6:8])[:, None] * corner
    return np.asarray(np.stack([change[0] + corner @ change[1:3], change[3] + corner @ change[4:6]], axis=1) + bow)
