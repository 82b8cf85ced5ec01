"""Board detection: finds the corners of a board in a picture.

- Two networks (``board_candidate_and_refinement_networks.py``) propose candidates: first in the whole picture, made
  smaller, then in parts of it, for boards that are small in it.
- Each candidate is refined by lines that agree with it. A board's squares must be clearly visible, all of it must be in
  the picture, and the square classifier, which is independent of the placement, must be sure of enough squares.
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
from hardware.camera.camera_projection import Array, corner_distance, is_convex, square_sides
from hardware.camera.grid_fitting import GridFit, refit_grid
from hardware.camera.square_classifier import EMPTY, FOREIGN, KINDS, SURE_ALONE, classify, kind_probabilities
from hardware.camera.square_features import RectifiedBoard

Picture = NDArray[np.uint8]
#: the searches of a picture, all but the first for boards that are small in it: its longer side in pixels, by how much
#: a smaller one is enlarged for that, and the share of it in one part
_SEARCHES = ((720, 2.5, 1.0), (1200, 1.0, 0.5), (1600, 1.0, 0.3))
#: squares smaller than this many pixels are not read
SMALLEST = 8.0
#: lines further than this (squares) from where a board is expected are not its own
NEAR = 0.25
#: required visibility of squares where a person checks the result, and elsewhere (bare floors stay below 0.3, half
#: boards below 0.6)
_HARDLY_PLAIN, _PLAIN = 0.4, 0.6
#: a visible board also needs lines of this support (0 to 1), or squares of which the classifier is less sure half a
#: square beside, by this (log odds): it was trained to reject discs between two squares. Of 251 drawn boards of TUNE
#: and WILD near which a candidate lay, this accepts 213, and 4 places that are 0.33 to 0.4 squares off; a visibility of
#: 0.75 alone accepts 214, and 8 places up to 0.5 squares off
_LINES, _LESS_SURE = 0.75, 0.1
#: the number of squares of which the classifier must be sure (arms may hide the others), and the same with known cells
_READABLE, _AS_LAID = 36, 58


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
    ``bend`` as in ``RadialDistortion``; ``as_laid``: it was accepted only because its cells match the known ones."""

    corners: Array
    bend: float
    as_laid: bool = False


def find_board(image: Picture, known_cells: str | None = None) -> DetectedBoard | Reason:
    """Return the board in a picture (BGR).

    :param known_cells: the known cells (64 of X O -), whichever corner is first.
    """
    refusals: set[Reason] = set()
    for longest, most, share in _SEARCHES:
        scale = min(longest / max(image.shape[:2]), most)
        work = _resize(image, scale)
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


def find_board_near(image: Picture, corners: Array, bend: float) -> GridFit | None:
    """Return a known board that was moved a little; its first corner stays the first."""
    place = bring_to_squares(image, corners, bend)
    if place is None or place.phase < _PLAIN:  # things over a board draw a less visible one away
        return relocate_board(image, corners, bend)
    return refine_by_lines(image, place.corners, place.bend)


def relocate_board(image: Picture, corners: Array, bend: float = 0.0) -> GridFit | None:
    """Return a board whose corners are nearly known, by its lines; None if there are none near them."""
    scale = min(1.0, 60 / float(square_sides(corners).max()))
    grey = cv2.cvtColor(_resize(image, scale), cv2.COLOR_BGR2GRAY).astype(np.float32) / np.float32(255)
    again = refit_grid(np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.7), np.float32), corners * scale, bend)
    if again is None or corner_distance(again.corners, corners * scale) > NEAR:
        return None
    return replace(again, corners=again.corners / scale)


def refine_by_lines(image: Picture, corners: Array, bend: float = 0.0) -> GridFit:
    """Return a board by its lines where they agree with its corners, else as it is given."""
    return relocate_board(image, corners, bend) or GridFit(corners, bend)


def _resize(image: Picture, scale: float) -> Picture:
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=way), np.uint8)


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
    grid = refine_by_lines(image, place.corners, place.bend)
    plain, sides = place.phase >= _PLAIN, square_sides(grid.corners)
    edge = 0.15 * sides[0]
    if (grid.corners < -edge).any() or (grid.corners > np.array(image.shape[1::-1]) + edge).any():
        return Reason.CUT_OFF if plain else None
    if not is_convex(grid.corners):
        return None
    sight = RectifiedBoard.of(image, grid.corners, grid.bend)
    if sight.chequered:
        return Reason.NO_BOARD
    odds = kind_probabilities(sight)
    read = np.where(odds.max(axis=1) >= SURE_ALONE, odds.argmax(axis=1), FOREIGN)
    if plain and (read != FOREIGN).sum() < _READABLE:
        return Reason.HAND
    clear = plain and (grid.support >= _LINES or confidence_drop_beside(sight) >= _LESS_SURE)
    if not (clear or (known_cells is not None and _shows(read, known_cells))):
        return None
    return DetectedBoard(grid.corners, grid.bend, not clear) if sides.min() >= smallest else Reason.TOO_SMALL


def _shows(read: NDArray[np.int64], known_cells: str) -> bool:
    """Return whether every known disc is read, nearly all other squares, and nothing else."""
    known, unread = np.array([KINDS.index(cell) for cell in known_cells]).reshape(8, 8), read == FOREIGN
    turns = (np.rot90(known, turn).ravel() for turn in range(4))
    shown = any(bool(((read == turned) | (unread & (turned == EMPTY))).all()) for turned in turns)
    return shown and 64 - int(unread.sum()) >= _AS_LAID


def confidence_drop_beside(sight: RectifiedBoard) -> float:
    """Return by how much the classifier is less sure of the squares shifted by half a square: the minimum of four
    directions."""
    shifts = ((0.0, 0.0), (0.5, 0.0), (-0.5, 0.0), (0.0, 0.5), (0.0, -0.5))
    here, *beside = (np.log(classify(sight.whole(shift))[:, :FOREIGN].max(axis=1) + 1e-3) for shift in shifts)
    read = here > np.log(0.5)
    return min(float((here - odds)[read].mean()) for odds in beside) if read.any() else 0.0


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
