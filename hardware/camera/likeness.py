"""What a board's other squares say of each of its squares: a second witness, which needs no network. Pure.

The law: discs of one colour look like each other on one board in one light, and so do empty squares. No square speaks
for itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
#: a kind is known by so many squares of it that are nearest to what is looked at
FEWEST = 3
#: squares are alike whose looks differ by less (root of the mean square of the samples). On four drawn tables with
#: glare, squares on which a disc was laid or turned differed by 0.16 at least: a black disc in the same lamp's spot as
#: the empty square before it.
APART = 0.13
#: the witness agrees if a square is less than so much as far from what it is said to be as from any other kind, and is
#: not alike to that one
_NEARER = 0.7


def away(patches: Floats, known: Floats, kinds: Numbers, squares: Numbers) -> Floats:
    """How far each of the board's squares (``patches``: 64 × samples × 3, ``patches.middles``) is from each kind,
    64 × 3 (the root of the mean square of the samples): from the ``FEWEST`` nearest of the ``known``, n × samples × 3,
    whose ``kinds`` are 0 to 2 (another counts nowhere) and which lie on these ``squares``; not a number where there are
    fewer."""
    samples = patches.shape[1] * patches.shape[2]
    one, other = patches.reshape(len(patches), samples), known.reshape(len(known), samples)
    apart = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2 * one @ other.T
    distance = np.sqrt(np.maximum(apart, 0) / samples)
    distance[np.arange(len(one))[:, None] == squares] = np.nan
    out = np.full((len(one), 3), np.nan, np.float32)
    for kind in range(3):
        near = np.sort(distance[:, kinds == kind], axis=1)[:, :FEWEST]  # what is no number comes last
        if near.shape[1] == FEWEST:
            out[:, kind] = near.mean(axis=1)
    return out


def witnessed(away: Floats, kinds: Numbers) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of which squares the others agree that they are of these ``kinds``, and of which they say that they are not; of
    the rest they say nothing."""
    rows = np.arange(len(away))
    rest = away.copy()
    rest[rows, kinds] = np.nan
    own, nearest = away[rows, kinds], np.fmin.reduce(rest, axis=1)
    return (own < _NEARER * nearest) & (nearest > APART), own > nearest
