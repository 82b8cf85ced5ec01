"""Reader and writer of WTHOR, the game database of the French federation: one ``.wtb`` file per year, ``.JOU`` players,
``.TRN`` tournaments.

- A file is read completely or refused.
- Little-endian; a header of 16 bytes (date of the file, u32 games at 4, u16 names at 8, u16 year at 10, board size at
  12, type at 13, depth of the theoretical score at 14), then 68 bytes per game: tournament, black and white player (u16
  each), black's discs, black's theoretical discs, 60 moves.
- A move is 10·row + column, 0 after the last; passes are not stored; black's discs count empties for the winner.
- A name is 20 bytes (players) or 26 (tournaments), ISO 8859-1, ended by a zero.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from engine.board.errors import BadRecord
from engine.board.variants import VARIANTS
from engine.i18n import raised_as, say

_HEADER = struct.Struct("<4sIHH4B")
_GAME = struct.Struct("<3H2B60s")
_MOVES_AT = _GAME.size - 60
_NAMES = {10 * row + column: f"{'abcdefgh'[column - 1]}{row}" for row in range(1, 9) for column in range(1, 9)}
_CODES = {name: code for code, name in _NAMES.items()}
_SIZE = VARIANTS["8x8"].geometry.size


@dataclass(frozen=True, slots=True)
class WthorGame:
    """One game. ``tournament``, ``black`` and ``white`` are numbers in the .TRN and .JOU files; ``black_discs`` is
    Black's final score, ``theoretical`` the score with best play from the depth in the header."""

    tournament: int
    black: int
    white: int
    black_discs: int
    theoretical: int
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WthorFile:
    """Contents of a ``.wtb`` file. ``date_bytes``: century, year, month, day, as its first four bytes have them;
    ``year``
    of the games; ``size`` 8, or 0 which means 8; ``kind`` 1 for solitaires; ``depth`` empties of the theoretical
    score."""

    created: bytes
    year: int
    games: tuple[WthorGame, ...]
    size: int = 8
    kind: int = 0
    depth: int = 0


class NameKind(IntEnum):
    """Kind of a name file; the value is the bytes of a record."""

    PLAYERS = 20
    TOURNAMENTS = 26


@dataclass(frozen=True, slots=True)
class WthorNames:
    """Contents of a ``.JOU`` or ``.TRN`` file: the names by their numbers, from 0."""

    created: bytes
    names: tuple[str, ...]


def read_wtb(data: bytes) -> Iterator[WthorGame]:
    """Return the games of a ``.wtb`` file, in order.

    :raises BadRecord: if the file is broken, with the record (from 1), the byte (from 0) and the reason. The header is
        checked at once, a record when it is reached.
    """
    _, games, _, _, size, _, _, _ = _header(data)
    if size not in (0, 8):
        raise BadRecord(say("the board size is {size}; only 8 (or 0, which means 8) can be read", size=size), byte=12)
    _check_length(data, games, _GAME.size, "games")
    return (_game(data, number) for number in range(games))


def read_wthor(data: bytes) -> WthorFile:
    """Return a whole ``.wtb`` file, header and games.

    :raises BadRecord: as ``read_wtb``.
    """
    games = tuple(read_wtb(data))
    created, _, _, year, size, kind, depth, _ = _header(data)
    return WthorFile(created, year, games, size, kind, depth)


def write_wthor(file: WthorFile) -> bytes:
    """Return the bytes of a ``.wtb`` file.

    :raises BadRecord: with the record, if a game or the header does not fit into the format.
    """
    with raised_as(BadRecord, say("a .wtb header cannot hold this: {why}"), struct.error):
        date, games = _check_date(file.created), len(file.games)
        header = _HEADER.pack(date, games, 0, file.year, file.size, file.kind, file.depth, 0)
    return header + b"".join(_pack(game, number) for number, game in enumerate(file.games, start=1))


def read_names(data: bytes, kind: NameKind) -> WthorNames:
    """Return the names of a ``.JOU`` or ``.TRN`` file.

    :raises BadRecord: if its length is not what its header says.
    """
    created, _, names, *_ = _header(data)
    _check_length(data, names, kind, "names")
    starts = range(_HEADER.size, len(data), kind)
    return WthorNames(created, tuple(data[at : at + kind].partition(b"\0")[0].decode("latin-1") for at in starts))


