"""What a watched board showed last, and what it showed when a person said what lay there. Pure.

The law: no rule of the game is remembered, only looks. A square that looks as it did is what it was; one that looks as
it did and may be something else is ``?``; one that looks different is read anew, and ``?`` unless that is sure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import BytesIO
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from hardware.camera.geometry import Array
from hardware.camera.network import KINDS
from hardware.errors import HardwareError, say

Patches = NDArray[np.float32]
UNKNOWN = "?"
#: squares are alike whose looks differ by less, sample by sample (root of the mean square) and on the whole (brightness
#: or a hue). On four drawn tables with glare, squares on which a disc was laid or turned differed by 0.16 and 0.198 at
#: least: a black disc in the same lamp's spot as the empty square before it.
ALIKE, ON_THE_WHOLE = 0.13, 0.1
#: with such odds of another kind a square is not what it was only because it looks so: a dark disc on dark cloth, a
#: white one in a lamp's spot (0.04 to 0.14 on a drawn table where 0.15 accused somebody)
OTHERWISE = 0.03


@dataclass(frozen=True, slots=True)
class Snapshot:
    """``cells``: 64 of X O - ?; ``patches``: how each square looked when it was that (``patches.middles``)."""

    cells: str
    patches: Patches

    def __post_init__(self) -> None:
        if len(self.cells) != len(self.patches):
            raise ValueError(f"{len(self.cells)} cells, but {len(self.patches)} patches")

    def alike(self, now: Patches) -> NDArray[np.bool_]:
        """Which squares look as they did, each against its own cloth."""
        if now.shape != self.patches.shape:
            return np.zeros(len(now), np.bool_)
        away = now - self.patches
        by_sample = np.sqrt((away**2).mean(axis=(1, 2)))
        on_the_whole = np.abs(away.mean(axis=1)).max(axis=1)
        return np.asarray((by_sample < ALIKE) & (on_the_whole < ON_THE_WHOLE))


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a table learns when its camera is set up: ``quarter``, the corner of the picture that begins the first row,
    the board that a person confirmed, and ``corners`` (4×2 pixels, the first row's first) if he had to mark them."""

    quarter: int
    board: Snapshot
    corners: Array | None = None

    def pack(self) -> bytes:
        """As ``unpack`` takes it."""
        out = BytesIO()
        corners = np.empty((0, 2)) if self.corners is None else self.corners
        np.savez(
            out, quarter=self.quarter, cells=np.array(self.board.cells), patches=self.board.patches, corners=corners
        )
        return out.getvalue()

    @classmethod
    def unpack(cls, packed: bytes, name: str) -> Lesson:
        """:raises HardwareError: the file ``name`` is damaged."""
        try:
            with np.load(BytesIO(packed), allow_pickle=False) as held:
                board = Snapshot(str(held["cells"]), np.asarray(held["patches"], np.float32))
                corners = held.get("corners", ())  # a file of an earlier version has none
                marked = np.asarray(corners, np.float64).reshape(4, 2) if len(corners) else None
                return cls(int(held["quarter"]) % 4, board, marked)
        except (ValueError, KeyError, OSError, EOFError, TypeError, BadZipFile):
            raise HardwareError(say("{file} is damaged; set the camera up again", file=name)) from None


@dataclass(frozen=True, slots=True)
class Memory:
    """``learnt``: what a person said; it stays. ``last``: every square as it was known last."""

    learnt: Snapshot | None = None
    last: Snapshot | None = None

    def read(self, odds: NDArray[np.float32], patches: Patches, sure: float) -> str:
        """What lies on each square: ``odds`` 64 × kinds, ``sure`` the confidence that one which is not remembered
        needs."""
        best = odds.argmax(axis=1)
        likeliest = [KINDS[kind] for kind in best]
        cells = [kind if odds[at, best[at]] >= sure else UNKNOWN for at, kind in enumerate(likeliest)]
        was: list[set[str]] = [set() for _ in cells]
        for snapshot in (self.learnt, self.last):
            if snapshot is not None:
                for at in np.flatnonzero(snapshot.alike(patches)).tolist():
                    was[at] |= {snapshot.cells[at]} - {UNKNOWN}
        for at, kinds in enumerate(was):
            if kinds:
                others = set(KINDS) - kinds - {UNKNOWN}
                another = max(float(odds[at, KINDS.index(kind)]) for kind in others)
                cells[at] = kinds.pop() if len(kinds) == 1 and another < OTHERWISE else UNKNOWN
        return "".join(cells)

    def seen(self, cells: str, patches: Patches) -> Memory:
        """With these cells; of those that are not known what was known last."""
        if self.last is None or self.last.patches.shape != patches.shape:
            return replace(self, last=Snapshot(cells, patches))
        known = np.array([cell != UNKNOWN for cell in cells])
        kept = "".join(new if new != UNKNOWN else old for new, old in zip(cells, self.last.cells, strict=True))
        return replace(self, last=Snapshot(kept, np.where(known[:, None, None], patches, self.last.patches)))
