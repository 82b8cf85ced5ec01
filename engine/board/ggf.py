"""GGF, the Generic Game Format of Othello servers: ``(;GM[Othello]…BO[8 … *]B[F5//1.2]W[D6]…;)``.

The law: only what a replay needs is read: board and side to move (BO), moves with their colour (B, W), result (RE)
where it is the outcome on the board. Everything else is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.board.color import Color
from engine.board.errors import BadBoard, BadRecord
from engine.board.position import Position
from engine.board.transcript import parse_transcript

_GAME = re.compile(r"\(;(?P<properties>.*?)(?P<end>;\)|\Z)", re.DOTALL)
_PROPERTY = re.compile(r"\s*([A-Z]+)\[([^\]]*)\]\s*")
_SCORE = re.compile(r"[+-]?[0-9]+(\.0*)?")
_VARIANTS = {"4": "4x4", "6": "6x6", "8": "8x8", "10": "10x10"}
_CELLS = str.maketrans("*", "X")
_COLORS = {"*": Color.BLACK, "O": Color.WHITE, "B": Color.BLACK, "W": Color.WHITE}


@dataclass(frozen=True, slots=True)
class GgfGame:
    """A game. A colour that moves twice in a row has a pass (None) between; ``difference`` is Black's discs less
    White's, None where the result is open or was not reached on the board."""

    start: Position
    moves: tuple[str | None, ...]
    difference: int | None


def read_ggf(text: str) -> Iterator[GgfGame]:
    """The games of a GGF file, in order; text between games is passed over.

    :raises BadRecord: if a game, or the whole file, cannot be read.
    """
    number = 0
    for number, game in enumerate(_GAME.finditer(text), start=1):
        try:
            if not game["end"]:
                raise BadRecord("is not closed by ';)'")
            yield _game(game["properties"])
        except (BadRecord, BadBoard) as error:
            raise BadRecord(f"game {number}: {error}") from None
    if not number:
        raise BadRecord("there is no GGF game '(;…;)' in it")


def _game(text: str) -> GgfGame:
    start: Position | None = None
    moves: list[str | None] = []
    result = kind = ""
    mover = Color.BLACK
    at = 0
    while at < len(text):
        found = _PROPERTY.match(text, at)
        if found is None:
            raise BadRecord(f"character {at + 1}: {text[at : at + 12]!r} is not a property such as B[F5]")
        name, value = found.groups()
        at = found.end()
        match name:
            case "GM" if value.lower() != "othello":
                raise BadRecord(f"it is a game of {value}")
            case "BO":
                start = _board(value)
                mover = start.to_move
            case "RE":
                result = value
            case "TY":
                kind = value
            case "B" | "W":
                if start is None:
                    raise BadRecord("a move comes before the board (BO)")
                if _COLORS[name] is not mover:
                    moves.append(None)
                placed = parse_transcript(value.split("/")[0], start.geometry)
                if len(placed) != 1:
                    raise BadRecord(f"{name}[{value}] is not one move")
                moves += placed
                mover = _COLORS[name].opponent
    if start is None:
        raise BadRecord("it has no board (BO)")
    # Anti-Othello (a) and komi (k) results are not disc differences; 'r', 't' and 's' results were agreed or forfeited.
    comparable = _SCORE.fullmatch(result) and not set("ak") & set(kind)
    return GgfGame(start, tuple(moves), int(float(result)) if comparable else None)


def _board(value: str) -> Position:
    fields = value.split()
    if len(fields) < 3 or fields[0] not in _VARIANTS or fields[-1] not in _COLORS:
        raise BadRecord(f"BO[{value}] is not a size ({', '.join(_VARIANTS)}), the cells and the side to move (* or O)")
    size, *cells, color = fields
    return Position.from_cells("".join(cells).translate(_CELLS), _COLORS[color], _VARIANTS[size])
