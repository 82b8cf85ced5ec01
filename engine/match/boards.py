"""The boards that a table plays on (OTH-01, VAR-04, VAR-06, VAR-07).

The law: a board string says by its length which board it is, so whoever has the cells needs nothing else. Larger and
smaller boards are Othello in everything; only the squares, and with them the totals of a card, are others.
"""

from __future__ import annotations

from functools import cache

from engine.board.color import Color
from engine.board.position import Position
from engine.board.variants import VARIANTS

USUAL = "8x8"
BOARDS = (USUAL, "6x6", "10x10", "88")
#: squares of each, which no two share
SQUARES_OF = {name: VARIANTS[name].geometry.size for name in BOARDS}
_BOARD_OF = {squares: name for name, squares in SQUARES_OF.items()}
START_BOARD = Position.start().cells()  # OTH-03
_CORNERS = (0, 63, 7, 56)  # OTH-HC-1: a1, h8, h1, a8


def position_of(cells: str, to_move: Color) -> Position:
    """:raises engine.board.errors.BadBoard: if no board has so many squares, or a cell is none."""
    return Position.from_cells(cells, to_move, _BOARD_OF.get(len(cells), USUAL))


@cache
def columns_of(squares: int) -> int:
    return VARIANTS[_BOARD_OF.get(squares, USUAL)].geometry.columns


@cache
def names_of(squares: int) -> tuple[str, ...]:
    """The names of a board's squares, in the order of its cells."""
    geometry = VARIANTS[_BOARD_OF.get(squares, USUAL)].geometry
    return geometry.names(geometry.playable)


def usual_start(board: str, handicap: int) -> str:
    """The start position, with Black's discs in so many corners."""
    cells = list(Position.start(board).cells())
    for corner in _CORNERS[:handicap]:
        cells[corner] = "X"
    return "".join(cells)
