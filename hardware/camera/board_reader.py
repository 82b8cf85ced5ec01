"""Board reader: one picture to the board's cells, or a refusal with a reason that a person can act on. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hardware.camera.board_finder import SMALLEST, Reason, find_board
from hardware.camera.camera_projection import Array, is_convex, square_sides
from hardware.camera.square_classifier import read_cells
from hardware.errors import ErrorText, say

_TEXTS = {
    Reason.NO_BOARD: say(
        "no board was found; the picture must show the whole board with its lines, and "
        "nothing of the same colour beside it"
    ),
    Reason.CUT_OFF: say("part of the board is outside the picture; step back"),
    Reason.HAND: say("something covers the board; take hands and things away"),
    Reason.DARK: say("the picture is too dark; add light"),
    Reason.BLURRED: say("the picture is blurred; hold the camera still and focus"),
    Reason.TOO_SMALL: say(
        "the board is too small in the picture (squares below {pixels} pixels); go nearer", pixels=round(SMALLEST)
    ),
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Reason why a picture is not read; ``text`` says what to do."""

    reason: Reason

    @property
    def text(self) -> ErrorText:
        return _TEXTS[self.reason]


@dataclass(frozen=True, slots=True)
class BoardReading:
    """Board reading. ``cells`` and ``confidence`` as in ``square_classifier.Cells``; ``corners`` 4×2 in pixels, the
    first row from the first corner to the second."""

    cells: str
    confidence: tuple[float, ...]
    corners: Array


def read_board_picture(image: NDArray[np.uint8], corners: Array | None = None) -> BoardReading | Refusal:
    """Read a picture (BGR); ``corners`` None finds the board first.

    :raises ValueError: if the given corners are not a quadrilateral, clockwise.
    """
    if corners is None:
        found = find_board(image)
        if isinstance(found, Reason):
            return Refusal(found)
        corners = found.corners
    else:
        if corners.shape != (4, 2) or not np.isfinite(corners).all() or not is_convex(corners):
            raise ValueError("the corners are not those of a convex quadrilateral, clockwise")
        sides = square_sides(corners)
        if sides.min() < SMALLEST:
            return Refusal(Reason.TOO_SMALL)
        slack = float(sides.max()) / 2
        if (corners < -slack).any() or (corners > np.array(image.shape[1::-1]) + slack).any():
            return Refusal(Reason.CUT_OFF)
    read = read_cells(image, corners)
    if read.mistaken or not read.cells.strip("?"):
        return Refusal(Reason.NO_BOARD)
    return BoardReading(read.cells, read.confidence, corners)
