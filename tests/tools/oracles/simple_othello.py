"""A second, simple implementation of Othello, to check the engine against. It shares no code with the engine: squares
are (column, row) pairs in a dict, lines are walked one step at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
OTHER = {"X": "O", "O": "X"}


@dataclass
class Mailbox:
    cells: dict[tuple[int, int], str]
    mover: str
    #: VAR-15: place, turn and flank with discs of the mover ("own") or of the other side ("enemy")
    triple: tuple[str, str, str] = ("own", "enemy", "own")
    #: VAR-01: squares of the first plies
    opening: tuple[tuple[int, int], ...] = ()
    #: VAR-01: discs left to each side
    left: dict[str, int] = field(default_factory=lambda: {"X": 999, "O": 999})
    #: VAR-08b: a side that cannot flip anything, while the other side cannot either, places anywhere
    free: bool = False

    @classmethod
    def from_rows(cls, rows: list[str], mover: str) -> Mailbox:
        """Return a board from rows of X, O, - and # (no square)."""
        return cls({(x, y): c for y, row in enumerate(rows) for x, c in enumerate(row) if c != "#"}, mover)

    @classmethod
    def from_cells(cls, cells: str, mover: str) -> Mailbox:
        """Return a board from an 8x8 board string."""
        return cls.from_rows([cells[i : i + 8] for i in range(0, 64, 8)], mover)

    def flips(self, at: tuple[int, int], mover: str) -> set[tuple[int, int]]:
        if self.cells.get(at) != "-":
            return set()
        _, turn, flank = (mover if whose == "own" else OTHER[mover] for whose in self.triple)
        turned = set()
        for dx, dy in DIRECTIONS:
            line = []
            x, y = at[0] + dx, at[1] + dy
            while (x, y) in self.cells:
                if self.cells[x, y] == flank:
                    turned.update(line)
                if self.cells[x, y] != turn:
                    break
                line.append((x, y))
                x, y = x + dx, y + dy
        return turned

    def legal(self, mover: str | None = None) -> set[str]:
        mover = mover or self.mover
        if self.left[mover] == 0:
            return set()
        if sum(cell != "-" for cell in self.cells.values()) < len(self.opening):
            return {name(at) for at in self.opening if self.cells[at] == "-"}
        moves = {name(at) for at in self.cells if self.flips(at, mover)}
        if self.free and not moves and not any(self.flips(at, OTHER[mover]) for at in self.cells):
            return {name(at) for at, cell in self.cells.items() if cell == "-"}
        return moves

    def play(self, square: str) -> None:
        at = (ord(square[0]) - ord("a"), int(square[1:]) - 1)
        for turned in self.flips(at, self.mover):
            self.cells[turned] = OTHER[self.cells[turned]]
        self.cells[at] = self.mover if self.triple[0] == "own" else OTHER[self.mover]
        self.left[self.mover] -= 1
        self.mover = OTHER[self.mover]

    def pass_turn(self) -> None:
        self.mover = OTHER[self.mover]

    def text(self) -> str:
        return "".join(self.cells[at] for at in sorted(self.cells, key=lambda at: (at[1], at[0])))


def name(at: tuple[int, int]) -> str:
    return f"{chr(ord('a') + at[0])}{at[1] + 1}"
