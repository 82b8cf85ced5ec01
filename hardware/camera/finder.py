"""Finds a board in a picture without a hand.

The law: many guesses, one judge. Every patch of one colour is taken for a cloth, its hull for a board, and every such
board is held against its lines and then against what the reader sees there; guesses that are both good and disagree
are no answer. What cannot be found is refused with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.geometry import FIELD, Array, apart, apply, homography, is_convex, skew
from hardware.camera.grid import Fit, fit, follow
from hardware.camera.network import KINDS, Network, trained
from hardware.camera.patches import Sight

Picture = NDArray[np.uint8]
#: the longer side of the picture in which a board is looked for
_WORKING = 720
#: squares below this many pixels are not read
SMALLEST = 8.0
#: support of a grid that is believed, and of one that may be a part of a board or lie a line beside it
_BELIEVED = 0.6
_PROMISING = 0.42
#: a grid further from a square than this is none
_NO_SQUARE = 0.12
#: so many of the best guesses are looked at closely
_CLIMBED = 4
#: a grid's next places: all of it one row on, or one or two of its sides drawn out by a row
_SHIFTS = [
    np.array(shift, float)
    for shift in (
        [[1, 0]] * 4,
        [[-1, 0]] * 4,
        [[0, 1]] * 4,
        [[0, -1]] * 4,
        [[0, -1], [0, -1], [0, 0], [0, 0]],
        [[0, 0], [1, 0], [1, 0], [0, 0]],
        [[0, 0], [0, 0], [0, 1], [0, 1]],
        [[-1, 0], [0, 0], [0, 0], [-1, 0]],
    )
]
#: squares that must show something that belongs there; those of a board whose lines are faint, and its discs
_READABLE = 44
_ALL_BUT_FEW, _SOME_DISCS = 61, 4
#: an outer row with no more readable squares than this lies on the frame
_EDGE_ROW = 2
#: a grid must look so much more like a board than those a row beside it
_CLEARLY = 0.02


class Reason(StrEnum):
    """Why a picture is not read (CONTRACT.md)."""

    NO_BOARD = "no-board"
    CUT_OFF = "cut-off"
    HAND = "hand"
    DARK = "dark"
    BLURRED = "blurred"
    TOO_SMALL = "too-small"


@dataclass(frozen=True, slots=True)
class Found:
    """``corners`` of the field in the picture's pixels, clockwise, the first row along its upper side; ``bend`` as in
    ``Bend``."""

    corners: Array
    support: float
    readable: int
    bend: float


def find(image: Picture, network: Network | None = None) -> Found | Reason:
    """The board in a picture (BGR)."""
    network = network or trained()
    height, width = image.shape[:2]
    scale = _WORKING / max(height, width)
    scale = min(scale, 2.5)
    work = _resized(image, scale)
    grey = _grey(work)
    fits = [fitted for guess in _guesses(work) if (fitted := fit(grey, guess)) is not None]
    fits = sorted((fitted for fitted in fits if fitted.support >= _PROMISING), key=lambda fitted: -fitted.support)
    verdicts = [_judged(work, _climbed(grey, fitted), network) for fitted in _different(fits)[:_CLIMBED]]
    good = sorted((verdict for verdict in verdicts if isinstance(verdict, Found)), key=_merit, reverse=True)
    if not good:
        return _why(image, [verdict for verdict in verdicts if isinstance(verdict, Reason)])
    best = good[0]
    if any(_merit(other) > 0.9 * _merit(best) and _apart(best, other) > 0.6 for other in good[1:]):
        return Reason.NO_BOARD
    final = Found(_upright(best.corners / scale), best.support, best.readable, best.bend)
    sides = np.linalg.norm(np.roll(final.corners, -1, axis=0) - final.corners, axis=1) / 8
    return Reason.TOO_SMALL if sides.min() < SMALLEST else final


def found_again(image: Picture, corners: Array, bend: float = 0.0) -> Fit | None:
    """A board that was found before and may have been bumped; None if it is not there."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    scale = min(1.0, 8 * 28 / float(sides.max()))
    small = _resized(image, scale) if scale < 1 else image
    again = follow(_grey(small), corners * scale, bend)
    if again is None or again.support < _BELIEVED:
        return None
    return replace(again, corners=again.corners / scale)


def _resized(image: Picture, scale: float) -> Picture:
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=way), np.uint8)


def _grey(image: Picture) -> NDArray[np.float32]:
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32) / np.float32(255)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.7), np.float32)


def _merit(found: Found) -> float:
    return found.support * found.readable / 64


def _apart(one: Found, other: Found) -> float:
    """How many squares two boards are apart, whichever corner is first."""
    return min(apart(one.corners, np.roll(other.corners, turn, axis=0)) for turn in range(4))


def _upright(corners: Array) -> Array:
    """The same corners, first the side that runs most to the right."""
    sides = np.roll(corners, -1, axis=0) - corners
    return np.roll(corners, -int(np.argmax(sides[:, 0] / np.linalg.norm(sides, axis=1))), axis=0)


