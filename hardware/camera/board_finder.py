"""Board detection: finds the corners of a board in a picture.

- Two networks (``board_candidate_and_refinement_networks.py``) propose candidates: first in the whole picture, made
  smaller, then in parts of it, for boards that are small in it.
- Each candidate is refined by lines that agree with it. A board's squares must be clearly visible, all of it must be in
  the picture, and the square classifier, which is independent of the placement, must be sure of enough squares.
- Two good candidates that disagree give no result. A board whose squares alternate in colour is a chessboard.
- A picture without a result has a ``Reason``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.board_candidate_and_refinement_networks import RefinedQuad, find_candidates
from hardware.camera.camera_projection import (
    Array,
    corner_distance,
    is_convex,
    square_sides,
)
from hardware.camera.grid_fitting import GridFit, is_a_row_beside, refit_grid
from hardware.camera.square_classifier import (
    BLACK,
    FOREIGN,
    KINDS,
    SURE_ALONE,
    WHITE,
    Network,
    kind_probabilities,
    load_network,
)
from hardware.camera.square_features import RectifiedBoard

Picture = NDArray[np.uint8]
#: the searches of a picture, all but the first for boards that are small in it: its longer side in pixels, by how much
#: a smaller one is enlarged for that, and the share of it in one part
_SEARCHES = ((720, 2.5, 1.0), (1200, 1.0, 0.5), (1600, 1.0, 0.3))
#: squares smaller than this many pixels are not read
SMALLEST = 8.0
#: line support from which a grid is accepted by its lines, and from which no other grid is considered
_BELIEVED, _CERTAIN = 0.6, 0.8
#: an outer row with at most this many readable squares lies on the frame
_EDGE_ROW = 2
#: the outer rows of the field: shift (squares) to see a row beyond the opposite one, the row itself, and that one
_OUTER_ROWS = (
    ((0.0, 1.0), np.s_[0], np.s_[7]),
    ((0.0, -1.0), np.s_[7], np.s_[0]),
    ((1.0, 0.0), np.s_[:, 0], np.s_[:, 7]),
    ((-1.0, 0.0), np.s_[:, 7], np.s_[:, 0]),
)
#: how many of the networks' candidates are checked; more if none of these is a board
_TRIED = 4
#: minimum line support to refine a placement; the support expected by chance. Half of the excess over chance is the
#: maximum shift
_SOME_LINES, _CHANCE = 0.5, 0.15
#: required visibility of squares where lines agree, where discs do, where nothing else does, and where nearly all
#: squares are read or a person checks the result (bare floors stay below 0.3, half boards below 0.6)
_PLAIN, _PLAINER, _PLAINEST, _HARDLY_PLAIN = 0.5, 0.62, 0.75, 0.4
#: the maximum share of field outside the squares, the same where lines are certain (cloth may go on beyond them), and
#: from which share a row may lie outside
_BEYOND, _BEYOND_LINES, _A_ROW = 0.1, 0.25, 0.05
#: the number of squares of which the classifier must be sure (arms may hide the others), or must be where squares are
#: hardly visible, and the number of discs meant
_READ_HERE, _NEARLY_ALL, _ANY_DISCS = 36, 61, 12
#: with known cells so many squares must be read, and every disc
_AS_LAID = 58
#: shifted by half a square, the classifier must be less sure by this much (log odds): it was trained to reject discs
#: between two squares
_HALF = ((0.5, 0.0), (-0.5, 0.0), (0.0, 0.5), (0.0, -0.5))
_LESS_SURE = 0.6


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
    support: float
    readable: int
    bend: float
    as_laid: bool = False


def find_board(
    image: Picture, network: Network | None = None, known_cells: str | None = None
) -> DetectedBoard | Reason:
    """Return the board in a picture (BGR).

    :param known_cells: the known cells (64 of X O -), whichever corner is first.
    """
    network = network or load_network()
    refusals: set[Reason] = set()
    for longest, most, share in _SEARCHES:
        scale = min(longest / max(image.shape[:2]), most)
        search = _Search(_resize(image, scale) if scale != 1 else image, network, known_cells, SMALLEST * scale)
        if (found := search.found(find_candidates(search.work, share))) is not None:
            return replace(found, corners=_upright(found.corners / scale))
        refusals |= search.refusals
    return _most_likely_reason(image, refusals)


def relocate_board(image: Picture, corners: Array, bend: float = 0.0) -> GridFit | None:
    """Return a board that was found before and may have been bumped; None if it is not at that place."""
    scale = min(1.0, 28 / float(square_sides(corners).max()))
    small = _resize(image, scale) if scale < 1 else image
    again = refit_grid(_grey(small), corners * scale, bend)
    if again is None or again.support < _BELIEVED:
        return None
    return replace(again, corners=again.corners / scale)


def _resize(image: Picture, scale: float) -> Picture:
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=way), np.uint8)


def _grey(image: Picture) -> NDArray[np.float32]:
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32) / np.float32(255)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.7), np.float32)


def _upright(corners: Array) -> Array:
    """Return the same corners, beginning with the side that runs most to the right."""
    sides = np.roll(corners, -1, axis=0) - corners
    return np.roll(corners, -int(np.argmax(sides[:, 0] / np.linalg.norm(sides, axis=1))), axis=0)


class _Search:
    """Search for a board in one picture."""

    def __init__(self, work: Picture, network: Network, known_cells: str | None, smallest: float) -> None:
        self.work, self.network, self._smallest = work, network, smallest
        self._known_cells = (
            None if known_cells is None else np.array([KINDS.index(cell) for cell in known_cells]).reshape(8, 8)
        )
        self._grey = _grey(work)
        self._size = (work.shape[1], work.shape[0])
        #: why candidates that look like boards are none
        self.refusals: set[Reason] = set()

    def found(self, candidates: Iterator[tuple[int, RefinedQuad]]) -> DetectedBoard | None:
        """Return the board where the two networks see one, and no other that is nearly as clear."""
        good: list[tuple[float, DetectedBoard]] = []
        for tried, place in candidates:
            if good and tried > _TRIED:
                break
            found = self._plain(place, self._refine_by_lines(place))
            if found is not None and square_sides(found.corners).min() < self._smallest:
                self.refusals.add(Reason.TOO_SMALL)
            elif found is not None:
                good.append((place.phase + found.support, found))
                if found.support > _CERTAIN:
                    break
        good.sort(key=lambda one: -one[0])
        return good[0][1] if good and not any(merit > 0.9 * good[0][0] for merit, _ in good[1:]) else None

    def _refine_by_lines(self, place: RefinedQuad) -> GridFit:
        """Return a placement refined by lines that agree with it; the fewer lines are visible, the smaller the
        shift."""
        lines = refit_grid(self._grey, place.corners, place.bend)
        if lines is None or lines.support < _SOME_LINES:
            return GridFit(place.corners, 0.0, place.bend)
        agree = corner_distance(lines.corners, place.corners) < (lines.support - _CHANCE) / 2
        return lines if agree else GridFit(place.corners, 0.0, place.bend)

    def _plain(self, place: RefinedQuad, grid: GridFit) -> DetectedBoard | None:
        """Return the board at a placement, if its squares are clearly visible, all of it is in the picture, and the
        classifier is sure of enough squares."""
        if not is_convex(grid.corners):
            return None
        by_lines, certain = grid.support >= _BELIEVED, grid.support > _CERTAIN
        plain = place.phase >= (_PLAIN if by_lines else _PLAINER)
        if self._is_cut_off(grid.corners):
            self.refusals |= {Reason.CUT_OFF} if plain else set()
            return None
        lines_tell = certain or (by_lines and place.phase >= _PLAINEST)
        if place.outside > (_BEYOND_LINES if lines_tell else _BEYOND) or place.phase < _HARDLY_PLAIN:
            return None
        if by_lines and place.outside > _A_ROW and is_a_row_beside(self._grey, grid.corners, grid.bend):
            return None
        sight = RectifiedBoard.of(self.work, grid.corners, grid.bend)
        read = _read(sight, self.network)
        if sight.chequered or self._is_shifted(sight, read != FOREIGN):
            return None
        squares, discs = int((read != FOREIGN).sum()), int(np.isin(read, [BLACK, WHITE]).sum())
        found = DetectedBoard(grid.corners, grid.support, squares, grid.bend)
        if plain and certain:
            return found
        seen_by_both = (by_lines and place.phase >= _PLAINER) or place.phase >= _PLAINEST
        if plain and seen_by_both and squares >= _READ_HERE:
            return found
        enough = discs >= _ANY_DISCS and squares >= (_READ_HERE if plain else _NEARLY_ALL)
        if enough and confidence_drop_beside(sight, self.network) >= _LESS_SURE:
            return found
        if plain and squares < _READ_HERE:
            self.refusals.add(Reason.HAND)
        return replace(found, as_laid=True) if self._shows_what_is_laid(read) else None

    def _is_shifted(self, sight: RectifiedBoard, field: NDArray[np.bool_]) -> bool:
        """Return whether an outer row is hardly field and no thing covers it: a covered board has no field beyond its
        opposite row either, and reads worse half a square beside."""
        for way, row, beyond in _OUTER_ROWS:
            if field.reshape(8, 8)[row].sum() > _EDGE_ROW:
                continue
            opposite = self.network.judged(sight.whole(way)).reshape(8, 8, -1)[beyond]
            if (opposite[:, :FOREIGN].max(axis=1) >= 0.5).sum() > _EDGE_ROW:
                return True
            if confidence_drop_beside(sight, self.network) < _LESS_SURE:
                return True
        return False

    def _shows_what_is_laid(self, read: NDArray[np.int64]) -> bool:
        """Return whether every known disc is read, nearly all other squares, and nothing else."""
        if self._known_cells is None:
            return False
        turns = [np.rot90(self._known_cells, turn).ravel() for turn in range(4)]
        return any(
            bool(((read == turned) | ((read == FOREIGN) & (turned == 0))).all()) and (read != FOREIGN).sum() >= _AS_LAID
            for turned in turns
        )

    def _is_cut_off(self, corners: Array) -> bool:
        edge = 0.15 * float(np.linalg.norm(corners[1] - corners[0])) / 8
        return bool((corners < -edge).any() or (corners > np.array(self._size) + edge).any())


def _read(sight: RectifiedBoard, network: Network) -> NDArray[np.int64]:
    """Return the kind of every square of which the classifier is sure; ``FOREIGN`` for the others."""
    odds = kind_probabilities(sight, network)
    return np.where(odds.max(axis=1) >= SURE_ALONE, odds.argmax(axis=1), FOREIGN)


def confidence_drop_beside(sight: RectifiedBoard, network: Network) -> float:
    """Return by how much the classifier is less sure of the squares shifted by half a square: the minimum of four
    directions."""

    def log_odds(shift: tuple[float, float]) -> NDArray[np.float32]:
        odds = network.judged(sight.whole(shift))[:, :FOREIGN].max(axis=1)
        return np.asarray(np.log(np.maximum(odds, 1e-3)), np.float32)

    here = log_odds((0.0, 0.0))
    read = here > np.log(0.5)
    return min(float((here - log_odds(way))[read].mean()) for way in _HALF) if read.any() else 0.0


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
