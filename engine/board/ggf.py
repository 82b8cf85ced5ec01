"""Reader and writer of GGF, the Generic Game Format of Othello servers: ``(;GM[Othello]…BO[8 … *]B[F5//1.2]W[D6]…;)``.

Only the board and the side to move (BO) and the moves with their colour (B, W) are interpreted. Everything else is kept
as written, in ``tags`` and ``notes``, and written back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.board.color import Color
from engine.board.errors import BadBoard, BadRecord
from engine.board.position import Position
from engine.board.transcript import byte_at, parse_transcript
from engine.board.variants import VARIANTS
from engine.i18n import say, text_of

_PROPERTY = re.compile(r"([A-Z]+)\s*\[([^\]]*)\]")
_SCORE = re.compile(r"[+-]?[0-9]{1,3}(\.0*)?")
_VARIANTS = {"4": "4x4", "6": "6x6", "8": "8x8", "10": "10x10"}
_CELLS = str.maketrans("*", "X")
_COLORS = {"*": Color.BLACK, "O": Color.WHITE, "B": Color.BLACK, "W": Color.WHITE}
_OWN_TAGS = ("GM", "BO", "B", "W")


@dataclass(frozen=True, slots=True)
class GgfGame:
    """One game. A colour that moves twice in a row has a pass (None) between.

    ``tags``: the other properties (PC place, DT date, PB and PW players, RE result, …), in their order. ``notes``: the
    text after each move, ``/-3.00/0.5`` for its evaluation and time, or empty.
    """

    start: Position
    moves: tuple[str | None, ...]
    tags: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    def tag(self, name: str) -> str | None:
        """Return the value of a property, the last one if there are several."""
        return dict(self.tags).get(name)

    @property
    def difference(self) -> int | None:
        """Black's discs less White's; None where the result is open or was not reached on the board.

        Anti-Othello (a) and komi (k) results are not disc differences; 'r', 't' and 's' results were agreed or
        forfeited.
        """
        result = self.tag("RE") or ""
        if not _SCORE.fullmatch(result) or set("ak") & set(self.tag("TY") or ""):
            return None
        difference = int(float(result))
        return difference if abs(difference) <= self.start.geometry.size else None


def read_ggf(text: str) -> Iterator[GgfGame]:
    """Yield the games of a GGF file, in order; text between games is skipped.

    :raises BadRecord: if a game, or the whole file, cannot be read.
    """
    number, at = 0, 0
    while (begin := text.find("(;", at)) >= 0:
        number += 1
        try:
            game, at = _game(text, begin + 2)
        except BadRecord as error:
            raise error.within(record=number) from None
        yield game
    if not number:
        raise BadRecord(say("there is no GGF game '(;…;)' in it"), byte=0)


def _game(text: str, at: int) -> tuple[GgfGame, int]:
    """Return the game whose properties begin at the character ``at``, and where it ends."""
    start: Position | None = None
    moves: list[str | None] = []
    notes: list[str] = []
    tags: list[tuple[str, str]] = []
    mover = Color.BLACK
    while True:
        while text[at : at + 1].isspace():
            at += 1
        if text.startswith(";)", at):
            break
        found = _PROPERTY.match(text, at)
        if found is None:
            other = say("{text} is not a property such as B[F5]", text=repr(text[at : at + 12]))
            raise BadRecord(other if text[at:] else say("is not closed by ';)'"), byte=byte_at(text, at))
        name, value = found.groups()
        try:
            if name == "GM" and value.lower() != "othello":
                raise BadRecord(say("it is a game of {value}", value=value), byte=0)
            if name == "BO":
                if start is not None:
                    raise BadRecord(say("a second board (BO)"), byte=0)
                start = _board(value)
                mover = start.to_move
            elif name in ("B", "W"):
                if start is None:
                    raise BadRecord(say("a move comes before the board (BO)"), byte=0)
                if _COLORS[name] is not mover:
                    moves.append(None)
                    notes.append("")
                move, slash, note = value.partition("/")
                moves.append(_one_move(name, move, start))
                notes.append(slash + note)
                mover = _COLORS[name].opponent
            elif name not in _OWN_TAGS:
                tags.append((name, value))
        except BadRecord as error:
            raise error.within(start=byte_at(text, found.start())) from None
        at = found.end()
    if start is None:
        raise BadRecord(say("it has no board (BO)"), byte=byte_at(text, at))
    return GgfGame(start, tuple(moves), tuple(tags), tuple(notes)), at + 2


def _one_move(name: str, text: str, start: Position) -> str | None:
    try:
        placed = parse_transcript(text, start.geometry)
    except BadRecord as error:
        raise error.within(start=len("B[")) from None
    if len(placed) != 1:
        raise BadRecord(say("{name}[{text}] is not one move", name=name, text=text), byte=0)
    return placed[0]


def _board(value: str) -> Position:
    fields = value.split()
    if len(fields) < 3 or fields[0] not in _VARIANTS or fields[-1] not in ("*", "O"):
        reason = say("BO[{value}] is not a size ({known}), the cells and the side to move (* or O)")
        raise BadRecord(reason(value=value, known=", ".join(_VARIANTS)), byte=0)
    size, *cells, color = fields
    try:
        return Position.from_cells("".join(cells).translate(_CELLS), _COLORS[color], _VARIANTS[size])
    except BadBoard as error:
        raise BadRecord(text_of(error), byte=0) from None


def write_ggf(games: Iterable[GgfGame]) -> str:
    """Return the text of a GGF file, one game per line, as game servers, NBoard, Edax and Egaroucid read it.

    :raises BadRecord: with the record, if a game does not fit into the format.
    """
    return "".join(_ggf_game(game, number) + "\n" for number, game in enumerate(games, start=1))


def can_be_written(start: Position) -> bool:
    """Return whether GGF has games from such a start: the rules of Othello on a square board."""
    name = _VARIANTS.get(str(start.geometry.columns))
    return name is not None and start.geometry == VARIANTS[name].geometry and start.rules == VARIANTS[name].rules


def _ggf_game(game: GgfGame, number: int) -> str:
    parts = ["(;GM[Othello]"]
    for name, value in game.tags:
        if not re.fullmatch("[A-Z]+", name) or name in _OWN_TAGS or "]" in value:
            reason = say("{name}[{value}] is no GGF property beside board and moves", name=name, value=value)
            raise BadRecord(reason, record=number)
        parts.append(f"{name}[{value}]")
    start, size = game.start, game.start.geometry.columns
    if not can_be_written(start):
        known = ", ".join(_VARIANTS)
        raise BadRecord(say("GGF has games of Othello on square boards of {known} only", known=known), record=number)
    cells = start.cells().replace("X", "*")
    rows = " ".join(cells[row : row + size] for row in range(0, len(cells), size))
    parts.append(f"BO[{size} {rows} {'*' if start.to_move is Color.BLACK else 'O'}]")
    color = start.to_move
    notes = (*game.notes, *[""] * (len(game.moves) - len(game.notes)))
    for move, note in zip(game.moves, notes, strict=True):
        if note and (not note.startswith("/") or "]" in note):
            reason = say("the note {note} of a move must begin with / and have no ]", note=repr(note))
            raise BadRecord(reason, record=number)
        parts.append(f"{color.name[0]}[{(move or 'pa').upper()}{note}]")
        color = color.opponent
    return "".join(parts) + ";)"
