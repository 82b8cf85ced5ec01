"""From a picture and the board's corners to what lies on each square. Pure.

The law: it reports what is seen and knows no rules; isolated discs and empty boards are real. The board is looked at
several times with small errors of place and height, and is ``?`` unless all looks together are sure: a wrong disc is
ten times worse than a ``?``. What the network says of a square is believed sooner if this board's other squares say
the same, and later if they say something else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hardware.camera.geometry import Array
from hardware.camera.likeness import away, witnessed
from hardware.camera.network import BLACK, FOREIGN, KINDS, Network, trained
from hardware.camera.patches import Sight, middles, mirrored

#: looks at every square: beside it in squares, and at which height of a disc's top
LOOKS = ((0.05, 0.03, 0.14), (-0.05, -0.03, 0.22))
#: the confidence that a square needs; that of which the board's other squares say the same; and something else
SURE, AGREED, OPPOSED = 0.7, 0.5, 0.97


@dataclass(frozen=True, slots=True)
class Cells:
    """``cells``: 64 of X O - ?, along the first corners' side first; ``confidence`` (0 to 1) of each; ``likeliest``
    what each would be if it had to be something (for looking at failures only)."""

    cells: str
    confidence: tuple[float, ...]
    likeliest: str


def read_cells(image: NDArray[np.uint8], corners: Array, bend: float = 0.0, network: Network | None = None) -> Cells:
    """:param image: BGR, height × width × 3.
    :param corners: the outer corners of the field in pixels, 4×2, clockwise.
    :param bend: the lens's, as in ``Bend``.
    :raises ValueError: the corners are no quadrilateral seen from above.
    """
    network = network or trained()
    sight = Sight.of(image, corners, bend)
    odds = look(sight, network)
    best = odds.argmax(axis=1)
    confidence = odds[np.arange(64), best]
    likeliest = "".join(KINDS[kind] for kind in best)
    enough = confidence >= _bars(odds, middles(sight.features()))
    cells = "".join(kind if believed else "?" for kind, believed in zip(likeliest, enough, strict=True))
    if sight.burnt_out:  # white, empty and glare look the same; what is black is still seen
        cells = "".join(cell if cell == KINDS[BLACK] else "?" for cell in cells)
    return Cells(cells, tuple(round(float(value), 4) for value in confidence), likeliest)


def _bars(odds: NDArray[np.float32], patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """The confidence that each square needs: as others that are sure agree, say nothing, or say something else."""
    known = odds.max(axis=1) >= SURE
    far = away(patches, patches[known], odds.argmax(axis=1)[known], np.flatnonzero(known))
    agreed, opposed = witnessed(far, odds[:, :FOREIGN].argmax(axis=1))
    return np.where(agreed, AGREED, np.where(opposed, OPPOSED, SURE)).astype(np.float32)


def look(sight: Sight, network: Network, doubting: bool = False) -> NDArray[np.float32]:
    """The probability of every kind in every square, 64 × 4: the geometric mean of the looks and of their mirror
    images, so that one that doubts counts. ``doubting``: the layers that look at each square alone are heard too."""
    boards = [sight.whole((dx, dy), height) for dx, dy, height in LOOKS]
    looks = [network.judged(one) for board in boards for one in (board, board.mirrored())]
    if doubting:
        squares = [sight.features((dx, dy), height) for dx, dy, height in LOOKS]
        looks += [network.odds(one) for seen in squares for one in (seen, mirrored(seen))]
    together = np.exp(np.log(np.stack(looks) + 1e-6).mean(axis=0))
    return np.asarray(together / np.maximum(together.sum(axis=1, keepdims=True), 1.0), np.float32)
