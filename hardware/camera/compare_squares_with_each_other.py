"""Comparison of a board's squares with each other: an independent check of the network. Pure.

Discs of one colour look alike on one board in one light, and so do empty squares. A square is compared only with other
squares.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
#: a kind is represented by this many of its squares that are nearest to the one checked
FEWEST = 3
#: squares are alike if they differ by less (root of the mean square of the samples). On four drawn tables with glare,
#: squares on which a disc was placed or turned differed by at least 0.16: a black disc in the same lamp's reflection as
#: the empty square before it.
APART = 0.13
#: a kind is confirmed if the distance to it is less than this share of the distance to any other kind, and the square
#: is not alike to that one
_NEARER = 0.7


def distances_to_kinds(patches: Floats, known: Floats, kinds: Numbers, squares: Numbers) -> Floats:
    """Return the distance of each of the board's squares (``patches``: 64 × samples × 3,
    ``square_features.patch_centres``) from each kind, 64 × 3 (the root of the mean square of the samples).

    The distance is to the ``FEWEST`` nearest of the ``known``, n × samples × 3, whose ``kinds`` are 0 to 2 (others are
    ignored) and which are on these ``squares``; NaN where there are fewer.
    """
    samples = patches.shape[1] * patches.shape[2]
    one, other = patches.reshape(len(patches), samples), known.reshape(len(known), samples)
    apart = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2 * one @ other.T
    distance = np.sqrt(np.maximum(apart, 0) / samples)
    distance[np.arange(len(one))[:, None] == squares] = np.nan
    out = np.full((len(one), 3), np.nan, np.float32)
    for kind in range(3):
        near = np.sort(distance[:, kinds == kind], axis=1)[:, :FEWEST]  # NaN sorts last
        if near.shape[1] == FEWEST:
            out[:, kind] = near.mean(axis=1)
    return out


def confirmed_and_contradicted(away: Floats, kinds: Numbers) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the squares whose ``kinds`` the others confirm, and those that they contradict; the remaining ones are
    undecided."""
    rows = np.arange(len(away))
    rest = away.copy()
    rest[rows, kinds] = np.nan
    own, nearest = away[rows, kinds], np.fmin.reduce(rest, axis=1)
    return (own < _NEARER * nearest) & (nearest > APART), own > nearest
