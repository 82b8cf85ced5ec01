"""Reading history of a board: the appearance of its squares at the last reading and when a person confirmed them; and
the calibration of a table's camera. Pure.

- Only appearances are stored, no rules of the game.
- If a square's image is unchanged or alike, its last reading is kept, unless another kind is likely: then it is ``?``.
- If it differs, it is read anew, and is ``?`` unless that is sure.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from io import BytesIO
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from hardware.camera.camera_projection import Array
from hardware.camera.square_classifier import KINDS
from hardware.errors import HardwareError, say

Patches = NDArray[np.float32]
#: difference (variance) between two images of an unchanged square due to camera noise, for each square
Noise = NDArray[np.float32]
QUIET: Noise = np.zeros(64, np.float32)
UNKNOWN = "?"
_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
#: two images of a square are alike, and it is unchanged, if they differ by less than this beyond the camera's noise
#: (root of the mean square of the samples). On the two most difficult of fifty drawn tables 0.065 to 0.085 and 0.03 to
#: 0.05 read 3 or 4 squares wrongly in 138 presses; 0.06 for the second 30, and 6 false accusations
ALIKE, UNCHANGED = 0.075, 0.04
#: with these odds of another kind the last reading is not kept: if a person confirms it, and if nobody does
OTHERWISE = 0.9, 0.05
#: the most squares that change between two readings (a move turns eighteen discs at most), and the most discs removed
MOST_CHANGED, MOST_GONE = 20, 1


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Cells with images. ``cells``: 64 of X O - ?; ``patches``: the image of each square at that reading
    (``RectifiedBoard.patches``)."""

    cells: str
    patches: Patches

    def __post_init__(self) -> None:
        if len(self.cells) != len(self.patches):
            raise ValueError(f"{len(self.cells)} cells, but {len(self.patches)} patches")

    def alike(self, now: Patches, most: float = ALIKE, noise: Noise = QUIET) -> NDArray[np.bool_]:
        """Return which squares look as before, each relative to its own cloth."""
        if now.shape != self.patches.shape:
            return np.zeros(len(now), np.bool_)
        return np.asarray(((now - self.patches) ** 2).mean(axis=(1, 2)) < most**2 + noise)


@dataclass(frozen=True, slots=True)
class CameraCalibration:
    """Calibration of a table's camera: ``quarter``, the corner of the picture that begins the first row, the board that
    a person confirmed, and ``corners`` (4×2 pixels, the first row's first) if the person marked them."""

    quarter: int
    board: Snapshot
    corners: Array | None = None

    def pack(self) -> bytes:
        """Return the calibration as bytes for ``unpack``."""
        out = BytesIO()
        corners = np.empty((0, 2)) if self.corners is None else self.corners
        np.savez(
            out, quarter=self.quarter, cells=np.array(self.board.cells), patches=self.board.patches, corners=corners
        )
        return out.getvalue()

    @classmethod
    def unpack(cls, packed: bytes, name: str) -> CameraCalibration:
        """Return the calibration from bytes.

        :raises HardwareError: if the file ``name`` is damaged.
        """
        try:
            with np.load(BytesIO(packed), allow_pickle=False) as held:
                board = Snapshot(str(held["cells"]), np.asarray(held["patches"], np.float32))
                corners = held.get("corners", ())  # files of an earlier version have none
                marked = np.asarray(corners, np.float64).reshape(4, 2) if len(corners) else None
                return cls(int(held["quarter"]) % 4, board, marked)
        except (ValueError, KeyError, OSError, EOFError, TypeError, BadZipFile):
            raise HardwareError(say("{file} is damaged; set the camera up again", file=name)) from None


@dataclass(frozen=True, slots=True)
class BoardMemory:
    """Known readings of a board. ``learnt``: what a person confirmed, never changed. ``last``: the last known reading
    of every square. ``others``: squares that were later read as another kind than confirmed, and whose image has not
    returned to the confirmed one."""

    learnt: Snapshot | None = None
    last: Snapshot | None = None
    others: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(64, np.bool_))

    def read(self, odds: NDArray[np.float32], patches: Patches, confidence: float, noise: Noise = QUIET) -> str:
        """Return the cell of each square. ``odds``: 64 × kinds; ``confidence``: the confidence required without a known
        reading."""
        unchanged, alike = (self._was(patches, most, noise) for most in (UNCHANGED, ALIKE))
        was = [one or other for one, other in zip(unchanged, alike, strict=True)]
        limits = np.where(self._confirmed(patches, noise), *OTHERWISE)
        cells = []
        for at, kind in enumerate(odds.argmax(axis=1)):
            if not was[at]:
                cells.append(KINDS[kind] if odds[at, kind] >= confidence else UNKNOWN)
                continue
            another = max(float(odds[at, _NUMBERS[other]]) for other in set(KINDS) - was[at] - {UNKNOWN})
            keeps = len(was[at]) == 1 and another < limits[at]
            cells.append(min(was[at]) if keeps else UNKNOWN)
        return "".join(cells)

    def _was(self, patches: Patches, most: float, noise: Noise) -> list[set[str]]:
        """Return the known kinds of each square with the same image."""
        was: list[set[str]] = [set() for _ in patches]
        for snapshot in (self.learnt, self.last):
            if snapshot is not None:
                for at in np.flatnonzero(snapshot.alike(patches, most, noise)).tolist():
                    was[at] |= {snapshot.cells[at]} - {UNKNOWN}
        return was

    def _confirmed(self, patches: Patches, noise: Noise) -> NDArray[np.bool_]:
        """Return which squares a person confirmed that have changed only step by step since (a lamp reflected in empty
        cloth looks white and stays)."""
        if self.learnt is None:
            return np.zeros(len(patches), np.bool_)
        steps = [look.alike(patches, UNCHANGED, noise) for look in (self.learnt, self.last) if look is not None]
        return np.asarray(np.any(steps, axis=0) & ~self.others)

    def is_covered(self, cells: str) -> bool:
        """Return whether so many squares appear to have changed that an object must cover the board and be read as
        squares, for example a sleeve of the cloth's colour."""
        if self.last is None:
            return False
        known = [two for two in zip(self.last.cells, cells, strict=True) if UNKNOWN not in two]
        changed = [two for two in known if two[0] != two[1]]
        return len(changed) > MOST_CHANGED or sum(now == "-" for _, now in changed) > MOST_GONE

    def seen(self, cells: str, patches: Patches) -> BoardMemory:
        """Return the history with these cells; unknown ones keep the last known reading."""
        if self.last is not None and self.last.patches.shape == patches.shape:
            known = np.array([cell != UNKNOWN for cell in cells])
            cells = "".join(new if new != UNKNOWN else old for new, old in zip(cells, self.last.cells, strict=True))
            looked = np.where(known[:, None, None], patches, self.last.patches)
        else:
            looked = patches
        others = self.others
        if self.learnt is not None:
            as_said = np.array([cell == said for cell, said in zip(cells, self.learnt.cells, strict=True)])
            others = (others & ~self.learnt.alike(patches, UNCHANGED)) | ~as_said
        return replace(self, last=Snapshot(cells, looked), others=others)
