"""Outline candidates: four-sided outlines in a picture that may be a board. Pure.

All areas of one colour, the holes they enclose and their complements have outlines; a board's is that of its cloth, of
its frame, or the hole in its frame, and the field lies within it. Candidates are not judged here.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.camera_projection import FIELD, Array, apply, homography, is_convex, skew

Picture = NDArray[np.uint8]
#: the longer side of the picture for separating colours
_COLOURS = 240
#: minimum share of the picture that a board covers
_LEAST = 0.012
#: corners further from a square than this are rejected; the limit is wide, because a picture may be cropped from
#: another
NO_SQUARE = 0.4
#: distances (squares) of a field inside an outline: frames and margins
_WITHIN = (0.0, 0.25, 0.55, 0.85, 1.15, 1.5)
#: outlines nearer to each other than this (squares) are duplicates
_SAME = 0.2


def outline_fields(work: Picture) -> Iterator[Array]:
    """Yield corners (4×2, clockwise) of possible fields that are completely in the picture."""
    size = np.array(work.shape[1::-1])
    for outline in _outlines(work):
        if skew(outline, (int(size[0]), int(size[1]))) > NO_SQUARE:
            continue
        for inset in _WITHIN:
            field = apply(homography(FIELD + np.sign(FIELD - 4) * inset, outline), FIELD)
            if (field >= 0).all() and (field <= size).all():
                yield field


def _outlines(work: Picture) -> Iterator[Array]:
    shrink = _COLOURS / max(work.shape[:2])
    shrunk = cv2.resize(work, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    small = np.asarray(cv2.medianBlur(shrunk, 3), np.uint8)
    least = _LEAST * small.shape[0] * small.shape[1]
    known: list[Array] = []
    for mask in _colours(small):
        for part in _parts(mask):
            outlines, _ = cv2.findContours(part, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
            for outline in outlines:
                quad = _envelope(np.asarray(cv2.convexHull(outline)[:, 0], np.float64), least)
                if quad is None:
                    continue
                quad = quad / shrink
                size = float(np.linalg.norm(quad[1] - quad[0])) / 8
                if all(np.abs(quad - other).max() > _SAME * size for other in known):
                    known.append(quad)
                    yield quad


def _parts(mask: Picture) -> Iterator[Picture]:
    """Yield a colour's mask with small gaps closed, with larger gaps closed, and its complement."""
    for closing in (2, 5):
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * closing + 1, 2 * closing + 1))
        closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, kernel)
        yield np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
    yield np.asarray(cv2.morphologyEx(255 - mask, cv2.MORPH_OPEN, kernel), np.uint8)


def _colours(small: Picture) -> Iterator[NDArray[np.uint8]]:
    """Yield masks of the picture's main colours: by hue alone, and by hue and brightness."""
    lab = cv2.cvtColor(small.astype(np.float32) / np.float32(255), cv2.COLOR_BGR2LAB)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 0.5)
    for weight, count in ((0.25, 5), (0.6, 6), (1.0, 9)):
        points = (lab * np.array([weight, 1.0, 1.0], np.float32)).reshape(-1, 3)
        cv2.setRNGSeed(14)
        _, labels, _ = cv2.kmeans(points, count, np.zeros(len(points), np.int32), stop, 1, cv2.KMEANS_PP_CENTERS)
        shaped = np.asarray(labels).reshape(small.shape[:2])
        for label in range(count):
            yield (shaped == label).astype(np.uint8) * 255


def _envelope(hull: Array, least: float) -> Array | None:
    """Return the four-sided hull of a convex outline: sides are removed, the cheapest first, until four are left."""
    points = cv2.approxPolyDP(hull.astype(np.float32)[:, None], 0.8, True)[:, 0].astype(np.float64)
    if len(points) < 4 or abs(cv2.contourArea(points.astype(np.float32))) < least:
        return None
    if cv2.contourArea(points.astype(np.float32), True) < 0:
        points = points[::-1]
    while len(points) > 4:
        cheapest, left = np.inf, None
        for index in range(len(points)):
            shorter = _without_side(points, index)
            if shorter is not None and shorter[0] < cheapest:
                cheapest, left = shorter
        if left is None:
            return None
        points = left
    return points if is_convex(points) else None


def _without_side(points: Array, index: int) -> tuple[float, Array] | None:
    """Return the area added and the polygon after the side at ``index`` is removed and its neighbours are extended
    until they meet."""
    count = len(points)
    a, b, c, d = (points[(index + k) % count] for k in (-1, 0, 1, 2))
    first, second = b - a, d - c
    cross = first[0] * second[1] - first[1] * second[0]
    if abs(cross) < 1e-9:
        return None
    along = ((c - a)[0] * second[1] - (c - a)[1] * second[0]) / cross
    if along < 1:
        return None
    tip = a + first * along
    added = abs((b - tip)[0] * (c - tip)[1] - (b - tip)[1] * (c - tip)[0]) / 2
    drawn_out = points.copy()
    drawn_out[index] = tip
    return float(added), np.delete(drawn_out, (index + 1) % count, axis=0)
