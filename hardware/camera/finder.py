"""Finds a board in a picture without a hand.

The law: few guesses, one judge. One network says where fields may lie, a second brings each guess to where it sees
squares (``places.py``), the lines say it below a pixel. What squares and lines disagree about is no board, and guesses
that are both good and disagree are no answer. What cannot be found is refused with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.geometry import Array, apart, is_convex, skew
from hardware.camera.grid import Fit, follow
from hardware.camera.network import KINDS, Network, trained
from hardware.camera.patches import Sight
from hardware.camera.places import NO_SQUARE, Outlook, Place, placed
from hardware.camera.reader import look

Picture = NDArray[np.uint8]
#: the longer side of the picture in which a board is looked for
_WORKING = 720
#: squares below this many pixels are not read
SMALLEST = 8.0
#: so many guesses are brought to their squares, in so many steps; two nearer than this (squares) are one
_TRIED, _STEPS, _SAME = 4, 3, 0.6
#: a guess in which squares are seen less than this is not followed; one that moves by less (squares) is there
_NO_SQUARES, _STILL = 0.1, 0.04
#: support of a grid that is believed by its lines, and of one beside which no other is looked at
_BELIEVED, _CERTAIN = 0.6, 0.8
#: how far lines and squares may lie from each other
_AGREED = 0.3
#: squares that are not hidden
_READABLE = 44
#: how plainly squares must be seen where lines are seen too, and where not; how much field there may be beyond them
_PLAIN, _PLAINER, _BEYOND = 0.5, 0.8, 0.1
#: squares that what reads is sure of where no lines are seen: of discs between two squares it is not
_SURE = 50
#: so many cells of the picture's edge are field where a board is cut off
_CUT_OFF = 3.0


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
    """``corners`` of the field in the picture's pixels, clockwise, the first row along its upper side; ``support`` 0 where
    lines say nothing; ``plain``: how plainly its squares are seen, about 1; ``bend`` as in ``Bend``."""

    corners: Array
    support: float
    plain: float
    bend: float


def find(image: Picture, network: Network | None = None) -> Found | Reason:
    """The board in a picture (BGR)."""
    scale = min(_WORKING / max(image.shape[:2]), 2.5)
    work = _resized(image, scale)
    grey, outlook = _grey(work), Outlook.of(work)
    verdicts: list[Found | Reason] = []
    for place in _places(work, outlook):
        verdicts.append(verdict := _judged(work, _on_lines(grey, place), network or trained()))
        if isinstance(verdict, Found) and verdict.support > _CERTAIN:
            break
    good = sorted((verdict for verdict in verdicts if isinstance(verdict, Found)), key=_merit, reverse=True)
    if not good:
        return _why(image, outlook, [verdict for verdict in verdicts if isinstance(verdict, Reason)])
    best = good[0]
    if any(_merit(other) > 0.9 * _merit(best) for other in good[1:]):
        return Reason.NO_BOARD
    final = replace(best, corners=_upright(best.corners / scale))
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
    return found.plain + found.support


def _apart(one: Array, other: Array) -> float:
    """How many squares two boards are apart, whichever corner is first."""
    return min(apart(one, np.roll(other, turn, axis=0)) for turn in range(4))


def _upright(corners: Array) -> Array:
    """The same corners, first the side that runs most to the right."""
    sides = np.roll(corners, -1, axis=0) - corners
    return np.roll(corners, -int(np.argmax(sides[:, 0] / np.linalg.norm(sides, axis=1))), axis=0)


@dataclass(frozen=True, slots=True)
class _Grid:
    """A place brought to its lines where they agree with it; ``support`` and ``bend`` as in ``Fit``."""

    corners: Array
    bend: float
    support: float
    place: Place


def _places(work: Picture, outlook: Outlook) -> Iterator[Place]:
    """The likeliest fields, each brought to where its squares are seen."""
    tried: list[Array] = []
    for guess in outlook.fields((work.shape[1], work.shape[0])):
        if len(tried) == _TRIED:
            return
        if any(_apart(guess, other) < _SAME for other in tried):
            continue
        tried.append(guess)
        place = placed(work, guess)
        for _ in range(_STEPS - 1):
            if place is None or place.phase < _NO_SQUARES:
                break
            before, place = place, placed(work, place.corners, place.bend)
            if place is not None and apart(place.corners, before.corners) < _STILL:
                break
        if place is not None and all(_apart(place.corners, other) >= _SAME for other in tried[:-1]):
            tried[-1] = place.corners
            yield place


def _on_lines(grey: NDArray[np.float32], place: Place) -> _Grid:
    lines = follow(grey, place.corners, place.bend)
    if lines is not None and lines.support >= _BELIEVED and apart(lines.corners, place.corners) < _AGREED:
        return _Grid(lines.corners, lines.bend, lines.support, place)
    return _Grid(place.corners, place.bend, 0.0, place)


def _judged(work: Picture, grid: _Grid, network: Network) -> Found | Reason:
    """A grid that is there: whether all of it is in the picture, and enough of it can be read."""
    size = (work.shape[1], work.shape[0])
    place = grid.place
    bar = _PLAIN if grid.support else _PLAINER
    if not is_convex(grid.corners) or skew(grid.corners, size) > NO_SQUARE or place.outside > _BEYOND:
        return Reason.NO_BOARD
    edge = 0.15 * float(np.linalg.norm(grid.corners[1] - grid.corners[0])) / 8
    if (grid.corners < -edge).any() or (grid.corners > np.array(size) + edge).any():
        return Reason.CUT_OFF if place.phase >= _PLAIN else Reason.NO_BOARD
    if place.phase < bar:
        return Reason.NO_BOARD
    sight = Sight.of(work, grid.corners, grid.bend)
    if int((network.odds(sight.features())[:, KINDS.index("?")] < 0.5).sum()) < _READABLE:
        return Reason.HAND
    if not grid.support:
        cells = look(sight, network)[:, : KINDS.index("?")]
        if int((cells >= network.sure).sum()) < _SURE:
            return Reason.NO_BOARD
    return Found(grid.corners, grid.support, place.phase, grid.bend)


def _why(image: Picture, outlook: Outlook, verdicts: list[Reason]) -> Reason:
    bright = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if np.quantile(bright, 0.98) < 40:
        return Reason.DARK
    if Reason.HAND in verdicts:
        return Reason.HAND
    if Reason.CUT_OFF in verdicts or outlook.beyond() > _CUT_OFF:
        return Reason.CUT_OFF
    small = cv2.resize(bright, (320, max(round(320 * bright.shape[0] / bright.shape[1]), 1)))
    sharp = cv2.Laplacian(small, cv2.CV_32F)
    return Reason.BLURRED if float(np.quantile(np.abs(sharp), 0.99)) < 12 else Reason.NO_BOARD
