"""Games played in a simulated hall: a WTHOR file, or a small built-in set of real games without names."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from engine.board.errors import BoardError
from engine.board.transcript import parse_transcript
from engine.board.wthor import read_wtb
from engine.i18n import say
from kiosk.errors import InputError
from kiosk.sandbox import MOST_GAMES, check_size


def load_records(path: Path | None) -> list[tuple[str, ...]]:
    """Return the squares of each game, without passes.

    :raises InputError: the file cannot be read, is no WTHOR file, or has no game.
    """
    if path is None:
        text = files("kiosk.demo").joinpath("games.txt").read_text(encoding="ascii")
        return [tuple(move for move in parse_transcript(line) if move) for line in text.splitlines()]
    try:
        games = [game.moves for game in read_wtb(check_size(path, MOST_GAMES).read_bytes())]
    except OSError as error:
        raise InputError(
            say("{path}: {why}; name a readable WTHOR .wtb file", path=path, why=error.strerror or error)
        ) from error
    except BoardError as error:
        raise InputError(say("{path}: {why}; name a WTHOR .wtb file", path=path, why=error)) from error
    records = [tuple(move for move in moves if move) for moves in games if len(moves) >= 20]
    if not records:
        raise InputError(say("{path}: holds no game of 20 moves or more; name a file with whole games", path=path))
    return records
