"""Board candidates from two small networks trained on drawn boards. Pure.

- The first network sees the whole picture, small, and gives the field and its corners.
- The second sees one rectified candidate and gives which of it is field, and where between two lines each place of it
  lies.
- Both use lines, discs, frame and cloth, and tolerate hands. They only propose candidates.
- What looks like field in a part of a picture is seen again by the first network, larger.
- Their weights are trained by ``benchmarks/board_finder_training.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.camera_projection import (
    AROUND,
    FIELD,
    Array,
    BoardPart,
    apply,
    corner_distance,
    corner_distance_any_order,
    homography,
    is_convex,
    placement_changes,
    square_sides,
)
from hardware.camera.neural_networks import Matrix, run_network

Picture = NDArray[np.uint8]
#: the longer side of the first network's picture; it answers for every fourth pixel
SEEN, CELL = 128, 4
#: the rectified board of the second network: pixels per square, and its side
SIDE = 8
FLAT = (8 + 2 * AROUND) * SIDE
#: board points of the rectified board, and of the second network's output
_AXIS = (np.arange(FLAT) + 0.5) / SIDE - AROUND
_FLAT_POINTS = np.stack(np.meshgrid(_AXIS, _AXIS), axis=-1)
_PLACES = (np.arange(FLAT // CELL) + 0.5) * CELL / SIDE - AROUND
POINTS = np.stack(np.meshgrid(_PLACES, _PLACES), axis=-1).reshape(-1, 2)
_CHANGES = placement_changes(POINTS)
#: minimum probability of a corner, and how many of the likeliest are combined in fours
_A_CORNER, _CORNERS = 0.04, 9
#: two candidates nearer than this (squares) are duplicates
SAME = 0.6
#: how many candidates of a picture are refined, and in how many steps
_MOST, _ROUNDS = 16, 8
#: a candidate with a lower visibility of squares after its first step is dropped, and how much more is required after
#: each further one; one that moves by less (squares), or is not better after so many steps, has converged
_NO_SQUARES, _MORE_SQUARES, _STILL, _WORSE = 0.15, 0.05, 0.04, 3
#: the field among the second network's places; and how strong its signs of squares must be there on average: floors and
#: walls show less than 0.1, boards more than 0.3
_FIELD, _ANY_SQUARES = slice(AROUND * SIDE // CELL, -AROUND * SIDE // CELL), 0.15
#: how many candidates are kept of each part of a picture
_FROM_A_PART = 4
#: minimum cells of what may be a field; the margin around it that is seen with it, its maximum share of the part in
#: which it was seen, and from which share of its side it differs from another part
_LEAST_CELLS, _AROUND, _NEAR, _SAME_PART = 3, 0.35, 0.8, 0.15
#: left, upper, right and lower edge of a part of a picture
Box = tuple[int, int, int, int]


def normalise_brightness(picture: Picture | Matrix, inside: NDArray[np.bool_] | None = None) -> Matrix:
    """Return the brightness normalised, independent of the light."""
    mean, spread = cv2.meanStdDev(picture, mask=None if inside is None else inside.astype(np.uint8))
    middle = float(mean.mean())
    out = picture.astype(np.float32) - np.float32(middle)
    out /= np.float32(np.sqrt(np.mean(spread**2 + mean**2) - middle**2) + 10)
    if inside is not None:
        out = np.concatenate([out * inside[..., None], inside[..., None]], axis=-1)
    return np.asarray(out, np.float32)


def rectify_board(image: Picture, corners: Array) -> tuple[Matrix, NDArray[np.bool_]]:
    """Return the board and two squares around it from above (``FLAT`` × ``FLAT`` × 3), and the mask of what is in the
    picture."""
    part = BoardPart.of(image, corners, 1.25 * SIDE / float(square_sides(corners).mean()))
    at = apply(homography(FIELD, corners), _FLAT_POINTS)
    return part.colours(at), np.all((at > 0) & (at < image.shape[1::-1]), axis=-1)


def probabilities(logits: Matrix) -> Matrix:
    """Return logits as probabilities."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))))


