"""Grid fitting: fits a quadrilateral to the lines of a board, with subpixel accuracy, and measures the line support.
Pure.

A grid is accepted only by its lines. Places between two lines are measured in the same way, and a fit counts only by
how much more line is visible where lines should be.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.camera_projection import (
    FIELD,
    Array,
    RadialDistortion,
    apply,
    homography,
    is_convex,
    placement_changes,
)

#: weight of the outermost lines: a high frame hides them or has an edge beside them
_OUTER = 0.25
#: a grid with less line support than this is rejected
_BELIEVED = 0.6
#: search distance of a line from its place in each iteration, in squares
_WINDOWS = (0.22, 0.14, 0.1)
#: the additional distance to see both flanks
_MORE = 0.06
#: the usual distortion of lenses, and the maximum accepted
_BENDS, _MOST_BENT = 0.08, 0.3
_LINES = np.arange(9.0)
#: positions on a side of a square where lines are measured: discs lie over its middle
_PLACES = np.array([0.1, 0.2, 0.8, 0.9])


@dataclass(frozen=True, slots=True)
class GridFit:
    """Fitted grid. ``corners``: the field's (4×2, clockwise); ``bend``: the lens distortion, as in
    ``RadialDistortion``; ``support``: by its lines, as in ``line_support``."""

    corners: Array
    bend: float = 0.0
    support: float = 0.0


def refit_grid(grey: NDArray[np.float32], corners: Array, bend: float = 0.0) -> GridFit | None:
    """Return the grid at its previous place, or a little beside it; None if there is none.

    :param grey: height × width, 0 to 1, slightly smoothed.
    """
    for window in _WINDOWS:
        refined = _refined(grey, corners, bend, window)
        if refined is None:
            return None
        corners, bend = refined
    support = line_support(grey, corners, bend)
    return GridFit(corners, bend, support) if support >= _BELIEVED else None


def _profiles(
    grey: NDArray[np.float32], corners: Array, bend: RadialDistortion, window: float, numbers: Array
) -> tuple[Array, Array, Array]:
    """Return brightness profiles across lines of these numbers (0 to 8, or between) at every place: board points (n×2),
    the direction across (n), and the brightness along it (n × 21)."""
    lines, sides = np.meshgrid(numbers, (np.arange(8.0)[:, None] + _PLACES).ravel(), indexing="ij")
    lines, sides = lines.ravel(), sides.ravel()
    points = np.concatenate([np.stack([lines, sides], axis=1), np.stack([sides, lines], axis=1)])
    axis = np.repeat([0, 1], len(lines))
    steps = np.linspace(-window - _MORE, window + _MORE, 21)
    across = points[:, None, :] + steps[None, :, None] * np.eye(2)[axis][:, None]
    seen = bend.bent(apply(homography(FIELD, bend.straight(corners)), across)).astype(np.float32) - np.float32(0.5)
    values = cv2.remap(grey, seen[..., 0], seen[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return points, axis, np.asarray(values, np.float64)


def _refined(grey: NDArray[np.float32], corners: Array, bend: float, window: float) -> tuple[Array, float] | None:
    """Return the corners and the distortion after one iteration over all lines: the small projective change of the
    board's plane, and the lens distortion, that fit the lines seen."""
    lens = RadialDistortion(bend, (grey.shape[1], grey.shape[0]))
    straight = lens.straight(corners)
    if not (is_convex(corners) and is_convex(straight)):
        return None
    points, axis, values = _profiles(grey, corners, lens, window, _LINES)
    span = np.linspace(-window - _MORE, window + _MORE, 21)
    gap = max(1, round(0.05 / (span[1] - span[0])))
    dip = values[:, 2 * gap :] + values[:, : -2 * gap] - 2 * values[:, gap:-gap]
    # lines are either darker or lighter than the cloth; a board has one kind
    sign = 1.0 if np.median(dip.max(axis=1)) >= np.median(-dip.min(axis=1)) else -1.0
    dip = dip * sign
    inner = span[gap:-gap]
    peak = dip.argmax(axis=1)
    rows = np.arange(len(peak))
    inside = np.clip(peak, 1, len(inner) - 2)
    before, at, after = dip[rows, inside - 1], dip[rows, inside], dip[rows, inside + 1]
    part = np.clip((before - after) / np.minimum(2 * (before + after - 2 * at), -1e-6), -1, 1)
    away = inner[inside] + part * (span[1] - span[0])
    weight = np.clip(dip[rows, peak] / (np.median(np.abs(dip)) * 4 + 1e-4), 0, 2)
    own = points[rows, axis]
    weight = weight * np.where((own == 0) | (own == 8), _OUTER, 1.0)
    changes = placement_changes(points).reshape(2, len(points), 8)[axis, rows]
    shifts = distortion_shift(lens, homography(FIELD, straight), points, axis)
    terms = np.concatenate([changes, shifts[:, None]], axis=1)
    change = np.zeros(9)
    # the distortion is regularised towards none
    keep = np.diag([1e-3] * 8 + [(0.04 / _BENDS) ** 2])
    wanted = np.array([0.0] * 8 + [-bend * keep[8, 8]])
    for _ in range(6):
        left = away - terms @ change
        spread = max(1.5 * float(np.median(np.abs(left))), 0.02)
        strong = weight / (1 + (left / spread) ** 2) ** 2
        change = np.linalg.solve(terms.T @ (terms * strong[:, None]) + keep, terms.T @ (strong * away) + wanted)
    moved = (placement_changes(FIELD) @ change[:8]).reshape(2, 4).T
    if np.abs(moved).max() > 1.2:
        return None
    found = RadialDistortion(float(np.clip(bend + change[8], -_MOST_BENT, _MOST_BENT)), lens.size)
    return found.bent(apply(homography(FIELD, straight), FIELD + moved)), found.amount


def distortion_shift(lens: RadialDistortion, to_pixels: Array, points: Array, axis: Array) -> Array:
    """Return how far every place moves across its line, in squares, per unit of distortion."""
    small = 0.02
    moved = lens.straight(RadialDistortion(lens.amount + small, lens.size).bent(apply(to_pixels, points)))
    after = apply(np.asarray(np.linalg.inv(to_pixels), np.float64), moved)
    return np.asarray(np.where(axis == 0, (after - points)[:, 0], (after - points)[:, 1]) / small)


def line_support(grey: NDArray[np.float32], corners: Array, bend: float = 0.0) -> float:
    """Return the share of line places that show more of a line than three quarters of the places between lines, in the
    worse of both directions (chance gives a quarter)."""
    lens = RadialDistortion(bend, (grey.shape[1], grey.shape[0]))
    if not (is_convex(corners) and is_convex(lens.straight(corners))):
        return 0.0
    bends, ways = [], []
    for lines in (_LINES, _LINES[:8] + 0.5):
        _, axis, values = _profiles(grey, corners, lens, 0.06, lines)
        ways.append(axis)
        middle = values[:, 8:13]
        sides = (values[:, :5].mean(axis=1) + values[:, -5:].mean(axis=1)) / 2
        away = middle - sides[:, None]
        bends.append(away[np.arange(len(away)), np.abs(away).argmax(axis=1)])
    on, off = bends
    sign = 1.0 if np.median(on) >= 0 else -1.0
    shares = []
    for way in (0, 1):  # both directions count, because the planks of a floor run one way only
        bar = max(float(np.quantile(sign * off[ways[1] == way], 0.75)), 0.004)
        shares.append(float((sign * on[ways[0] == way] > bar).mean()))
    return min(shares)
