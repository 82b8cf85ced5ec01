"""What a watched board showed last, and what it showed when a person said what lay there. Pure.

The law: no rule of the game is remembered, only looks. A square on which nothing has changed is what it was; one that
is merely like what it was must be likely so by its looks now too, or is ``?``, or something else that is certain; one
that looks different is read anew, and ``?`` unless that is sure.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from io import BytesIO
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from hardware.camera.geometry import Array
from hardware.camera.likeness import APART, FEWEST, away, witnessed
from hardware.camera.network import FOREIGN, KINDS
from hardware.errors import HardwareError, say

Patches = NDArray[np.float32]
#: how far (variance) two looks at what has not changed differ by the camera's noise, for each square
Noise = NDArray[np.float32]
QUIET: Noise = np.zeros(64, np.float32)
UNKNOWN = "?"
_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
#: squares are alike whose looks differ by less, sample by sample and on the whole (brightness or a hue; squares on
#: which a disc was laid or turned, on the tables of ``APART``, by 0.198 at least)
ALIKE = APART, 0.1
#: nothing has changed on one that differs by less than this. On thirteen drawn tables a square that was laid or turned
#: differed by 0.06 and 0.043 at least from what it had been (a white disc in a lamp's spot), half of the others by 0.03
UNCHANGED = 0.04, 0.05
#: what a camera's own noise explains of a difference is none: so much of the noise's variance in the samples, and so
#: much of it on the whole, where most of it goes out. On a drawn table in a dim room every square differed from what it
#: had been by 0.078 (its noise: 0.078), those that were laid or turned by 0.44 at least.
EXPLAINED = 1.5, 0.25
#: with such odds of another kind a square is not what it was only because it looks so: where it is merely alike (a dark
#: disc on dark cloth, a white one in a lamp's spot: 0.014 to 0.14), where nothing has changed since it was read, and
#: since a person said it
OTHERWISE = 0.01, 0.03, 0.3
#: the same where this board's other squares say what it was (``likeness.py``). On a drawn table with a lamp's spot the
#: discs that looked as the square had before were five to twelve times nearer to what they were now.
AGREED_OTHERWISE = 0.1, 0.3, 0.9
#: the same where nothing has changed, step by step, since a person said it, and no noise has to explain that: a lamp
#: mirrored in empty cloth looks white and stays. On eighteen drawn tables that were hard to read, squares that were
#: laid or turned differed by 0.14 at least.
STAYED_OTHERWISE = 0.9
#: what is merely alike is another if it is so likely
CERTAIN = 0.98
#: what looks as it did, but for the noise, is what it was last if that is so likely and no other kind this much. On the
#: same tables 232 of 2069 doubts were such, one of them wrongly: a square that had been read wrongly before. However it
#: looks would be twice as many, and accused somebody: a turned disc under a lamp was read as what it was at 0.78, and
#: its other side at 0.18.
AS_BEFORE, NO_OTHER = 0.75, 0.1
#: hands change no more squares between two looks (a move turns eighteen discs at most), and take no more discs away
MOST_CHANGED, MOST_GONE = 20, 1


@dataclass(frozen=True, slots=True)
class Snapshot:
    """``cells``: 64 of X O - ?; ``patches``: how each square looked when it was that (``patches.middles``)."""

    cells: str
    patches: Patches

    def __post_init__(self) -> None:
        if len(self.cells) != len(self.patches):
            raise ValueError(f"{len(self.cells)} cells, but {len(self.patches)} patches")

    def alike(self, now: Patches, most: tuple[float, float] = ALIKE, noise: Noise = QUIET) -> NDArray[np.bool_]:
        """Which squares look as they did, each against its own cloth."""
        if now.shape != self.patches.shape:
            return np.zeros(len(now), np.bool_)
        away = now - self.patches
        by_sample = (away**2).mean(axis=(1, 2))
        on_the_whole = (away.mean(axis=1) ** 2).max(axis=1)
        samples, whole = (bound**2 + share * noise for bound, share in zip(most, EXPLAINED, strict=True))
        return np.asarray((by_sample < samples) & (on_the_whole < whole))


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
    """``learnt``: what a person said; it stays. ``last``: every square as it was known last. ``others``: which squares
    have been known to be something else than a person said, and have not looked since as they did then."""

    learnt: Snapshot | None = None
    last: Snapshot | None = None
    others: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(64, np.bool_))

    def read(self, odds: NDArray[np.float32], patches: Patches, sure: float, noise: Noise = QUIET) -> str:
        """What lies on each square: ``odds`` 64 × kinds, ``sure`` the confidence that one which is not remembered
        needs."""
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
        """Which squares look as they did, but for the noise, and are likely what they were last."""
        if self.last is None:
            return np.zeros(64, np.bool_)
        kinds = np.array([_NUMBERS[cell] for cell in self.last.cells])
        other = np.where(kinds[:, None] == np.arange(FOREIGN), 0, odds[:, :FOREIGN]).max(axis=1)
        likely = (odds[np.arange(64), kinds] >= AS_BEFORE) & (other < NO_OTHER)
        return np.asarray(likely & self.last.alike(patches, ALIKE, noise))

    def _as_said(self, patches: Patches, noise: Noise) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """On which squares nothing has changed since a person said what they were; on which not even noise, step by
        step."""
        if self.learnt is None:
            return np.zeros(64, np.bool_), np.zeros(64, np.bool_)
        steps = [look.alike(patches, UNCHANGED) for look in (self.learnt, self.last) if look is not None]
        return self.learnt.alike(patches, UNCHANGED, noise), np.any(steps, axis=0) & ~self.others

    def _was(self, patches: Patches, most: tuple[float, float], noise: Noise = QUIET) -> list[set[str]]:
        """What each square was when it looked so."""
        was: list[set[str]] = [set() for _ in patches]
        for snapshot in (self.learnt, self.last):
            if snapshot is not None:
                for at in np.flatnonzero(snapshot.alike(patches, most, noise)).tolist():
                    was[at] |= {snapshot.cells[at]} - {UNKNOWN}
        return was

    def _agreed(self, patches: Patches, kinds: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which squares the others say to be of these ``kinds``, as they were known last or, of a kind of which few lay
        there, as they were learnt. Nobody says anything as long as a kind has not been seen."""
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
        return witnessed(away(patches, np.concatenate(known), np.array(said), np.array(squares)), kinds)[0]

    def is_covered(self, cells: str) -> bool:
        """Whether so much is said to have changed since it was known that something lies over the board which is taken
        for squares: a sleeve of the cloth's colour."""
        if self.last is None:
            return False
        known = [two for two in zip(self.last.cells, cells, strict=True) if UNKNOWN not in two]
        changed = [two for two in known if two[0] != two[1]]
        return len(changed) > MOST_CHANGED or sum(now == "-" for _, now in changed) > MOST_GONE

    def seen(self, cells: str, patches: Patches) -> Memory:
        """With these cells; of those that are not known what was known last."""
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
