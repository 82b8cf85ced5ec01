"""Board variants that a table can play on (OTH-01, VAR-04, VAR-06, VAR-07).

The length of a board string identifies its board, and no two boards share a length. Larger and smaller boards follow
the rules of Othello; only the squares, and so the totals on a card, differ.
"""

from __future__ import annotations

from functools import cache

from engine.board.color import Color
from engine.board.position import Position
from engine.board.variants import VARIANTS

USUAL = "8x8"
BOARDS = (USUAL, "6x6", "10x10", "88")
#: number of squares of each board; no two are equal
SQUARES_OF = {name: VARIANTS[name].geometry.size for name in BOARDS}
_BOARD_OF = {squares: name for name, squares in SQUARES_OF.items()}
START_BOARD = Position.start().cells()  # OTH-03
_CORNERS = (0, 63, 7, 56)  # OTH-HC-1: a1, h8, h1, a8


def position_of(cells: str, to_move: Color) -> Position:
    """Return the position of ``cells`` with ``to_move`` to move.

    :raises engine.board.errors.BadBoard: no board has so many squares, or a cell has an invalid value.
    """
    return Position.from_cells(cells, to_move, _BOARD_OF.get(len(cells), USUAL))


@cache
def columns_of(squares: int) -> int:
    return VARIANTS[_BOARD_OF.get(squares, USUAL)].geometry.columns


@cache
def square_names(squares: int) -> tuple[str, ...]:
    """Return the names of a board's squares, in the order of its cells."""
    geometry = VARIANTS[_BOARD_OF.get(squares, USUAL)].geometry
    return geometry.names(geometry.playable)


def initial_board(board: str, handicap: int) -> str:
    """Return the start position, with Black's discs in ``handicap`` corners."""
    cells = list(Position.start(board).cells())
    for corner in _CORNERS[:handicap]:
        cells[corner] = "X"
    return "".join(cells)
