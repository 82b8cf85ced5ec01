"""Reading history of a board: the appearance of its squares at the last reading and when a person confirmed them. Pure.

- Only appearances are stored, no rules of the game.
- If a square's image is unchanged, its last reading is kept.
- If it is merely similar, its last reading must also be likely by its image now, otherwise it is ``?`` or another kind
  that is certain.
- If it differs, it is read anew, and is ``?`` unless that is sure.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from io import BytesIO
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from hardware.camera.camera_projection import Array
from hardware.camera.compare_squares_with_each_other import (
    APART,
    FEWEST,
    confirmed_and_contradicted,
    distances_to_kinds,
)
from hardware.camera.square_neural_network import FOREIGN, KINDS
from hardware.errors import HardwareError, say

Patches = NDArray[np.float32]
#: difference (variance) between two images of an unchanged square due to camera noise, for each square
Noise = NDArray[np.float32]
QUIET: Noise = np.zeros(64, np.float32)
UNKNOWN = "?"
_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
#: squares are alike if they differ by less, sample by sample and on the whole (brightness or a hue; squares on which a
#: disc was placed or turned, on the tables of ``APART``, by 0.198 at least)
ALIKE = APART, 0.1
#: a square is unchanged if it differs by less than this. On thirteen drawn tables a square with a placed or turned disc
#: differed by at least 0.06 and 0.043 from its last state (a white disc in a lamp's reflection), half of the others by
#: 0.03
UNCHANGED = 0.04, 0.05
#: multiple of the noise's variance that is added to the limits of a difference, in the samples and on the whole, where
#: most of it averages out. On a drawn table in a dim room every square differed from its last state by 0.078 (its
#: noise: 0.078), those with a placed or turned disc by 0.44 at least.
EXPLAINED = 1.5, 0.25
#: with these odds of another kind the last reading is not kept: for a square that is merely alike (a dark disc on dark
#: cloth, a white one in a lamp's reflection: 0.014 to 0.14), for one unchanged after the last reading, and for one
#: unchanged after a person confirmed it
OTHERWISE = 0.01, 0.03, 0.3
#: the same odds if this board's other squares confirm the last reading (``likeness.py``). On a drawn table with a
#: lamp's reflection the discs that looked as the square had before were five to twelve times nearer to its present
#: kind.
AGREED_OTHERWISE = 0.1, 0.3, 0.9
#: the same odds for a square that is unchanged sample by sample after a person confirmed it, without allowance for
#: noise: a lamp reflected in empty cloth looks white and stays. On eighteen drawn tables that were hard to read,
#: squares with a placed or turned disc differed by 0.14 at least.
STAYED_OTHERWISE = 0.9
#: probability from which a square that is merely alike counts as another kind
CERTAIN = 0.98
#: a square unchanged apart from noise keeps its last reading if that has the first probability and no other kind has
#: the second. On the same tables 232 of 2069 doubts were such, one of them wrongly: a square that had been read wrongly
#: before. Without the comparison of images it would be twice as many, with wrong accusations: a turned disc under a
#: lamp was read as its old colour at 0.78, and as its new one at 0.18.
AS_BEFORE, NO_OTHER = 0.75, 0.1
#: the most squares that change between two readings (a move turns eighteen discs at most), and the most discs removed
MOST_CHANGED, MOST_GONE = 20, 1


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Cells with images. ``cells``: 64 of X O - ?; ``patches``: the image of each square at that reading
    (``square_features.patch_centres``)."""

    cells: str
    patches: Patches

    def __post_init__(self) -> None:
        if len(self.cells) != len(self.patches):
            raise ValueError(f"{len(self.cells)} cells, but {len(self.patches)} patches")

    def alike(self, now: Patches, most: tuple[float, float] = ALIKE, noise: Noise = QUIET) -> NDArray[np.bool_]:
        """Return which squares look as before, each relative to its own cloth."""
        if now.shape != self.patches.shape:
            return np.zeros(len(now), np.bool_)
        away = now - self.patches
        by_sample = (away**2).mean(axis=(1, 2))
        on_the_whole = (away.mean(axis=1) ** 2).max(axis=1)
        samples, whole = (bound**2 + share * noise for bound, share in zip(most, EXPLAINED, strict=True))
        return np.asarray((by_sample < samples) & (on_the_whole < whole))


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

    def read(self, odds: NDArray[np.float32], patches: Patches, sure: float, noise: Noise = QUIET) -> str:
        """Return the cell of each square. ``odds``: 64 × kinds; ``sure``: the confidence required without a known
        reading."""
        unchanged, alike = self._was(patches, UNCHANGED, noise), self._was(patches, ALIKE)
        said, stayed = self._as_said(patches, noise)
        likely_as_last = self._likely_as_last(odds, patches, noise)
        best = odds.argmax(axis=1)
        was = [one or other for one, other in zip(unchanged, alike, strict=True)]
        agreed = self._agreed(patches, np.array([_NUMBERS[min(kinds)] if kinds else 0 for kinds in was]))
        cells = []
        for at, kind in enumerate(KINDS[number] for number in best):
            likely = float(odds[at].max())
            if likely_as_last[at]:
                cells.append(kind)
                continue
            if not was[at] or (likely >= CERTAIN and kind not in {*was[at], UNKNOWN} and not unchanged[at]):
                cells.append(kind if likely >= sure else UNKNOWN)
                continue
            another = max(float(odds[at, _NUMBERS[other]]) for other in set(KINDS) - was[at] - {UNKNOWN})
            bars = AGREED_OTHERWISE if agreed[at] else OTHERWISE
            bar = STAYED_OTHERWISE if stayed[at] else bars[0 if not unchanged[at] else 2 if said[at] else 1]
            cells.append(min(was[at]) if len(was[at]) == 1 and another < bar else UNKNOWN)
        return "".join(cells)

    def _likely_as_last(self, odds: NDArray[np.float32], patches: Patches, noise: Noise) -> NDArray[np.bool_]:
        """Return which squares are unchanged apart from noise and likely keep their last reading."""
        if self.last is None:
            return np.zeros(64, np.bool_)
        kinds = np.array([_NUMBERS[cell] for cell in self.last.cells])
        other = np.where(kinds[:, None] == np.arange(FOREIGN), 0, odds[:, :FOREIGN]).max(axis=1)
        likely = (odds[np.arange(64), kinds] >= AS_BEFORE) & (other < NO_OTHER)
        return np.asarray(likely & self.last.alike(patches, ALIKE, noise))

    def _as_said(self, patches: Patches, noise: Noise) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the squares that are unchanged after a person confirmed them, and those unchanged sample by sample
        without allowance for noise."""
        if self.learnt is None:
            return np.zeros(64, np.bool_), np.zeros(64, np.bool_)
        steps = [look.alike(patches, UNCHANGED) for look in (self.learnt, self.last) if look is not None]
        return self.learnt.alike(patches, UNCHANGED, noise), np.any(steps, axis=0) & ~self.others

    def _was(self, patches: Patches, most: tuple[float, float], noise: Noise = QUIET) -> list[set[str]]:
        """Return the known kinds of each square with the same image."""
        was: list[set[str]] = [set() for _ in patches]
        for snapshot in (self.learnt, self.last):
            if snapshot is not None:
                for at in np.flatnonzero(snapshot.alike(patches, most, noise)).tolist():
                    was[at] |= {snapshot.cells[at]} - {UNKNOWN}
        return was

    def _agreed(self, patches: Patches, kinds: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which squares the others confirm to be of these ``kinds``, by the last readings or, for a kind with
        few squares, by the confirmed ones. Nothing is confirmed until every kind has been seen."""
        looks = [one for one in (self.last, self.learnt) if one is not None and one.patches.shape == patches.shape]
        known, said, squares = [], [], []
        for kind, name in enumerate(KINDS.replace(UNKNOWN, "")):
            there = [[at for at, cell in enumerate(look.cells) if cell == name] for look in looks]
            enough = next((number for number, ats in enumerate(there) if len(ats) > FEWEST), None)
            if enough is None:
                return np.zeros(len(patches), np.bool_)
            known.append(looks[enough].patches[there[enough]])
            said += [kind] * len(there[enough])
            squares += there[enough]
        return confirmed_and_contradicted(
            distances_to_kinds(patches, np.concatenate(known), np.array(said), np.array(squares)), kinds
        )[0]

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
