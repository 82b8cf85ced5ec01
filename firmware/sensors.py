"""Conversion of sensor levels to cells, by levels calibrated on the board itself. Pure; MicroPython and CPython.

- A level is one sensor's value, 0 to 65535, over an empty square, a disc with one face up, and with the other. Any
  quantity works: a magnet's pole from below, or reflected light.
- A square has the face with the clearly nearest level, else ``?``: half way between two levels, or beyond all of them
  as with a broken wire.
- A square whose levels cannot be distinguished is always ``?``, and the table names it.
"""

FACES = "-XO"  # in calibration order
SAMPLES = 32
UNCLEAR = "?"
#: Levels closer than this, or than four times the noise of a resting sensor, cannot be distinguished.
LEAST_GAP = 1500


def read_cells(values: list[int], levels: list[list[int]]) -> str:
    """Return one character per square. ``levels[face][square]``; fewer than three faces calibrated: all ``?``."""
    if len(levels) < len(FACES):
        return UNCLEAR * len(values)
    return "".join([_cell(value, [face[square] for face in levels]) for square, value in enumerate(values)])


def _cell(value: int, levels: list[int]) -> str:
    first, second, third = sorted(levels)
    if first < 0 or min(second - first, third - second) < LEAST_GAP:
        return UNCLEAR
    nearest = sorted([(abs(value - level), face) for face, level in enumerate(levels)])[0][1]
    gap = min([abs(level - levels[nearest]) for face, level in enumerate(levels) if face != nearest])
    return FACES[nearest] if 3 * abs(value - levels[nearest]) < gap else UNCLEAR


class Calibration:
    """Measurement of the three levels, one after another: an empty board, 64 discs with X up, 64 with O up.

    ``face`` is the one on the board now; ``levels`` are complete when ``done``.
    """

    def __init__(self, squares: int) -> None:
        self.levels: list[list[int]] = []
        self._squares = squares
        self._samples: list[list[int]] = []

    @property
    def face(self) -> int:
        """The current face, 0 to 2; 3 when all are measured."""
        return len(self.levels)

    @property
    def done(self) -> bool:
        """Whether all three are measured."""
        return len(self.levels) == len(FACES)

    def add_sample(self, values: list[int]) -> bool:
        """Process one reading of all squares; return True when this face is measured.

        A square that varies while nothing moves gets the level -1, which is never distinguishable.
        """
        self._samples.append(values)
        if len(self._samples) < SAMPLES:
            return False
        face = []
        for square in range(self._squares):
            ordered = sorted([sample[square] for sample in self._samples])
            unsteady = 4 * (ordered[-2] - ordered[1]) > LEAST_GAP  # one outlier at each end is ignored
            face.append(-1 if unsteady else ordered[len(ordered) // 2])
        self.levels.append(face)
        self._samples = []
        return True
