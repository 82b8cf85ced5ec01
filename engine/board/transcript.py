"""Transcripts: the squares of a game in order, ``f5d6c5…`` (NOT-01).

A transcript may omit passes, because the rules imply them; a marked pass (``--``) must be legal. Parsing checks
squares, replaying checks the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engine.board.board_geometry import Geometry
from engine.board.errors import BadRecord, BadSquare, IllegalMove
from engine.board.position import Position
from engine.board.variants import VARIANTS
from engine.i18n import say, text_of

#: The pass mark of files written by this program; those of other programs are read too.
PASS = "--"
_TOKEN = re.compile(r"(?:(?P<square>[a-z][0-9]{1,2})|--|pass|pa|ps)[\s,;]*", re.IGNORECASE)


def parse_transcript(text: str, geometry: Geometry = VARIANTS["8x8"].geometry) -> list[str | None]:
    """Return the moves of a transcript, upper or lower case, with or without spaces between them; None is a pass.

    :raises BadRecord: at the first text that is neither a square of the board nor a pass.
    """
    moves: list[str | None] = []
    at = len(text) - len(text.lstrip())
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            reason = say("{text} is neither a square nor a pass ({sign})", text=repr(text[at : at + 4]), sign=PASS)
            raise BadRecord(reason, byte=byte_at(text, at))
        try:
            moves.append(token["square"] and geometry.name(geometry.square(token["square"])))
        except BadSquare as error:
            raise BadRecord(text_of(error), byte=byte_at(text, at)) from None
        at = token.end()
    return moves


def byte_at(text: str, at: int) -> int:
    """Return the UTF-8 byte offset of the character ``at`` of ``text``."""
    return len(text[:at].encode(errors="surrogatepass"))


def format_transcript(moves: Iterable[str | None], *, passes: bool = True, upper: bool = False) -> str:
    """Return the transcript of moves. Other programs (Egaroucid, Edax) expect it without passes, some in capitals."""
    text = "".join(move or PASS * passes for move in moves)
    return text.upper() if upper else text


def plies(moves: Iterable[str | None], start: Position | None = None) -> Iterator[tuple[str | None, Position]]:
    """Replay ``moves`` from ``start`` (None: the usual set-up) and yield each ply and the position after it, including
    the passes that the moves omit.

    :raises IllegalMove: at the first move or pass that the rules do not allow, with its number among ``moves``.
    :raises BadSquare: at a name that is not a square of the board.
    """
    position = start or Position.start()
    for number, move in enumerate(moves, start=1):
        try:
            if move is None:
                position = position.pass_turn()
            else:
                square = position.geometry.square(move)
                if not position.flips(square) and position.must_pass:
                    position = position.pass_turn()
                    yield None, position
                position = position.play(square)
        except IllegalMove as error:
            raise IllegalMove(text_of(error), ply=number) from None
        yield move, position


def replay(moves: Iterable[str | None], start: Position | None = None) -> Position:
    """Return the position after ``moves``; see ``plies``."""
    position = start or Position.start()
    for _, after in plies(moves, position):
        position = after
    return position
