"""One picture in, what lies on the board out: found, read, or refused with a reason a person can act on. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hardware.camera.finder import SMALLEST, Found, Reason, find
from hardware.camera.geometry import Array, is_convex
from hardware.camera.reader import read_cells

_TEXTS: dict[Reason, tuple[str, str]] = {
    Reason.NO_BOARD: (
        "no board was found; have the whole board with its lines in the picture, nothing of its colour beside it",
        "盤が見つかりません。盤全体と線が写るように撮り、同じ色の物を周りに置かないでください",
    ),
    Reason.CUT_OFF: ("the board is not wholly in the picture; step back", "盤の一部が写っていません。少し離れて撮ってください"),
    Reason.HAND: (
        "something covers the board; take hands and things away",
        "盤が何かで隠れています。手や物をどけてください",
    ),
    Reason.DARK: ("the picture is too dark; make more light", "暗すぎます。明るくしてください"),
    Reason.BLURRED: ("the picture is blurred; hold the camera still and focus", "ぼやけています。カメラを固定しピントを合わせてください"),
    Reason.TOO_SMALL: (
        f"the board is too small in the picture (squares below {SMALLEST:.0f} pixels); go nearer",
        f"盤が小さすぎます（1マス{SMALLEST:.0f}画素未満）。近づいて撮ってください",
    ),
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a picture is not read; ``en`` and ``ja`` say what to do."""

    reason: Reason

    @property
    def en(self) -> str:
        return _TEXTS[self.reason][0]

    @property
    def ja(self) -> str:
        return _TEXTS[self.reason][1]


@dataclass(frozen=True, slots=True)
class Seen:
    """``cells`` and ``confidence`` as in ``reader.Cells``; ``corners`` 4×2 in pixels, the first row from the first
    corner to the second."""

    cells: str
    confidence: tuple[float, ...]
    corners: Array


def see(image: NDArray[np.uint8], corners: Array | None = None) -> Seen | Refusal:
    """Reads a picture (BGR); ``corners`` None finds the board first.

    :raises ValueError: the given corners are no quadrilateral, clockwise.
    """
    if corners is None:
        found = find(image)
        if not isinstance(found, Found):
            return Refusal(found)
        corners = found.corners
    elif corners.shape != (4, 2) or not np.isfinite(corners).all() or not is_convex(corners):
        raise ValueError("the corners are not those of a convex quadrilateral, clockwise")
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1) / 8
    if sides.min() < SMALLEST:
        return Refusal(Reason.TOO_SMALL)
    height, width = image.shape[:2]
    slack = float(sides.max()) / 2
    if (corners < -slack).any() or (corners > np.array([width, height]) + slack).any():
        return Refusal(Reason.CUT_OFF)
    read = read_cells(image, corners)
    return Seen(read.cells, read.confidence, corners)
