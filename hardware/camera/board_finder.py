"""Board detection: finds the corners of a board in a picture.

- Two networks (``places.py``) propose candidates first; if they find no clear board, outlines of single-coloured areas
  give more candidates: each is tried as a field and as a frame around one.
- Each candidate is refined by lines and discs, and scored by what the square classifier sees in its squares.
- A board must score clearly higher than grids shifted by one row; two good candidates that disagree give no result.
- A board whose squares alternate in colour is a chessboard.
- A picture without a result has a ``Reason``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.board_candidate_network import SAME, RefinedQuad, find_candidates, find_small_candidates
from hardware.camera.board_outline_candidates import NO_SQUARE, outline_fields
from hardware.camera.camera_projection import (
    FIELD,
    Array,
    apply,
    corner_distance,
    corner_distance_any_order,
    homography,
    is_convex,
    skew,
)
from hardware.camera.disc_detector import align_to_spots, matches_spots, spots
from hardware.camera.grid_fitting import GridFit, fit_grid, is_a_row_beside, line_support, refit_grid
from hardware.camera.square_classifier import kind_probabilities
from hardware.camera.square_features import RectifiedBoard
from hardware.camera.square_neural_network import BLACK, FOREIGN, KINDS, WHITE, Network, load_network

Picture = NDArray[np.uint8]
#: the longer side of the picture for finding boards, and for finding discs
_WORKING, _SPOTS = 720, 640
#: the longer side of the picture in which small boards are searched for
_NEARER = 1600
#: squares smaller than this many pixels are not read
SMALLEST = 8.0
#: line support from which a grid is accepted by its lines. With less, its likeness must be high, round spots must be in
#: the middles of its squares, and the classifier, which is independent of the placement and unsure of discs between two
#: squares, must be sure of nearly all squares and of some discs
_BELIEVED = 0.6
_READABLE, _NEARLY_ALL, _SOME_DISCS, _MUCH_ALIKE = 44, 61, 20, 0.96
#: likeness from which a board that is partly outside the picture counts as a board
_CUT_OFF_ALIKE = 0.93
#: how many of the best candidates are compared with their shifted neighbours, and how many are refined by lines
_COMPARED, _SETTLED = 24, 4
#: minimum likeness; the weight of line support beside it, and the weight of line curvature against it
_HOPELESS, _LINES, _BENT = 0.5, 0.1, 0.2
#: required likeness advantage over grids shifted by one row; the cap of this advantage; and the minimum for a candidate
#: to be refined
_CLEARLY, _PLAINLY, _HARDLY = 0.02, 0.05, 0.0
#: an outer row with at most this many readable squares lies on the frame
_EDGE_ROW = 2
#: steps (squares) by which a grid is moved, rotated and stretched where lines and discs are not enough
_STEPS = (0.25, 0.2, 0.1, 0.1)
#: neighbouring placements of a grid: shifted by one row, or one side extended by a row
_BESIDE = [np.array(shift, float) for shift in ([[1, 0]] * 4, [[-1, 0]] * 4, [[0, 1]] * 4, [[0, -1]] * 4)]
_SHIFTS = _BESIDE + [
    np.array(shift, float)
    for shift in (
        [[0, -1], [0, -1], [0, 0], [0, 0]],
        [[0, 0], [1, 0], [1, 0], [0, 0]],
        [[0, 0], [0, 0], [0, 1], [0, 1]],
        [[-1, 0], [0, 0], [0, 0], [-1, 0]],
    )
]
#: small changes of four corners: shift, scale, shear, keystone
_WAYS = [
    np.outer(part, way)
    for part in ([1, 1, 1, 1], [-1, 1, 1, -1], [-1, -1, 1, 1], [1, -1, 1, -1])
    for way in ([1.0, 0.0], [0.0, 1.0])
]
#: how many of the networks' candidates are checked; more if none of these is a board
_TRIED = 4
#: line support from which no other grid is considered
_CERTAIN = 0.8
#: minimum line support to refine a placement; the support expected by chance. Half of the excess over chance is the
#: maximum shift
_SOME_LINES, _CHANCE = 0.5, 0.15
#: by how much (squares) lines with certain support may move a corner where the field as a whole moves by less
_STRETCHED = 0.8
#: required visibility of squares where lines agree, where discs do, and where nothing else does (bare floors stay below
#: 0.3, half boards below 0.6), the number of discs meant, and the maximum share of field outside the squares
_PLAIN, _PLAINER, _PLAINEST, _ANY_DISCS, _BEYOND = 0.5, 0.65, 0.75, 12, 0.1
#: the same share where lines are certain: cloth may go on beyond them
_BEYOND_LINES = 0.25
#: the number of squares of which the classifier must be sure: arms may hide the others
_READ_HERE = 36
#: the required confidence; a placement needs more than a square
_SURE = 0.9
#: with known cells so many squares must be read, and every disc; then the lower visibility is enough, because a person
#: checks the result
_AS_LAID, _HARDLY_PLAIN = 58, 0.4
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


def find_board(image: Picture, network: Network | None = None, laid: str | None = None) -> DetectedBoard | Reason:
    """Return the board in a picture (BGR).

    :param laid: the known cells (64 of X O -), whichever corner is first.
    """
    scale = min(_WORKING / max(image.shape[:2]), 2.5)
    search = _Search(_resized(image, scale), network or load_network(), laid)
    if (learnt := search.learnt(find_candidates(search.work))) is not None:
        return _final(learnt, scale)
    nearer = min(_NEARER / max(image.shape[:2]), 1.0)
    small = _Search(_resized(image, nearer), search.network, laid)
    if (learnt := small.learnt(find_small_candidates(small.work))) is not None:
        return _final(learnt, nearer)
    grids: list[_Grid] = []
    for guess in search.guesses():
        if all(corner_distance_any_order(guess.corners, grid.corners) > SAME for grid in grids):
            grids.append(search.settled(guess))
    verdicts = [search.judged(grid) for grid in grids]
    good = sorted((verdict for verdict in verdicts if isinstance(verdict, DetectedBoard)), key=_merit, reverse=True)
    if not good:
        return _why(image, [verdict for verdict in verdicts if isinstance(verdict, Reason)])
    best = good[0]
    if any(
        _merit(other) > 0.9 * _merit(best) and corner_distance_any_order(best.corners, other.corners) > SAME
        for other in good[1:]
    ):
        return Reason.NO_BOARD
    return _final(best, scale)


def _final(found: DetectedBoard, scale: float) -> DetectedBoard | Reason:
    final = replace(found, corners=_upright(found.corners / scale))
    sides = np.linalg.norm(np.roll(final.corners, -1, axis=0) - final.corners, axis=1) / 8
    return Reason.TOO_SMALL if sides.min() < SMALLEST else final


def relocate_board(image: Picture, corners: Array, bend: float = 0.0) -> GridFit | None:
    """Return a board that was found before and may have been bumped; None if it is not at that place."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    scale = min(1.0, 8 * 28 / float(sides.max()))
    small = _resized(image, scale) if scale < 1 else image
    again = refit_grid(_grey(small), corners * scale, bend)
    if again is None or again.support < _BELIEVED:
        return None
    return replace(again, corners=again.corners / scale)


