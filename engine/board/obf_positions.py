"""Reader and writer of OBF, files of positions with the scores of their moves: ``--XX…-- X; G8:+18; H1:+12; % a
comment``.

A line is a position: 64 cells, the side to move, then moves with their scores from that side's view. Empty lines and
comment lines (``%``) are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.board.color import Color
from engine.board.errors import BadRecord
from engine.board.position import Position
from engine.board.transcript import byte_at, parse_transcript
from engine.board.variants import STANDARD
from engine.i18n import say

# Board strings as other programs write them: the cells row by row, then the side to move.
#
# ``X``, ``*``, ``B`` and ``0`` are black, ``O``, ``W`` and ``1`` white, ``-`` and ``.`` empty, in upper or lower case;
# spaces and line ends are ignored. Egaroucid, Edax and NBoard read what ``format_board`` writes.

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
            reason = say("{sign} is not a cell; a cell is X (black), O (white) or - (empty)", sign=repr(sign))
            raise BadRecord(reason, byte=byte_at(text, at))
        cells += _SIGNS[sign]
        if len(cells) > size + 1:
            reason = say("there is extra text after the {size} cells and the side to move", size=size)
            raise BadRecord(reason, byte=byte_at(text, at))
    if len(cells) <= size:
        reason = say("it ends after {n} characters; a board has {size} cells and then the side to move")
        raise BadRecord(reason(n=len(cells), size=size), byte=byte_at(text, len(text)))
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


_SCORE = re.compile(r"[+-]?[0-9]{1,3}")
_PASS = "PS"


@dataclass(frozen=True, slots=True)
class ObfPosition:
    """A position and the scores of its moves: (move, None for a pass; discs by which the side to move wins)."""

    position: Position
    scores: tuple[tuple[str | None, int], ...] = ()
    comment: str = ""


def read_obf(text: str) -> Iterator[ObfPosition]:
    """Yield the positions of an OBF file, in order.

    :raises BadRecord: with the line and the byte of the file.
    """
    begin = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line.partition("%")[0].strip():
            try:
                yield _position(line.rstrip("\r"))
            except BadRecord as error:
                raise error.within(record=number, start=byte_at(text, begin)) from None
        begin += len(line) + 1


def _position(line: str) -> ObfPosition:
    body, _, comment = line.partition("%")
    board, *fields = body.split(";")
    position = parse_board(board)
    scores = []
    at = len(board) + 1
    for field in fields:
        if field.strip():
            scores.append(_score(field, position, byte_at(line, at)))
        at += len(field) + 1
    return ObfPosition(position, tuple(scores), comment.strip())


def _score(field: str, position: Position, byte: int) -> tuple[str | None, int]:
    move, colon, score = field.partition(":")
    if not colon or _SCORE.fullmatch(score.strip()) is None:
        reason = say("{field} is not a move and its score, such as G8:+18", field=repr(field.strip()))
        raise BadRecord(reason, byte=byte)
    try:
        moves = parse_transcript(move.strip(), position.geometry)
    except BadRecord as error:
        raise error.within(start=byte + byte_at(field, len(field) - len(field.lstrip()))) from None
    if len(moves) != 1:
        raise BadRecord(say("{move} is not one move", move=repr(move.strip())), byte=byte)
    return moves[0], int(score.strip())


def write_obf(positions: Iterable[ObfPosition]) -> str:
    """Return the text of an OBF file.

    :raises BadRecord: with the record, if a position does not fit into the format.
    """
    lines = []
    for number, entry in enumerate(positions, start=1):
        if entry.position.geometry != STANDARD.geometry:
            raise BadRecord(say("OBF has boards of 8x8 only"), record=number)
        if len(entry.comment.splitlines()) > 1 or entry.comment != entry.comment.strip():
            raise BadRecord(say("a comment is one line, without spaces around it"), record=number)
        scores = "".join(f" {(move or _PASS).upper()}:{score:+};" for move, score in entry.scores)
        comment = f" % {entry.comment}" if entry.comment else ""
        lines.append(f"{format_board(entry.position)};{scores}{comment}\n")
    return "".join(lines)