def write_names(file: WthorNames, kind: NameKind) -> bytes:
    """Return the bytes of a ``.JOU`` or ``.TRN`` file.

    :raises BadRecord: with the record, if a name is too long or has a character outside ISO 8859-1.
    """
    if len(file.names) > 0xFFFF:
        raise BadRecord(say("a file holds at most 65535 names, not {n}", n=len(file.names)))
    header = _HEADER.pack(_check_date(file.created), 0, len(file.names), 0, 0, 0, 0, 0)
    return header + b"".join(_pack_name(name, number, kind) for number, name in enumerate(file.names, start=1))


def _header(data: bytes) -> tuple[bytes, int, int, int, int, int, int, int]:
    if len(data) < _HEADER.size:
        raise BadRecord(say("the file ends inside the header of {size} bytes", size=_HEADER.size), byte=len(data))
    header: tuple[bytes, int, int, int, int, int, int, int] = _HEADER.unpack_from(data)
    return header


def _check_length(data: bytes, count: int, size: int, what: str) -> None:
    complete, rest = divmod(len(data) - _HEADER.size, size)
    if complete < count:
        reason = say("the file ends here, but its header counts {count} {what}", count=count, what=what)
        raise BadRecord(reason, record=complete + 1, byte=len(data))
    if complete > count or rest:
        end = _HEADER.size + count * size
        reason = say("{n} bytes follow the {count} {what} that the header counts")
        raise BadRecord(reason(n=len(data) - end, count=count, what=what), byte=end)


def _game(data: bytes, number: int) -> WthorGame:
    offset = _HEADER.size + number * _GAME.size
    tournament, black, white, black_discs, theoretical, codes = _GAME.unpack_from(data, offset)
    if black_discs > _SIZE:
        reason = say("black cannot have {n} of {size} discs", n=black_discs, size=_SIZE)
        raise BadRecord(reason, record=number + 1, byte=offset + 6)
    played = codes.rstrip(b"\0")
    try:
        moves = tuple([_NAMES[code] for code in played])
    except KeyError:
        place = next(i for i, code in enumerate(played) if code not in _NAMES)
        reason = say("{code} is not a square (10·row + column)", code=played[place])
        if not played[place]:
            reason = say("there are moves after the end mark")
        raise BadRecord(reason, record=number + 1, byte=offset + _MOVES_AT + place) from None
    return WthorGame(tournament, black, white, black_discs, theoretical, moves)


def _pack(game: WthorGame, number: int) -> bytes:
    if len(game.moves) > 60:
        raise BadRecord(say("a game of {n} moves; WTHOR holds 60", n=len(game.moves)), record=number)
    if game.black_discs > _SIZE:
        raise BadRecord(say("black cannot have {n} of {size} discs", n=game.black_discs, size=_SIZE), record=number)
    unknown = [move for move in game.moves if move not in _CODES]
    if unknown:
        reason = say("{move} is no square of an 8x8 board; passes are not stored", move=repr(unknown[0]))
        raise BadRecord(reason, record=number)
    codes = bytes(_CODES[move] for move in game.moves)
    try:
        return _GAME.pack(game.tournament, game.black, game.white, game.black_discs, game.theoretical, codes)
    except struct.error as error:
        raise BadRecord(say("a .wtb record cannot hold this: {why}", why=error), record=number) from None


def _check_date(created: bytes) -> bytes:
    if len(created) != 4:
        raise BadRecord(say("the date of a file is 4 bytes (century, year, month, day), not {n}", n=len(created)))
    return created


def _pack_name(name: str, number: int, kind: NameKind) -> bytes:
    try:
        encoded = name.encode("latin-1")
    except UnicodeEncodeError:
        raise BadRecord(say("{name!r} has letters that are not in ISO 8859-1", name=name), record=number) from None
    if len(encoded) >= kind or 0 in encoded:
        reason = say("{name!r} must be shorter than {kind} letters, without a zero", name=name, kind=kind)
        raise BadRecord(reason, record=number)
    return encoded.ljust(kind, b"\0")


def date_bytes(year: int, month: int, day: int) -> bytes:
    """Return the date of a file as its first four bytes."""
    return bytes((year // 100, year % 100, month, day))


def assign_numbers(existing: Sequence[str], names: Iterable[str]) -> dict[str, int]:
    """Return numbers for names: those in ``existing`` keep theirs (the first, for a repeated name), new ones follow in
    the order of their first appearance."""
    numbers = {name: number for number, name in reversed([*enumerate(existing)])}
    new = [name for name in dict.fromkeys(names) if name not in numbers]
    return numbers | {name: number for number, name in enumerate(new, start=len(existing))}
