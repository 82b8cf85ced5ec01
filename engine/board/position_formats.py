"""Board strings as other programs write them: the cells row by row, then the side to move.

``X``, ``*``, ``B`` and ``0`` are black, ``O``, ``W`` and ``1`` white, ``-`` and ``.`` empty, in upper or lower case;
spaces and line ends are ignored. Egaroucid, Edax and NBoard read what ``format_board`` writes.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.board.errors import BadRecord
from engine.board.position import Position
from engine.board.transcript import byte_at
from engine.translatable_text import say

_SIGNS = {**dict.fromkeys("XxBb*0●", "X"), **dict.fromkeys("OoWw1○", "O"), **dict.fromkeys("-.", "-")}


def parse_board(text: str, variant: str = "8x8") -> Position:
    """Return the position of a board string with its side to move.

    :raises BadRecord: with the byte, at an invalid character; or if there are too many or too few cells.
    :raises UnknownVariant: if there is no such variant.
    """
    size = Position.start(variant).geometry.size
    cells = ""
    for at, sign in enumerate(text):
        if sign.isspace():
            continue
        if sign not in _SIGNS:
            raise BadRecord(
                say("{sign} is not a cell; a cell is X (black), O (white) or - (empty)", sign=repr(sign)),
                byte=byte_at(text, at),
            )
        cells += _SIGNS[sign]
        if len(cells) > size + 1:
            reason = say("there is extra text after the {size} cells and the side to move", size=size)
            raise BadRecord(reason, byte=byte_at(text, at))
    if len(cells) <= size:
        reason = say(
            "it ends after {n} characters; a board has {size} cells and then the side to move", n=len(cells), size=size
        )
        raise BadRecord(reason, byte=byte_at(text, len(text)))
    if cells[size] == "-":
        last = len(text.rstrip()) - 1
        raise BadRecord(say("the side to move is neither X nor O"), byte=byte_at(text, last))
    return Position.from_cells(cells[:size], Color.BLACK if cells[size] == "X" else Color.WHITE, variant)


def format_board(position: Position, *, rows: bool = False) -> str:
    """Return the board string, a space and the side to move; with ``rows`` one row per line (a diagram that
    ``parse_board`` reads too)."""
    cells, width = position.cells(), position.geometry.columns
    if rows and len(cells) == width * position.geometry.rows:
        cells = "\n".join(cells[row : row + width] for row in range(0, len(cells), width))
    return f"{cells}{chr(10) if rows else ' '}{position.to_move.symbol}"