def _resized(image: Picture, scale: float) -> Picture:
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=way), np.uint8)


def _grey(image: Picture) -> NDArray[np.float32]:
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32) / np.float32(255)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.7), np.float32)


def _merit(found: DetectedBoard) -> float:
    return (1 + found.support) * found.readable / 128


def _upright(corners: Array) -> Array:
    """Return the same corners, beginning with the side that runs most to the right."""
    sides = np.roll(corners, -1, axis=0) - corners
    return np.roll(corners, -int(np.argmax(sides[:, 0] / np.linalg.norm(sides, axis=1))), axis=0)


def _shifted(corners: Array, shift: Array) -> Array:
    return apply(homography(FIELD, corners), FIELD + shift)


@dataclass(frozen=True, slots=True)
class _Grid:
    """Candidate grid. ``likeness``: how much its squares look like squares of a board, overall."""

    corners: Array
    bend: float
    likeness: float
    support: float = 0.0

    @property
    def worth(self) -> float:
        return self.likeness + _LINES * self.support - _BENT * abs(self.bend)


class _Search:
    """Search for a board in one picture."""

    def __init__(self, work: Picture, network: Network, laid: str | None = None) -> None:
        self.work, self.network = work, network
        self._laid = None if laid is None else np.array([KINDS.index(cell) for cell in laid]).reshape(8, 8)
        self._grey = _grey(work)
        self._size = (work.shape[1], work.shape[0])
        self._spots: Array | None = None

    def learnt(self, candidates: Iterator[tuple[int, RefinedQuad]]) -> DetectedBoard | None:
        """Return the board where the two networks see one, and no other that is nearly as clear."""
        good: list[tuple[float, DetectedBoard]] = []
        for tried, place in candidates:
            if good and tried > _TRIED:
                break
            if (found := self._plain(place, self._brought(place))) is not None:
                good.append((place.phase + found.support, found))
                if found.support > _CERTAIN:
                    break
        good.sort(key=lambda one: -one[0])
        return good[0][1] if good and not any(merit > 0.9 * good[0][0] for merit, _ in good[1:]) else None

    def _brought(self, place: RefinedQuad) -> GridFit:
        """Return a placement refined by lines that agree with it; the fewer lines are visible, the smaller the
        shift."""
        lines = refit_grid(self._grey, place.corners, place.bend)
        if lines is None or lines.support < _SOME_LINES:
            return GridFit(place.corners, 0.0, place.bend)
        most, moved = (lines.support - _CHANCE) / 2, corner_distance(lines.corners, place.corners)
        agree = moved < most or (lines.support > _CERTAIN and moved < _STRETCHED and self._stays(place, lines, most))
        return lines if agree else GridFit(place.corners, 0.0, place.bend)

    def _stays(self, place: RefinedQuad, lines: GridFit, most: float) -> bool:
        """Return whether the field as a whole moves by less than this (squares): a row beside, all corners move."""
        moved = apply(homography(place.corners, FIELD), lines.corners) - FIELD
        return float(np.linalg.norm(moved.mean(axis=0))) < most

    def _plain(self, place: RefinedQuad, grid: GridFit) -> DetectedBoard | None:
        """Return the board at a placement, if its squares are clearly visible, all of it is in the picture, and the
        classifier, which is independent of the placement, is sure of enough squares."""
        if not is_convex(grid.corners) or skew(grid.corners, self._size) > NO_SQUARE or self._is_cut_off(grid.corners):
            return None
        by_lines, certain = grid.support >= _BELIEVED, grid.support > _CERTAIN
        plain = place.phase >= (_PLAIN if by_lines else _PLAINER)
        if place.outside > (_BEYOND_LINES if certain else _BEYOND):
            return None
        if not (plain or (self._laid is not None and place.phase >= _HARDLY_PLAIN)):
            return None
        if by_lines and is_a_row_beside(self._grey, grid.corners, grid.bend):
            return None
        sight = RectifiedBoard.of(self.work, grid.corners, grid.bend)
        read = _read(sight, self.network)
        if sight.chequered or _shows_frame(read != FOREIGN):
            return None
        squares, discs = _counted(read)
        found = DetectedBoard(grid.corners, grid.support, squares, grid.bend)
        if plain and certain:
            return found
        if plain and squares >= _READ_HERE:
            told_twice = (by_lines and place.phase >= _PLAINER) or place.phase >= _PLAINEST
            if told_twice or (discs >= _ANY_DISCS and confidence_drop_beside(sight, self.network) >= _LESS_SURE):
                return found
        return replace(found, as_laid=True) if self._shows_what_is_laid(read) else None

    def _shows_what_is_laid(self, read: NDArray[np.int64]) -> bool:
        """Return whether every known disc is read, nearly all other squares, and nothing else."""
        if self._laid is None:
            return False
        turns = [np.rot90(self._laid, turn).ravel() for turn in range(4)]
        return any(
            bool(((read == turned) | ((read == FOREIGN) & (turned == 0))).all()) and (read != FOREIGN).sum() >= _AS_LAID
            for turned in turns
        )

    def _is_cut_off(self, corners: Array) -> bool:
        edge = 0.15 * float(np.linalg.norm(corners[1] - corners[0])) / 8
        return bool((corners < -edge).any() or (corners > np.array(self._size) + edge).any())

    def guesses(self) -> list[_Grid]:
        """Return the few fields that look most like a board, and more so than those shifted by one row: a bare floor
        looks like an empty board everywhere."""
        fields_ = (_Grid(corners, 0.0, self._likeness(corners)) for corners in outline_fields(self.work))
        likely = sorted((grid for grid in fields_ if grid.likeness > _HOPELESS), key=lambda grid: -grid.likeness)
        compared: list[Array] = []
        kept: list[tuple[float, _Grid]] = []
        for grid in likely:
            if len(compared) == _COMPARED or len(kept) == _SETTLED:
                break
            if all(corner_distance_any_order(grid.corners, other) > 0.35 for other in compared):
                compared.append(grid.corners)
                if (clear := self._clear(grid, _BESIDE)) > _HARDLY:
                    kept.append((grid.likeness + 2 * clear, grid))
        return [grid for _, grid in sorted(kept, key=lambda one: -one[0])]

    def settled(self, grid: _Grid) -> _Grid:
        """Return the grid refined by lines and discs, and shifted by a row where that looks more like a board."""
        grid = self._on_lines(self._with_support(grid), fit_grid(self._grey, grid.corners))
        for _ in range(3):
            grid = self._on_discs(self._followed(grid))
            if grid.support > 0.8:
                return grid
            beside = max((self._moved(grid, shift) for shift in _SHIFTS), key=lambda other: other.likeness)
            if beside.likeness < grid.likeness + 0.015:
                break
            grid = self._with_support(beside)
        if grid.support < _BELIEVED:
            for step in _STEPS:
                grid = self._nudged(grid, step)
            grid = self._on_discs(self._followed(self._with_support(grid)))
        return grid

    def _nudged(self, grid: _Grid, step: float) -> _Grid:
        for way in _WAYS:
            for shift in (step * way, -step * way):
                if (other := self._moved(grid, shift)).likeness > grid.likeness + 1e-3:
                    grid = other
                    break
        return grid

    def judged(self, grid: _Grid) -> DetectedBoard | Reason:
        """Return the board if all of the grid is in the picture and enough of it can be read, else the reason."""
        if not is_convex(grid.corners) or skew(grid.corners, self._size) > NO_SQUARE:
            return Reason.NO_BOARD
        if self._is_cut_off(grid.corners):
            alike = grid.likeness > _CUT_OFF_ALIKE and self._clear(grid, _SHIFTS) > _CLEARLY
            return Reason.CUT_OFF if alike or grid.support > _BELIEVED else Reason.NO_BOARD
        odds = self._odds(grid.corners, grid.bend)
        if odds is None or RectifiedBoard.of(self.work, grid.corners, grid.bend).chequered:
            return Reason.NO_BOARD
        belongs = odds[:, FOREIGN] < 0.5
        readable = int(belongs.sum())
        if grid.support < _BELIEVED and not self._lies_under_discs(grid):
            return Reason.NO_BOARD
        if readable < _READABLE:
            return Reason.HAND
        if _shows_frame(belongs) or self._clear(grid, _SHIFTS) < _CLEARLY:
            return Reason.NO_BOARD
        return DetectedBoard(grid.corners, grid.support, readable, grid.bend)

    def _round(self) -> Array:
        """Return the round spots of the picture, computed once."""
        if self._spots is None:
            scale = min(1.0, _SPOTS / max(self._size))
            self._spots = spots(_resized(self.work, scale)) / np.array([scale, scale, scale * scale])
        return self._spots

    def _lies_under_discs(self, grid: _Grid) -> bool:
        """Return whether likeness, round spots and classifier agree on a board whose lines are not visible."""
        if grid.likeness < _MUCH_ALIKE or not matches_spots(grid.corners, self._round(), self._size):
            return False
        squares, discs = _counted(_read(RectifiedBoard.of(self.work, grid.corners, grid.bend), self.network))
        return squares >= _NEARLY_ALL and discs >= _SOME_DISCS

    def _odds(self, corners: Array, bend: float) -> NDArray[np.float32] | None:
        try:
            return self.network.odds(RectifiedBoard.of(self.work, corners, bend).features())
        except ValueError:
            return None

    def _likeness(self, corners: Array, bend: float = 0.0) -> float:
        odds = self._odds(corners, bend)
        return 0.0 if odds is None else float(np.mean(odds[:, :FOREIGN].max(axis=1)))

    def _clear(self, grid: _Grid, shifts: list[Array]) -> float:
        """Return the likeness advantage of a grid over all shifted ones."""
        clear = _PLAINLY
        for shift in shifts:
            clear = min(clear, grid.likeness - self._moved(grid, shift).likeness)
            if clear < _HARDLY:
                break
        return clear

    def _moved(self, grid: _Grid, shift: Array) -> _Grid:
        corners = _shifted(grid.corners, shift)
        return _Grid(corners, grid.bend, self._likeness(corners, grid.bend))

    def _with_support(self, grid: _Grid) -> _Grid:
        return replace(grid, support=line_support(self._grey, grid.corners, grid.bend))

    def _followed(self, grid: _Grid) -> _Grid:
        return self._on_lines(grid, refit_grid(self._grey, grid.corners, grid.bend))

    def _on_lines(self, grid: _Grid, found: GridFit | None) -> _Grid:
        if found is None or not is_convex(found.corners) or skew(found.corners, self._size) > NO_SQUARE:
            return grid
        likeness = self._likeness(found.corners, found.bend)
        return max(grid, _Grid(found.corners, found.bend, likeness, found.support), key=lambda one: one.worth)

    def _on_discs(self, grid: _Grid) -> _Grid:
        if grid.support > 0.8:
            return grid
        corners = align_to_spots(grid.corners, self._round(), self._size)
        if corners is None or skew(corners, self._size) > NO_SQUARE:
            return grid
        again = self._with_support(_Grid(corners, grid.bend, self._likeness(corners, grid.bend)))
        return max(grid, again, self._followed(again), key=lambda one: one.worth)


