"""Board detection: finds the corners of a board in a picture.

- Two networks (``board_candidate_and_refinement_networks.py``) propose candidates, the likeliest first: first in the
  whole picture, made smaller, then in parts of it, for boards that are small in it.
- A board's squares must be clearly visible, all of it must be in the picture, and the square classifier, which is
  independent of the placement, must be sure of enough squares.
- A board whose squares alternate in colour is a chessboard, and nothing on it is a board.
- A picture without a result has a ``Reason``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.board_candidate_and_refinement_networks import RefinedQuad, bring_to_squares, find_candidates
from hardware.camera.camera_projection import Array, corner_distance, square_sides
from hardware.camera.square_classifier import read_cells
from hardware.camera.square_features import RectifiedBoard

Picture = NDArray[np.uint8]
#: the searches of a picture, all but the first for boards that are small in it: its longer side in pixels, by how much
#: a smaller one is enlarged for that, and the share of it in one part
_SEARCHES = ((720, 2.5, 1.0), (1200, 1.0, 0.5), (1600, 1.0, 0.3))
#: squares smaller than this many pixels are not read
SMALLEST = 8.0
#: a board found within this distance (squares) of a known place, or of a person's marks, is that board
NEAR = 0.25
#: required visibility of squares where the place or the cells are known, and elsewhere
_HARDLY_PLAIN, _PLAIN = 0.4, 0.7
#: the number of squares of which the classifier must be sure (arms may hide the others), and the same with known cells
_READABLE, _AS_LAID = 30, 58


class Reason(StrEnum):
    """Why a picture is not read (CONTRACT.md)."""

    NO_BOARD = "no-board"
    CUT_OFF = "cut-off"
    HAND = "hand"
    DARK = "dark"
    BLURRED = "blurred"
    TOO_SMALL = "too-small"


@dataclass(frozen=True, slots=True)
class DetectedBoard:
    """Detected board. ``corners`` of the field in the picture's pixels, clockwise, the first row along its upper side;
    ``as_laid``: it was accepted only because its cells match the known ones."""

    corners: Array
    as_laid: bool = False


def find_board(image: Picture, known_cells: str | None = None) -> DetectedBoard | Reason:
    """Return the board in a picture (BGR).

    :param known_cells: the known cells (64 of X O -), whichever corner is first.
    """
    refusals: set[Reason] = set()
    whole = 1 / max(max(image.shape[:2]) // _SEARCHES[-1][0], 1)  # blocks of whole pixels are averaged much faster
    less = cv2.resize(image, None, fx=whole, fy=whole, interpolation=cv2.INTER_AREA)
    for longest, most, share in _SEARCHES:
        scale = min(longest / max(image.shape[:2]), most)
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        work = np.asarray(cv2.resize(less, None, fx=scale / whole, fy=scale / whole, interpolation=way), np.uint8)
        chessboards: list[NDArray[np.float32]] = []
        for place in find_candidates(work, share):
            middle = place.corners.mean(axis=0).tolist()
            if any(cv2.pointPolygonTest(other, middle, False) >= 0 for other in chessboards):
                continue
            found = _judge(work, place, known_cells, SMALLEST * scale)
            if isinstance(found, DetectedBoard):
                return replace(found, corners=_upright(found.corners / scale))
            if found is Reason.NO_BOARD:
                chessboards.append(place.corners.astype(np.float32))
            elif found is not None:
                refusals.add(found)
    return _most_likely_reason(image, refusals)


def find_board_near(image: Picture, corners: Array) -> Array | None:
    """Return the corners of a board that was moved a little; the first stays the first. None: no board is visible
    there."""
    place = bring_to_squares(image, corners)
    is_near = place is not None and corner_distance(place.corners, corners) <= NEAR
    return place.corners if place is not None and place.phase >= (_HARDLY_PLAIN if is_near else _PLAIN) else None


def adjust_to_squares(image: Picture, corners: Array) -> Array:
    """Return the corners of a board that a person marked, moved to its squares where they are visible near the
    marks."""
    found = find_board_near(image, corners)
    return corners if found is None or corner_distance(found, corners) > NEAR else found


def _upright(corners: Array) -> Array:
    """Return the same corners, beginning with the side that runs most to the right."""
    sides = np.roll(corners, -1, axis=0) - corners
    return np.roll(corners, -int(np.argmax(sides[:, 0] / np.linalg.norm(sides, axis=1))), axis=0)


def _judge(
    image: Picture, place: RefinedQuad, known_cells: str | None, smallest: float
) -> DetectedBoard | Reason | None:
    """Return the board at a placement, if its squares are clearly visible, all of it is in the picture, and the
    classifier is sure of enough squares; else why it is not read (``NO_BOARD``: it is a chessboard), or None."""
    if place.phase < _HARDLY_PLAIN:
        return None
    plain, sides = place.phase >= _PLAIN, square_sides(place.corners)
    edge = 0.15 * sides[0]
    if (place.corners < -edge).any() or (place.corners > np.array(image.shape[1::-1]) + edge).any():
        return Reason.CUT_OFF if plain else None
    if not plain and known_cells is None:
        return Reason.NO_BOARD if RectifiedBoard.of(image, place.corners).chequered else None
    read = read_cells(image, place.corners)
    if read.mistaken:
        return Reason.NO_BOARD
    if plain and read.clear < _READABLE:
        return Reason.HAND
    if not (plain or (known_cells is not None and _shows(read.cells, known_cells))):
        return None
    return DetectedBoard(place.corners, not plain) if sides.min() >= smallest else Reason.TOO_SMALL


def _shows(cells: str, known_cells: str) -> bool:
    """Return whether every known disc is read, nearly all other squares, and nothing else."""
    read, known = (np.array(list(one)).reshape(8, 8) for one in (cells, known_cells))
    unread = read == "?"
    turns = (np.rot90(known, turn) for turn in range(4))
    shown = any(bool(((read == turned) | (unread & (turned == "-"))).all()) for turned in turns)
    return shown and 64 - int(unread.sum()) >= _AS_LAID


def _most_likely_reason(image: Picture, refusals: set[Reason]) -> Reason:
    bright = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if np.quantile(bright, 0.98) < 40:
        return Reason.DARK
    for reason in (Reason.TOO_SMALL, Reason.HAND, Reason.CUT_OFF):
        if reason in refusals:
            return reason
    small = cv2.resize(bright, (320, max(round(320 * bright.shape[0] / bright.shape[1]), 1)))
    sharp = cv2.Laplacian(small, cv2.CV_32F)
    return Reason.BLURRED if float(np.quantile(np.abs(sharp), 0.99)) < 12 else Reason.NO_BOARD
