"""Recognition of openings by name (OPN-01 to OPN-10).

- An opening is the *position* it leads to, so transpositions are found too; of several, the deepest counts.
- Positions related by a symmetry of the start are equal (OPN-10): identity, half turn and the two diagonal mirrors, the
  only four that preserve the four starting discs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from engine.board.board_geometry import Geometry
from engine.board.color import Color
from engine.board.errors import BoardError
from engine.board.opening_names import LINES
from engine.board.position import Position
from engine.board.transcript import parse_transcript, plies
from engine.board.variants import VARIANTS
from engine.i18n import Text, say

_GEOMETRY = VARIANTS["8x8"].geometry


@dataclass(frozen=True, slots=True)
class Opening:
    """A named line. ``rule`` is its id in RULES.md, or None; ``plies``: its length."""

    name: Text
    transcript: str
    rule: str | None = None

    @property
    def plies(self) -> int:
        return len(self.transcript) // 2


@cache
def openings() -> tuple[Opening, ...]:
    """Return all named openings, by families."""
    return tuple(Opening(name, transcript, None if rule == "-" else rule) for rule, transcript, name in LINES)


def recognise(moves: Iterable[str | None], start: Position | None = None) -> Opening | None:
    """Return the deepest named opening that the game went through; None if there is none, or the game did not begin
    from the usual set-up. Later moves may be illegal."""
    first = Position.start()
    if start not in (None, first):
        return None
    found, depth = None, max(opening.plies for opening in openings())
    try:
        for ply, (_, position) in enumerate(plies(moves, first), start=1):
            if ply > depth:
                break
            found = _by_position().get((position.black, position.white, position.to_move), found)
    except BoardError:
        pass  # the opening before an illegal move still counts
    return found


def symmetric_positions(position: Position) -> tuple[Position, ...]:
    """Return the four positions that are equal by symmetry (OPN-10), the given one first."""
    cells, to_move = position.cells(), position.to_move
    permuted = ("".join([cells[place] for place in places]) for places in _places(_GEOMETRY))
    return tuple(Position.from_cells(image, to_move) for image in permuted)


def normalise(moves: Iterable[str | None]) -> tuple[str | None, ...]:
    """Return the game mirrored so that its first move is f5 (OPN-01, OPN-10).

    :raises BoardError: if a move is not a square of the board.
    """
    game = tuple(moves)
    first = next((move for move in game if move), None)
    for number in range(4):
        if first is None or mirrored(first, number) == "f5":
            return tuple(move and mirrored(move, number) for move in game)
    raise BoardError(say("a game does not begin with {first}; its first move is d3, c4, f5 or e6", first=first))


def mirrored(move: str, number: int) -> str:
    """Return a square under a symmetry of the start: 0 identity, 1 diagonal a1-h8, 2 half turn, 3 diagonal a8-h1."""
    _GEOMETRY.square(move)
    column, row = ord(move[0].lower()) - ord("a"), int(move[1:]) - 1
    column, row = ((column, row), (row, column), (7 - column, 7 - row), (7 - row, 7 - column))[number]
    return f"{chr(ord('a') + column)}{row + 1}"


@cache
def _by_position() -> dict[tuple[int, int, Color], Opening]:
    """Return the openings by all images of their positions, so that lookups need no mirroring."""
    found: dict[tuple[int, int, Color], Opening] = {}
    for opening in openings():
        *_, (_, position) = plies(parse_transcript(opening.transcript))
        found |= {(image.black, image.white, image.to_move): opening for image in symmetric_positions(position)}
    return found


@cache
def _places(geometry: Geometry) -> tuple[tuple[int, ...], ...]:
    names = [geometry.name(square) for square in geometry.squares]
    return tuple(tuple(names.index(mirrored(name, number)) for name in names) for number in range(4))
