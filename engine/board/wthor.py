"""WTHOR, the game database of the French federation: one ``.wtb`` file a year.

The law: a file is read whole or refused. Little-endian; a header of 16 bytes (date of the file, u32 games at 4, u16
records at 8, u16 year at 10, board size at 12, type at 13, depth of the theoretical score at 14), then 68 bytes a
game: tournament, black and white player (u16 each), black's discs, black's theoretical discs, 60 moves. A move is
10·row + column, 0 after the last; passes are not stored; black's discs count empties for the winner.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from engine.board.errors import BadRecord
from engine.board.variants import VARIANTS

_HEADER = struct.Struct("<4xI4xB3x")
_GAME = struct.Struct("<3H2B60s")
_MOVES_AT = _GAME.size - 60
_NAMES = {10 * row + column: f"{'abcdefgh'[column - 1]}{row}" for row in range(1, 9) for column in range(1, 9)}
_SIZE = VARIANTS["8x8"].geometry.size


@dataclass(frozen=True, slots=True)
class WthorGame:
    """A game. ``tournament``, ``black`` and ``white`` are numbers in the .TRN and .JOU files; ``black_discs`` is
    Black's final score, ``theoretical`` his score with best play from the depth in the header."""

    tournament: int
    black: int
    white: int
    black_discs: int
    theoretical: int
    moves: tuple[str, ...]


def read_wtb(data: bytes) -> Iterator[WthorGame]:
    """The games of a ``.wtb`` file, in order.

    :raises BadRecord: if the file is broken, with the record (from 1), the byte (from 0) and the reason. The header is
        checked at once, a record when it is reached.
    """
    if len(data) < _HEADER.size:
        raise BadRecord(f"byte {len(data)}: the file ends inside the header of {_HEADER.size} bytes")
    games, size = _HEADER.unpack_from(data)
    if size not in (0, 8):
        raise BadRecord(f"byte 12: the board size is {size}; only 8 (or 0, which means 8) can be read")
    whole, rest = divmod(len(data) - _HEADER.size, _GAME.size)
    if whole < games:
        raise BadRecord(
            f"record {whole + 1}, byte {len(data)}: the file ends here, but its header counts {games} games"
        )
    if whole > games or rest:
        end = _HEADER.size + games * _GAME.size
        raise BadRecord(f"byte {end}: {len(data) - end} bytes follow the {games} games that the header counts")
    return (_game(data, number) for number in range(games))


def _game(data: bytes, number: int) -> WthorGame:
    offset = _HEADER.size + number * _GAME.size
    tournament, black, white, black_discs, theoretical, codes = _GAME.unpack_from(data, offset)
    if black_discs > _SIZE:
        raise BadRecord(f"record {number + 1}, byte {offset + 6}: black cannot have {black_discs} of {_SIZE} discs")
    played = codes.rstrip(b"\0")
    try:
        moves = tuple([_NAMES[code] for code in played])
    except KeyError:
        place = next(i for i, code in enumerate(played) if code not in _NAMES)
        reason = (
            f"{played[place]} is no square (10·row + column)" if played[place] else "moves go on after the end mark"
        )
        raise BadRecord(f"record {number + 1}, byte {offset + _MOVES_AT + place}: {reason}") from None
    return WthorGame(tournament, black, white, black_discs, theoretical, moves)