def _different(fits: list[Fit]) -> list[Fit]:
    """Fits of which each stands for all that are nearly the same."""
    kept: list[Fit] = []
    for fitted in fits:
        side = float(np.linalg.norm(fitted.corners[1] - fitted.corners[0])) / 8
        if all(np.abs(fitted.corners - other.corners).max() > 0.3 * side for other in kept):
            kept.append(fitted)
    return kept


def _climbed(grey: NDArray[np.float32], fitted: Fit) -> Fit:
    """The best grid that is reached by moving a row at a time: discs along an edge can hide its cloth, and a grid that
    lies a row off has most of its lines in the right places."""
    for _ in range(4):
        if fitted.support > 0.93:
            break
        beside = [
            again
            for shift in _SHIFTS
            if (again := follow(grey, _shifted(fitted.corners, shift), fitted.bend)) is not None
        ]
        best = max(beside, key=lambda again: again.support, default=fitted)
        if best.support < fitted.support + 0.02:
            break
        fitted = best
    return fitted


def _shifted(corners: Array, shift: Array) -> Array:
    return apply(homography(FIELD, corners), FIELD + shift)


def _judged(work: Picture, fitted: Fit, network: Network) -> Found | Reason:
    """A grid that is there: whether all of it is in the picture, and enough of it can be read."""
    height, width = work.shape[:2]
    if not is_convex(fitted.corners) or skew(fitted.corners, (width, height)) > _NO_SQUARE:
        return Reason.NO_BOARD
    edge = 0.15 * float(np.linalg.norm(fitted.corners[1] - fitted.corners[0])) / 8
    if (fitted.corners < -edge).any() or (fitted.corners > np.array([width, height]) + edge).any():
        return Reason.CUT_OFF
    odds = _odds(work, fitted.corners, fitted.bend, network)
    if odds is None:
        return Reason.NO_BOARD
    belongs = odds[:, KINDS.index("?")] < 0.5
    readable = int(belongs.sum())
    discs = int((odds[:, [KINDS.index("X"), KINDS.index("O")]].max(axis=1) > 0.9).sum())
    if fitted.support < _BELIEVED and (readable < _ALL_BUT_FEW or discs < _SOME_DISCS):
        return Reason.NO_BOARD
    if readable < _READABLE:
        return Reason.HAND
    field = belongs.reshape(8, 8)
    if min(field[0].sum(), field[-1].sum(), field[:, 0].sum(), field[:, -1].sum()) <= _EDGE_ROW:
        return Reason.NO_BOARD  # a row of frame: the board lies beside
    for shift in _SHIFTS:
        beside = _odds(work, _shifted(fitted.corners, shift), fitted.bend, network)
        if beside is not None and _likeness(beside) > _likeness(odds) - _CLEARLY:
            return Reason.NO_BOARD
    return Found(fitted.corners, fitted.support, readable, fitted.bend)


def _odds(work: Picture, corners: Array, bend: float, network: Network) -> NDArray[np.float32] | None:
    try:
        return network.odds(Sight.of(work, corners, bend).features())
    except ValueError:
        return None


def _likeness(odds: NDArray[np.float32]) -> float:
    """How much squares look like squares of a board, on the whole."""
    return float(np.mean(odds[:, : KINDS.index("?")].max(axis=1)))


def _why(image: Picture, verdicts: list[Reason]) -> Reason:
    bright = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if np.quantile(bright, 0.98) < 40:
        return Reason.DARK
    for reason in (Reason.HAND, Reason.CUT_OFF):
        if reason in verdicts:
            return reason
    small = cv2.resize(bright, (320, max(round(320 * bright.shape[0] / bright.shape[1]), 1)))
    sharp = cv2.Laplacian(small, cv2.CV_32F)
    return Reason.BLURRED if float(np.quantile(np.abs(sharp), 0.99)) < 12 else Reason.NO_BOARD


def _guesses(work: Picture) -> Iterator[Array]:
    """Quadrilaterals around everything of one colour."""
    shrink = 240 / max(work.shape[:2])
    small = np.asarray(cv2.medianBlur(_resized(work, shrink), 3), np.uint8)
    known: list[Array] = []
    for mask in _colours(small):
        for closing in (2, 5):
            kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * closing + 1, 2 * closing + 1))
            closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, kernel)
            closed = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
            outlines, _ = cv2.findContours(np.asarray(closed, np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
            for outline in outlines:
                hull = np.asarray(cv2.convexHull(outline)[:, 0], np.float64)
                quad = _envelope(hull, 0.012 * small.shape[0] * small.shape[1])
                if quad is None:
                    continue
                quad = quad / shrink
                size = float(np.linalg.norm(quad[1] - quad[0])) / 8
                if all(np.abs(quad - other).max() > 0.12 * size for other in known):
                    known.append(quad)
                    yield quad


def _colours(small: Picture) -> Iterator[NDArray[np.uint8]]:
    """Masks of the picture's main colours: by hue alone, and by hue and brightness."""
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
    """The four-sided hull of a convex outline: sides are given up, the cheapest first, until four are left."""
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
    """The polygon whose side after ``index`` is gone, its neighbours drawn out until they meet; and what that adds."""
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
