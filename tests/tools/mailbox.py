"""A second Othello, as plain as can be, to hold the engine against. It shares no code with it: squares are (column,
row) pairs in a dict, lines are walked one step at a time."""

from __future__ import annotations

from dataclasses import dataclass

DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
OTHER = {"X": "O", "O": "X"}


@dataclass
class Mailbox:
    cells: dict[tuple[int, int], str]
    mover: str

    @classmethod
    def from_rows(cls, rows: list[str], mover: str) -> Mailbox:
        """Rows of X, O, - and # (no square)."""
        return cls({(x, y): c for y, row in enumerate(rows) for x, c in enumerate(row) if c != "#"}, mover)

    @classmethod
    def from_cells(cls, cells: str, mover: str) -> Mailbox:
        """An 8x8 board string."""
        return cls.from_rows([cells[i : i + 8] for i in range(0, 64, 8)], mover)

    def flips(self, at: tuple[int, int], mover: str) -> set[tuple[int, int]]:
        if self.cells.get(at) != "-":
            return set()
        turned = set()
        for dx, dy in DIRECTIONS:
            line = []
            x, y = at[0] + dx, at[1] + dy
            while self.cells.get((x, y)) == OTHER[mover]:
                line.append((x, y))
                x, y = x + dx, y + dy
            if self.cells.get((x, y)) == mover:
                turned.update(line)
        return turned

    def legal(self, mover: str | None = None) -> set[str]:
        return {name(at) for at in self.cells if self.flips(at, mover or self.mover)}

    def play(self, square: str) -> None:
        at = (ord(square[0]) - ord("a"), int(square[1:]) - 1)
        for turned in self.flips(at, self.mover):
            self.cells[turned] = self.mover
        self.cells[at] = self.mover
        self.mover = OTHER[self.mover]

    def pass_turn(self) -> None:
        self.mover = OTHER[self.mover]

    def text(self) -> str:
        return "".join(self.cells[at] for at in sorted(self.cells, key=lambda at: (at[1], at[0])))


def name(at: tuple[int, int]) -> str:
    return f"{chr(ord('a') + at[0])}{at[1] + 1}"
