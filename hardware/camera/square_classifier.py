"""Square classifier: the cells of a board from a picture and the board's corners. Pure.

- It reports what is visible and knows no rules; isolated discs and empty boards are possible.
- The board is classified several times with small shifts of place and height. A square is ``?`` unless all together are
  sure: a wrong disc is ten times worse than a ``?``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.camera_projection import Array
from hardware.camera.neural_networks import Matrix, run_network
from hardware.camera.square_features import FINE, BoardTensor, RectifiedBoard

#: kinds of a square; the last is a foreign object
KINDS = "-XO?"
EMPTY, BLACK, WHITE, FOREIGN = range(len(KINDS))
#: sampling of every square: shift in squares, and height of a disc's top
LOOKS = ((0.05, 0.03, 0.14), (-0.05, -0.03, 0.22))
#: required confidence of a square in one picture (0.9 read the wall of a tray on a photograph as a disc), and the
#: weight of the doubt about one at most two squares from a foreign object, whose parts may look like discs: with cloth
#: at its corners, and with none, as a clock's button
SURE_ALONE, ON_CLOTH, ON_NO_CLOTH = 0.92, 5.0, 15.0
#: required confidence of a square in pictures of a still board that agree (0.9 read as many squares wrongly on six
#: drawn tables), and in a repeated reading, which may accuse a player
SURE, ACCUSES = 0.8, 0.99
#: a square read as a white disc is doubtful if its rim is darker than its middle by this more than those of most white
#: discs (log brightness): a black disc in which a lamp is mirrored. On drawn boards of TUNE 53 of 144 such discs were
#: read as white without this and 7 with it; 0.2 % of all squares became ``?`` by it
_MIRRORS = 0.45
#: with so few empty squares, and so many discs of one colour, the shape of these discs tells whether they are discs
_FEW_EMPTY, _MANY_DISCS = 8, 32


@dataclass(frozen=True, slots=True)
class Cells:
    """Classified squares. ``cells``: 64 of X O - ?, along the first corners' side first; ``confidence`` (0 to 1) of
    each; ``clear``: the number of squares that are surely not foreign; ``mistaken``: nothing is read rightly, because
    it is a chessboard, or something else was taken for the cloth, such as broad lines."""

    cells: str
    confidence: tuple[float, ...]
    clear: int
    mistaken: bool


def read_cells(image: NDArray[np.uint8], corners: Array) -> Cells:
    """Return the cells of a board.

    :param image: BGR, height × width × 3.
    :param corners: the outer corners of the field in pixels, 4×2, clockwise.
    :raises ValueError: if the corners are not a quadrilateral seen from above.
    """
    sight = RectifiedBoard.of(image, corners)
    if sight.chequered:
        return Cells(KINDS[FOREIGN] * 64, (0.0,) * 64, 0, True)
    odds = kind_probabilities(sight)
    best = odds.argmax(axis=1)
    confidence = odds[np.arange(64), best]
    foreign_odds = cv2.dilate(odds[:, FOREIGN].reshape(8, 8), np.ones((5, 5), np.uint8)).ravel()
    weight = np.where(sight.shows_cloth_at_corners(), ON_CLOTH, ON_NO_CLOTH)
    confidence /= confidence + (1 - confidence) * (1 + weight * foreign_odds)
    sure = confidence >= SURE_ALONE
    clear = int((sure & (best != FOREIGN)).sum())
    sure &= ~_is_mirroring_disc(image, corners, sure & (best == WHITE))
    cells = "".join(KINDS[kind] if is_sure else "?" for kind, is_sure in zip(best, sure, strict=True))
    if sight.is_overexposed:  # overexposed: white, empty and glare look the same; only black is still visible
        cells = "".join(cell if cell == KINDS[BLACK] else "?" for cell in cells)
    return Cells(cells, tuple(round(float(one), 4) for one in confidence), clear, _is_mistaken(sight, best))


def _is_mistaken(sight: RectifiedBoard, kinds: NDArray[np.int64]) -> bool:
    """Return whether hardly a square looks like the cloth and most of those that do not are not round; ``kinds`` are
    the likeliest ones."""
    counts = np.bincount(kinds, minlength=len(KINDS))
    most = max(BLACK, WHITE, key=lambda kind: int(counts[kind]))
    is_full = counts[EMPTY] <= _FEW_EMPTY and counts[most] >= _MANY_DISCS
    return bool(is_full) and sight.has_square_shapes(kinds == most)


def _is_mirroring_disc(image: NDArray[np.uint8], corners: Array, white: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of the ``white`` squares look like a black disc that mirrors a lamp."""
    if not white.any():
        return white
    contrast = RectifiedBoard.of(image, corners, FINE).contrast_to_rims()
    return white & (contrast - np.median(contrast[white]) > _MIRRORS)


def kind_probabilities(sight: RectifiedBoard) -> NDArray[np.float32]:
    """Return the probability of every kind in every square, 64 × 4: the geometric mean over all samplings and their
    mirror images, so that one doubtful result counts."""
    boards = [sight.whole((dx, dy), height) for dx, dy, height in LOOKS]
    boards += [board.mirrored() for board in boards]
    together = np.exp(np.log(classify(boards) + 1e-6).mean(axis=0))
    return np.asarray(together / np.maximum(together.sum(axis=1, keepdims=True), 1.0), np.float32)


def classify(boards: Sequence[BoardTensor]) -> Matrix:
    """Return the probability of every kind in the 64 squares of each board, n × 64 × 4, in the picture's order."""
    seen, about = np.stack([board.seen for board in boards]), np.stack([board.about for board in boards])
    odds = np.empty((len(boards), 64, len(KINDS)), np.float32)
    for board, own, output in zip(boards, odds, run_network("square_classifier", seen=seen, about=about), strict=True):
        own[board.number] = output.reshape(64, -1)
    return odds