@dataclass(frozen=True, slots=True)
class Heatmaps:
    """Output of the first network: for every cell the probability of field (rows × columns) and of a corner, and the
    corner's position in pixels (rows × columns × 2)."""

    field: Matrix
    corner: Matrix
    at: Array

    @classmethod
    def of(cls, image: Picture) -> Heatmaps:
        scale = SEEN / max(image.shape[:2])
        size = (max(round(image.shape[1] * scale), CELL), max(round(image.shape[0] * scale), CELL))
        small = normalise_brightness(np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8))
        # the network's coarsest step is 16 pixels
        seen = np.pad(small, ((0, -size[1] % 16), (0, -size[0] % 16), (0, 0)), "edge")
        output = run_network("board_heatmaps", seen=seen[None])[0, : -(-size[1] // CELL), : -(-size[0] // CELL)]
        rows, columns = output.shape[:2]
        cells = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1) * CELL + CELL / 2
        at = (cells + output[..., 2:].astype(np.float64) * CELL) * (image.shape[1] / size[0], image.shape[0] / size[1])
        return cls(probabilities(output[..., 0]), probabilities(output[..., 1]), at)

    def corners(self) -> tuple[Array, Array]:
        """Return the likeliest corners (n×2, pixels), and their probabilities."""
        top = cv2.dilate(self.corner, np.ones((3, 3), np.uint8)) <= self.corner
        peaks = np.argwhere(top & (self.corner > _A_CORNER))
        peaks = peaks[np.argsort(-self.corner[tuple(peaks.T)])][:_CORNERS]
        out = []
        for row, column in peaks:
            near = slice(max(row - 1, 0), row + 2), slice(max(column - 1, 0), column + 2)
            weight = self.corner[near] ** 2
            out.append((self.at[near] * weight[..., None]).sum(axis=(0, 1)) / weight.sum())
        return np.array(out, np.float64).reshape(-1, 2), self.corner[tuple(peaks.T)].astype(np.float64)

    def fields(self, size: tuple[int, int]) -> Iterator[tuple[float, Array]]:
        """Yield the likeliest fields (4×2, clockwise) with their scores, best first, in a picture of ``size`` (width,
        height)."""
        points, sure = self.corners()
        fours = np.array(list(combinations(range(len(points)), 4)), np.int64).reshape(-1, 4)
        quads = points[fours]
        away = quads - quads.mean(axis=1, keepdims=True)
        clockwise = np.argsort(np.arctan2(away[..., 1], away[..., 0]), axis=1)
        quads = np.take_along_axis(quads, clockwise[..., None], axis=1)
        sides = np.roll(quads, -1, axis=1) - quads
        after = np.roll(sides, -1, axis=1)
        convex = (sides[..., 0] * after[..., 1] - sides[..., 1] * after[..., 0] > 1e-6).all(axis=1)
        quads, fours = quads[convex], fours[convex]
        scores = self._overlaps(quads, size) + 0.05 * np.log(sure[fours]).mean(axis=1)
        return ((float(scores[at]), quads[at]) for at in np.argsort(-scores))

    def _overlaps(self, quads: Array, size: tuple[int, int]) -> Array:
        """Return the intersection over union of the detected field and each of the given fields (n×4×2)."""
        rows, columns = self.field.shape
        cells = np.stack(np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5), axis=-1).reshape(-1, 2)
        corners = (quads * (columns / size[0], rows / size[1])).transpose(1, 2, 0)[..., None]
        inside = np.ones((len(quads), len(cells)), np.bool_)
        for (x, y), (next_x, next_y) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            inside &= (next_x - x) * (cells[:, 1] - y) > (next_y - y) * (cells[:, 0] - x)
        both = inside @ self.field.ravel()
        return np.asarray(both / (self.field.sum() + inside.sum(axis=1) - both + 1e-6), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class RefinedQuad:
    """Candidate refined by the second network. ``corners``: the field's (4×2, clockwise); ``phase``: how well its
    squares agree with the network's output (0 to 1)."""

    corners: Array
    phase: float


def refine_candidate(image: Picture, corners: Array, sides: int = 4) -> RefinedQuad | None:
    """Return the field near a candidate, as seen from so many ``sides``; None if there is no board."""
    if not is_convex(corners):
        return None
    flat, inside = rectify_board(image, corners)
    output = _from_sides(normalise_brightness(flat, inside), sides)
    if output is None:
        return None
    field = probabilities(output[:, 0].astype(np.float32)).astype(np.float64)
    there = inside[CELL // 2 :: CELL, CELL // 2 :: CELL].ravel()
    seen = np.arctan2(output[:, [2, 4]], output[:, [1, 3]]) / (2 * np.pi)
    weight = np.hypot(output[:, [1, 3]], output[:, [2, 4]]) * (field * there)[:, None]
    best: tuple[float, Array, Array] | None = None
    for start in _starts(field):
        change = _fit_displacement(start, seen, weight)
        board = POINTS - _board_displacement(change)
        for across in (-1, 0, 1):
            for down in (-1, 0, 1):
                own = board - (across, down)
                within = ((own > 0) & (own < 8)).all(axis=1)
                worth = float((2 * within - 1) @ np.clip(output[:, 0], -4, 4)) / len(POINTS)
                worth += _phase_agreement(output, board, within & there)
                if best is None or worth > best[0]:
                    shifted = change.copy()
                    shifted[[0, 3]] += across, down
                    best = worth, shifted, own
    assert best is not None
    _, change, board = best
    moved = FIELD + _board_displacement(change, placement_changes(FIELD))
    if np.abs(moved - FIELD).max() > 2.5:
        return None
    corners = apply(homography(FIELD, corners), moved)
    within = ((board > 0) & (board < 8)).all(axis=1)
    if not (is_convex(corners) and within.any()):
        return None
    return RefinedQuad(corners, _phase_agreement(output, board, within & there))


def _from_sides(seen: Matrix, sides: int) -> Array | None:
    """Return the second network's output for a rectified candidate, the mean of so many rotations: ``POINTS`` × 5; None
    if the first shows no squares."""
    out = np.zeros((FLAT // CELL, FLAT // CELL, 5))
    for turn in range(sides):
        output = np.rot90(run_network("board_refinement", seen=np.rot90(seen, turn)[None])[0], -turn)
        if turn == 0 and np.hypot(output[_FIELD, _FIELD, 1::2], output[_FIELD, _FIELD, 2::2]).mean() < _ANY_SQUARES:
            return None
        for _ in range(turn):  # rotate back by a quarter: across becomes up
            output = output[..., [0, 3, 4, 1, 2]] * np.array([1, 1, -1, 1, 1])
        out += output / sides
    return out.reshape(-1, 5)


def _starts(field: Array) -> list[Array]:
    """Return initial positions of the field: as proposed, or by the middle and the width of the detected field."""
    out = [np.zeros(8)]
    total = field.sum()
    if total > 40:
        middle = field @ POINTS / total
        spread = np.sqrt(field @ (POINTS - middle) ** 2 / total) * np.sqrt(12) / 8
        if (np.abs(middle - 4) < 1.6).all() and (np.abs(np.log(spread)) < 0.3).all():
            start = np.zeros(8)
            start[[0, 3]] = middle - 4
            start[[1, 5]] = (spread - 1) * 4
            out.append(start)
    return out


def _board_displacement(change: Array, terms: Array = _CHANGES) -> Array:
    """Return the distance of board points from their proposed places, in squares; ``terms``: their
    ``placement_changes``."""
    return np.asarray((terms @ change).reshape(2, -1).T)


def _fit_displacement(start: Array, seen: Array, weight: Array) -> Array:
    keep = np.diag([1e-3, 0.1, 0.1, 1e-3, 0.1, 0.1, 1.0, 1.0])
    change, heavy = start, weight.T.ravel()
    for _ in range(5):
        left = POINTS - _board_displacement(change) - seen
        left = (left - np.round(left)).T.ravel()
        spread = max(1.5 * float(np.median(np.abs(left[heavy > 0.3]))) if (heavy > 0.3).any() else 0.1, 0.03)
        strong = heavy / (1 + (left / spread) ** 2) ** 2
        weighted = _CHANGES * strong[:, None]
        change = change + np.linalg.solve(_CHANGES.T @ weighted + keep, weighted.T @ left)
    return change


def _phase_agreement(output: Array, board: Array, where: NDArray[np.bool_]) -> float:
    if not where.any():
        return 0.0
    phase = 2 * np.pi * board[where]
    agreement = output[where][:, [1, 3]] * np.cos(phase) + output[where][:, [2, 4]] * np.sin(phase)
    return float(agreement.mean())


def find_candidates(picture: Picture, share: float) -> Iterator[RefinedQuad]:
    """Yield the likeliest fields, each refined to where its squares are most visible.

    :param share: the first network sees the picture in overlapping parts of this share of its longer side, and then the
        surroundings of what looks like field in these.
    """
    found: list[tuple[float, Array]] = []
    looked: list[Box] = list(_parts_of((picture.shape[1], picture.shape[0]), share))
    parts = len(looked)
    for number, (left, top, right, bottom) in enumerate(looked):
        outlook = Heatmaps.of(np.ascontiguousarray(picture[top:bottom, left:right]))
        fields = islice(outlook.fields((right - left, bottom - top)), _FROM_A_PART)
        found += [(score, quad + np.array([left, top])) for score, quad in fields]
        if number < parts:
            looked += _nearer(picture, (left, top, right, bottom), outlook, looked)
    found.sort(key=lambda one: -one[0])
    yield from _refine_guesses(picture, (quad for _, quad in found))


def _parts_of(size: tuple[int, int], share: float) -> Iterator[Box]:
    """Yield overlapping parts of a picture of ``size``."""
    part = [min(round(share * max(size)), side) for side in size]
    across, down = (
        np.linspace(0, side - own, 1 + int(np.ceil((side - own) / own * 2))).astype(int)
        for side, own in zip(size, part, strict=True)
    )
    yield from ((int(left), int(top), int(left) + part[0], int(top) + part[1]) for top in down for left in across)


def _nearer(picture: Picture, part: Box, outlook: Heatmaps, looked: list[Box]) -> list[Box]:
    """Return the surroundings of what looks like field in a part of a picture, where they are much smaller than it and
    differ from what was ``looked`` at."""
    out: list[Box] = []
    size, begins = np.array(picture.shape[1::-1]), np.array(part[:2])
    per_cell = (np.array(part[2:]) - begins) / outlook.field.shape[::-1]
    _, _, blobs, _ = cv2.connectedComponentsWithStats((outlook.field > 0.5).astype(np.uint8), connectivity=4)
    for left, top, width, height, cells in blobs[1:]:
        low, high = begins + (left, top) * per_cell, begins + (left + width, top + height) * per_cell
        around = (high - low).max() * _AROUND
        low, high = np.maximum(low - around, 0).astype(int), np.minimum(high + around, size).astype(int)
        side = (high - low).max()
        box = (int(low[0]), int(low[1]), int(high[0]), int(high[1]))
        if cells < _LEAST_CELLS or side > _NEAR * max(part[2] - part[0], part[3] - part[1]):
            continue
        if all(np.abs(np.subtract(box, other)).max() > _SAME_PART * side for other in looked + out):
            out.append(box)
    return out


def _refine_guesses(picture: Picture, guesses: Iterator[Array]) -> Iterator[RefinedQuad]:
    """Yield the refined guesses, at most ``_MOST``; first those whose squares are most visible after a quick step."""
    different: list[Array] = []
    for guess in guesses:
        if len(different) < _MOST and all(corner_distance_any_order(guess, other) >= SAME for other in different):
            different.append(guess)
    quick = [place for guess in different if (place := refine_candidate(picture, guess, sides=1)) is not None]
    tried: list[Array] = []
    for first in sorted(quick, key=lambda one: -one.phase):
        place = bring_to_squares(picture, first.corners, tried) if first.phase >= _NO_SQUARES else None
        if place is not None:
            tried.append(place.corners)
            yield place


def bring_to_squares(picture: Picture, corners: Array, tried: Sequence[Array] = ()) -> RefinedQuad | None:
    """Return the best of a few refinement steps from a guess: the last may have diverged. None if there is no board, or
    the steps lead to one that was ``tried``."""
    places: list[RefinedQuad] = []
    while len(places) < _ROUNDS:
        if any(corner_distance_any_order(corners, other) < SAME for other in tried):
            return None
        place = refine_candidate(picture, corners)
        if place is None:
            break
        least = _NO_SQUARES + _MORE_SQUARES * len(places)
        places.append(place)
        best = max(places, key=lambda one: one.phase)
        has_converged = corner_distance(place.corners, corners) < _STILL or best not in places[-_WORSE:]
        if has_converged or place.phase < least:
            break
        corners = place.corners
    return max(places, key=lambda one: one.phase, default=None)
