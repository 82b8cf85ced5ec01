"""Square classifier: the cells of a board from a picture and the board's corners. Pure.

- It reports what is visible and knows no rules; isolated discs and empty boards are possible.
- The board is classified several times with small shifts of place and height. A square is ``?`` unless all together are
  sure: a wrong disc is ten times worse than a ``?``.
- The required confidence is lower if this board's other squares confirm the result, and higher if they contradict it
  or a foreign object is beside the square.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.camera_projection import Array
from hardware.camera.compare_squares_with_each_other import confirmed_and_contradicted, distances_to_kinds
from hardware.camera.square_features import FINE, RectifiedBoard, mirrored, patch_centres
from hardware.camera.square_neural_network import BLACK, FOREIGN, KINDS, WHITE, Network, load_network

#: sampling of every square: shift in squares, and height of a disc's top
LOOKS = ((0.05, 0.03, 0.14), (-0.05, -0.03, 0.22))
#: required confidence of a square; if the board's other squares confirm it; if they contradict it, or beside a thing
SURE, AGREED, OPPOSED = 0.7, 0.5, 0.97
#: probability from which a square may show a foreign object, how many squares around it may show parts of it, and the
#: required confidence of one beside it without cloth at its corners: discs stand on cloth, a clock's buttons do not
_A_THING, _AROUND_IT, _ON_NO_CLOTH = 0.3, 2, 0.993
#: a white disc is none if it is brighter than most by this, and its far rim darker than theirs and the cloth by this
#: (log brightness): of 618 white discs none was, of 43 black ones that mirror a lamp and read as white 28
_BRIGHTER, _RIM_DARKER = 0.1, 0.25
#: with so few empty squares, and so many discs of one colour, the shape of these discs tells whether they are discs
_FEW_EMPTY, _MANY_DISCS = 8, 16


@dataclass(frozen=True, slots=True)
class Cells:
    """Classified squares. ``cells``: 64 of X O - ?, along the first corners' side first; ``confidence`` (0 to 1) of
    each; ``mistaken``: something else was taken for the cloth, such as broad lines, and nothing is read rightly."""

    cells: str
    confidence: tuple[float, ...]
    mistaken: bool = False


def read_cells(image: NDArray[np.uint8], corners: Array, bend: float = 0.0) -> Cells:
    """Return the cells of a board.

    :param image: BGR, height × width × 3.
    :param corners: the outer corners of the field in pixels, 4×2, clockwise.
    :param bend: the lens distortion, as in ``RadialDistortion``.
    :raises ValueError: if the corners are not a quadrilateral seen from above.
    """
    sight = RectifiedBoard.of(image, corners, bend)
    odds = kind_probabilities(sight, load_network())
    best = odds.argmax(axis=1)
    confidence = odds[np.arange(64), best]
    enough = confidence >= _bars(odds, patch_centres(sight.features()))
    enough &= (confidence >= _ON_NO_CLOTH) | sight.shows_cloth_at_corners() | ~_beside_things(odds, 1)
    white = enough & (best == WHITE)
    if white.any():
        enough &= ~(white & _mirrors_lamp(RectifiedBoard.of(image, corners, bend, FINE), white))
    cells = "".join(KINDS[kind] if believed else "?" for kind, believed in zip(best, enough, strict=True))
    if sight.is_overexposed:  # overexposed: white, empty and glare look the same; only black is still visible
        cells = "".join(cell if cell == KINDS[BLACK] else "?" for cell in cells)
    return Cells(cells, tuple(round(float(value), 4) for value in confidence), _is_mistaken(sight, cells))


def _is_mistaken(sight: RectifiedBoard, cells: str) -> bool:
    """Return whether hardly a square looks like the cloth, and most of those that do not are not round."""
    discs = max(KINDS[BLACK], KINDS[WHITE], key=cells.count)
    if cells.count(KINDS[0]) > _FEW_EMPTY or cells.count(discs) < _MANY_DISCS:
        return False
    return sight.has_square_shapes(np.array([cell == discs for cell in cells]))


def _mirrors_lamp(fine: RectifiedBoard, white: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which squares look like a black disc that mirrors a lamp, compared with all that read as ``white``."""
    middles, rims = fine.far_rims()
    darker = rims < min(float(np.median(rims[white])), 0.0) - _RIM_DARKER
    return np.asarray((middles - np.median(middles[white]) > _BRIGHTER) & darker)


def _bars(odds: NDArray[np.float32], patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the required confidence of each square: whether other sure squares confirm, are undecided, or
    contradict, or a foreign object is beside it, whose parts may look like discs."""
    known = odds.max(axis=1) >= SURE
    far = distances_to_kinds(patches, patches[known], odds.argmax(axis=1)[known], np.flatnonzero(known))
    agreed, opposed = confirmed_and_contradicted(far, odds[:, :FOREIGN].argmax(axis=1))
    opposed |= _beside_things(odds, _AROUND_IT)
    return np.where(opposed, OPPOSED, np.where(agreed, AGREED, SURE)).astype(np.float32)


def _beside_things(odds: NDArray[np.float32], squares: int) -> NDArray[np.bool_]:
    """Return which squares are at most so many away from one that may show a foreign object."""
    things = (odds[:, FOREIGN].reshape(8, 8) >= _A_THING).astype(np.uint8)
    return np.asarray(cv2.dilate(things, np.ones((2 * squares + 1,) * 2, np.uint8)).ravel() > 0)


def kind_probabilities(sight: RectifiedBoard, network: Network, doubting: bool = False) -> NDArray[np.float32]:
    """Return the probability of every kind in every square, 64 × 4: the geometric mean over all samplings and their
    mirror images, so that one doubtful result counts. ``doubting``: includes the layers that classify each square
    alone."""
    boards = [sight.whole((dx, dy), height) for dx, dy, height in LOOKS]
    looks = [network.judged(one) for board in boards for one in (board, board.mirrored())]
    if doubting:
        squares = [sight.features((dx, dy), height) for dx, dy, height in LOOKS]
        looks += [network.odds(one) for seen in squares for one in (seen, mirrored(seen))]
    together = np.exp(np.log(np.stack(looks) + 1e-6).mean(axis=0))
    return np.asarray(together / np.maximum(together.sum(axis=1, keepdims=True), 1.0), np.float32)