def _read(sight: RectifiedBoard, network: Network) -> NDArray[np.int64]:
    """Return the kind of every square of which the classifier is sure; ``FOREIGN`` for the others."""
    odds = kind_probabilities(sight, network)
    return np.where(odds.max(axis=1) >= _SURE, odds.argmax(axis=1), FOREIGN)


def _shows_frame(field: NDArray[np.bool_]) -> bool:
    """Return whether one of the outer rows is hardly field at all, so that the board is shifted by a row."""
    rows = field.reshape(8, 8)
    return bool(min(rows[0].sum(), rows[-1].sum(), rows[:, 0].sum(), rows[:, -1].sum()) <= _EDGE_ROW)


def _counted(read: NDArray[np.int64]) -> tuple[int, int]:
    """Return how many squares are read, and how many discs among them."""
    return int((read != FOREIGN).sum()), int(np.isin(read, [BLACK, WHITE]).sum())


def confidence_drop_beside(sight: RectifiedBoard, network: Network) -> float:
    """Return by how much the classifier is less sure of the squares shifted by half a square: the minimum of four
    directions."""

    def sure(shift: tuple[float, float]) -> NDArray[np.float32]:
        odds = network.judged(sight.whole(shift))[:, :FOREIGN].max(axis=1)
        return np.asarray(np.log(np.maximum(odds, 1e-3)), np.float32)

    here = sure((0.0, 0.0))
    read = here > np.log(0.5)
    return min(float((here - sure(way))[read].mean()) for way in _HALF) if read.any() else 0.0


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
