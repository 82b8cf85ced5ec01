"""From what the sensors measure to cells, by levels that were learned on the board itself.

The law: a square is what it is clearly nearest to, else ``?``: half way between two levels, or beyond all of them as
with a broken wire, nothing is claimed. A square whose levels cannot be told apart is ``?`` for ever, and the table
names it. Pure; MicroPython and CPython.

A level is what one sensor gives, 0 to 65535, over an empty square, a disc with one face up, and with the other. It does
not matter what is measured: a magnet's pole from below, or light thrown back.
"""

FACES = "-XO"  # in the order in which they are learned
SAMPLES = 32
UNCLEAR = "?"
#: Levels nearer than this, or than four times what a resting sensor wanders, cannot be told apart.
LEAST_GAP = 1500


def read_cells(values: list[int], levels: list[list[int]]) -> str:
    """One character a square. ``levels[face][square]``; fewer than three faces learned: all ``?``."""
    if len(levels) < len(FACES):
        return UNCLEAR * len(values)
    return "".join([_cell(value, [face[square] for face in levels]) for square, value in enumerate(values)])


def _cell(value: int, levels: list[int]) -> str:
    first, second, third = sorted(levels)
    if first < 0 or min(second - first, third - second) < LEAST_GAP:
        return UNCLEAR
    near = sorted([(abs(value - level), face) for face, level in enumerate(levels)])[0][1]
    gap = min([abs(level - levels[near]) for face, level in enumerate(levels) if face != near])
    return FACES[near] if 3 * abs(value - levels[near]) < gap else UNCLEAR


class Lesson:
    """Learns the three levels, one after another: an empty board, 64 discs with X up, 64 with O up.

    ``face`` is the one that lies on the board now; ``levels`` are whole when ``done``.
    """

    def __init__(self, squares: int) -> None:
        self.levels: list[list[int]] = []
        self._squares = squares
        self._samples: list[list[int]] = []

    @property
    def face(self) -> int:
        """0 to 2; 3 when all are learned."""
        return len(self.levels)

    @property
    def done(self) -> bool:
        """All three are learned."""
        return len(self.levels) == len(FACES)

    def take(self, values: list[int]) -> bool:
        """One reading of all squares; true when this face has been learned.

        A square that wanders while nothing moves gets the level -1: it can be told from nothing.
        """
        self._samples.append(values)
        if len(self._samples) < SAMPLES:
            return False
        face = []
        for square in range(self._squares):
            seen = sorted([sample[square] for sample in self._samples])
            restless = 4 * (seen[-2] - seen[1]) > LEAST_GAP  # one stray value at each end is forgiven
            face.append(-1 if restless else seen[len(seen) // 2])
        self.levels.append(face)
        self._samples = []
        return True
