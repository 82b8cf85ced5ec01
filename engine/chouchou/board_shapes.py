"""The three boards of ChouChou, their cells and lines (CC-BRD-2, CC-CAP-1, CC-CAP-2).

A cell is a number in reading order, seen from the clock's side: row A is the far row, column 1 the left one. Lines
depend on the shape alone; ``engine.chouchou.state_machine`` decides which of them capture.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from engine.chouchou.errors import BadNotation
from engine.i18n import say

#: The cells of a line.
Line = frozenset[int]


class BoardKind(StrEnum):
    """The popular board (3-ro), the same for Junior & Senior, and the umin board (4-ro)."""

    THREE = "3x3"
    JUNIOR_SENIOR = "j&s"
    FOUR = "4x4"


@dataclass(frozen=True, slots=True)
class BoardSpec:
    """Parameters of a board: ``size`` cells per side, at most ``limit`` pieces per cell (CC-PUT-3), ``target`` captures
    win (CC-WIN-1)."""

    size: int
    limit: int
    target: int

    @property
    def cells(self) -> range:
        return range(self.size**2)

    def name(self, cell: int) -> str:
        """Return the cell's name, ``3B``: column number, then row letter (CC-SUP-3)."""
        row, column = divmod(cell, self.size)
        return f"{column + 1}{'ABCD'[row]}"

    def cell(self, name: str) -> int:
        """Return the cell of a name.

        :raises BadNotation: if the board has no such cell.
        """
        for cell in self.cells:
            if self.name(cell) == name:
                return cell
        raise BadNotation(
            say(
                "{name!r} is not a cell of this board; cells run from 1A to {last}",
                name=name,
                last=self.name(self.size**2 - 1),
            )
        )


SHAPES: dict[BoardKind, BoardSpec] = {
    BoardKind.THREE: BoardSpec(3, limit=5, target=10),
    BoardKind.JUNIOR_SENIOR: BoardSpec(3, limit=3, target=10),
    BoardKind.FOUR: BoardSpec(4, limit=5, target=15),
}


@cache
def lines(size: int) -> tuple[Line, ...]:
    """Return all straight runs of three or more adjacent cells: 8 on 3x3; on 4x4 24 of three and 10 of four."""
    found = []
    for cell in range(size * size):
        row, column = divmod(cell, size)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            for length in range(3, size + 1):
                last_row, last_column = row + down * (length - 1), column + right * (length - 1)
                if last_row < size and 0 <= last_column < size:
                    found.append(frozenset(cell + step * (down * size + right) for step in range(length)))
    return tuple(found)
