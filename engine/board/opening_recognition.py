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
from engine.board.position import Position
from engine.board.transcript import parse_transcript, plies
from engine.board.variants import VARIANTS
from engine.i18n import Text, say_in

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
    raise BoardError.saying("a game does not begin with {first}; its first move is d3, c4, f5 or e6", first=first)


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


# Table of opening names, one per line: rule, transcript, name, ordered by families.
#
# Each transcript begins with f5 (OPN-01) and replays. OPN-02 to OPN-06 are from RULES.md; the other names and lines are
# those in common use in the published lists of openings (samsoft.org.uk, Egaroucid), transposed to f5.

LINES: tuple[tuple[str, str, Text], ...] = (
    ("OPN-02", "f5d6", say_in("opening", "Vertical, Perpendicular")),
    ("OPN-02", "f5f6", say_in("opening", "Diagonal")),
    ("OPN-02", "f5f4", say_in("opening", "Parallel")),
    ("-", "f5d6c5", say_in("opening", "Rabbit family")),
    ("-", "f5d6c3", say_in("opening", "Tiger family")),
    ("-", "f5d6c4", say_in("opening", "Cat family")),
    ("-", "f5f6e6f4", say_in("opening", "Cow family")),
    ("OPN-03", "f5d6c5f4e3", say_in("opening", "Rabbit")),
    ("OPN-04", "f5d6c3d3c4", say_in("opening", "Tiger")),
    ("OPN-05", "f5f6e6d6c5", say_in("opening", "Cow")),
    ("OPN-06", "f5f4e3f6d3", say_in("opening", "Rat")),
    ("-", "f5d6c3d3c4b3", say_in("opening", "Aubrey, Tanaka")),
    ("-", "f5d6c3d3c4b3d2f4", say_in("opening", "Aubrey (Feldborg Continuation)")),
    ("-", "f5d6c3d3c4f4c5", say_in("opening", "Mass-turning Tiger")),
    ("-", "f5d6c3d3c4f4c5b3c2", say_in("opening", "Rose-Bill")),
    ("-", "f5d6c3d3c4f4c5b3c2b4", say_in("opening", "Central Rose-Bill, Dead Draw")),
    ("-", "f5d6c3d3c4f4c5b3c2e3", say_in("opening", "Rooster")),
    ("-", "f5d6c3d3c4f4c5b3c2e6", say_in("opening", "Tamenori, Goldfish")),
    ("-", "f5d6c3d3c4f4c5b4", say_in("opening", "Banana")),
    ("-", "f5d6c3d3c4f4c5b4b5c6f3e6e3", say_in("opening", "Ishii")),
    ("-", "f5d6c3d3c4f4c5b4b5c6f3e6e3g6f6g5d7g3", say_in("opening", "Mainline Tiger")),
    ("-", "f5d6c3d3c4f4e3", say_in("opening", "Brightwell")),
    ("-", "f5d6c3d3c4f4e6", say_in("opening", "Leader's Tiger")),
    ("-", "f5d6c3d3c4f4f6", say_in("opening", "Stephenson")),
    ("-", "f5d6c3d3c4f4f6b4", say_in("opening", "Kung")),
    ("-", "f5d6c3d3c4f4f6f3", say_in("opening", "Comp'Oth")),
    ("-", "f5d6c3d3c4f4f6f3e3", say_in("opening", "Lightning Bolt")),
    ("-", "f5d6c3d3c4f4f6f3e6e7d7g6f8f7g5h6h4g4h3h5h7", say_in("opening", "F.A.T. Draw")),
    ("-", "f5d6c3d3c4f4f6g5", say_in("opening", "No-Kung")),
    ("-", "f5d6c3d3c4f4f6g5e3f3g4h3g3f2", say_in("opening", "No-Kung (Continuation)")),
    ("-", "f5d6c3d3c5", say_in("opening", "Crayfish")),
    ("-", "f5d6c3d3c6", say_in("opening", "Shrimp")),
    ("-", "f5d6c3f4f6", say_in("opening", "Dragon")),
    ("-", "f5d6c3f4f6d3c6", say_in("opening", "Water God")),
    ("-", "f5d6c3f4f6d3f3b3", say_in("opening", "Wind God")),
    ("-", "f5d6c3f4f6d3f3g4", say_in("opening", "Tengu")),
    ("-", "f5d6c3g5", say_in("opening", "Bent Ganglion, Missile")),
    ("-", "f5d6c4b3", say_in("opening", "Thunder")),
    ("-", "f5d6c4d3c5", say_in("opening", "Cat")),
    ("-", "f5d6c4d3c5f4e3f3c2b4b3", say_in("opening", "Berner")),
    ("-", "f5d6c4d3c5f4e3f3c2c6", say_in("opening", "Sakaguchi")),
    ("-", "f5d6c4d3e6", say_in("opening", "Italian, Sheep")),
    ("-", "f5d6c4g5", say_in("opening", "Ganglion, No-Cat")),
    ("-", "f5d6c4g5c6", say_in("opening", "Swallow")),
    ("-", "f5d6c4g5c6c5d7d3b4c3e3f3", say_in("opening", "No-Cat (Continuation)")),
    ("-", "f5d6c5f4d3", say_in("opening", "Horse")),
    ("-", "f5d6c5f4d7", say_in("opening", "Crane")),
    ("-", "f5d6c5f4f3", say_in("opening", "Deer")),
    ("-", "f5d6c5f4e3d3", say_in("opening", "Mimura")),
    ("-", "f5d6c5f4e3c6d3f3", say_in("opening", "Ralle")),
    ("-", "f5d6c5f4e3c6d3g5", say_in("opening", "Sideways Rabbit")),
    ("-", "f5d6c5f4e3c6d3f6e6d7", say_in("opening", "Rose")),
    ("-", "f5d6c5f4e3c6d3f6e6d7e7", say_in("opening", "Greenberg, Dawg, Tezuka System")),
    ("-", "f5d6c5f4e3c6d3f6e6d7g3", say_in("opening", "Sharp Rose")),
    ("-", "f5d6c5f4e3c6d3f6e6d7g3c4", say_in("opening", "Rose-Birth")),
    ("-", "f5d6c5f4e3c6d3f6e6d7g3c4b4", say_in("opening", "Rose-Birdie, Rose-Tamenori")),
    ("-", "f5d6c5f4e3c6d3f6e6d7g3c4b4c3", say_in("opening", "Rose-Tamenori-Kling")),
    ("-", "f5d6c5f4e3c6d3f6e6d7g3c4g5", say_in("opening", "Rotating Sharp Rose")),
    ("-", "f5d6c5f4e3c6d3f6e6d7g3c4g5c3b4e2", say_in("opening", "Brightstein")),
    ("-", "f5d6c5f4e3c6d3f6e6d7g4", say_in("opening", "Flat Rose")),
    ("-", "f5d6c5f4e3c6d3f6e6d7g4c4", say_in("opening", "Rotating Flat Rose")),
    ("-", "f5d6c5f4e3c6d3f6e6d7g4c4g5c3f7d2e7f2", say_in("opening", "Rotating Flat Rose (Kling Continuation)")),
    ("-", "f5d6c5f4e3c6d3f6e6d7g4c4g6", say_in("opening", "Murakami Variation")),
    ("-", "f5d6c5f4e3c6d7", say_in("opening", "Bhagat")),
    ("-", "f5d6c5f4e3c6e6", say_in("opening", "Inoue")),
    ("-", "f5d6c5f4e3c6e6f6", say_in("opening", "Iago, Snow Rabbit")),
    ("-", "f5d6c5f4e3c6f3", say_in("opening", "Shaman, Danish")),
    ("-", "f5f6c4f4", say_in("opening", "Semi-Wing Variation")),
    ("-", "f5f6d3f4", say_in("opening", "Wing Variation")),
    ("-", "f5f6e6f4c3", say_in("opening", "Buffalo, Kenichi Variation")),
    ("-", "f5f6e6f4c3c4", say_in("opening", "Hokuriku Buffalo")),
    ("-", "f5f6e6f4c3d6f3c4c5b4", say_in("opening", "Tanida Buffalo")),
    ("-", "f5f6e6f4c3d7f3", say_in("opening", "Maruoka Buffalo")),
    ("-", "f5f6e6f4e3c5c4", say_in("opening", "Rose-v-Toth")),
    ("-", "f5f6e6f4e3c5c4d2", say_in("opening", "Reverse Sunken Ship")),
    ("-", "f5f6e6f4e3c5c4d2c6e7", say_in("opening", "Ghost Ship")),
    ("-", "f5f6e6f4e3c5c4d3c3", say_in("opening", "Landau")),
    ("-", "f5f6e6f4e3c5c4d3f3e2", say_in("opening", "Maruoka")),
    ("-", "f5f6e6f4e3c5c4d6", say_in("opening", "Canoe")),
    ("-", "f5f6e6f4e3c5c4d7", say_in("opening", "Sunken Ship")),
    ("-", "f5f6e6f4e3c5c4e7", say_in("opening", "Tanida")),
    ("-", "f5f6e6f4e3c5c4e7b5e2", say_in("opening", "Sailboat")),
    ("-", "f5f6e6f4e3c5c4e7c6e2", say_in("opening", "Fast Boat")),
    ("-", "f5f6e6f4e3c5c4e7g4", say_in("opening", "Aircraft, Feldborg")),
    ("-", "f5f6e6f4e3c5g5", say_in("opening", "Bat, Cambridge")),
    ("-", "f5f6e6f4e3c5g5d6g6", say_in("opening", "Bat (Kling Alternative)")),
    ("-", "f5f6e6f4e3c5g5f3g4g6g3d6f7h5h4h3e7", say_in("opening", "Bat (Kling Continuation)")),
    ("-", "f5f6e6f4e3c5g5g3g4f3c4", say_in("opening", "Melnikov, Bat (Piau Continuation 1)")),
    ("-", "f5f6e6f4e3c5g5g3g4f3g6", say_in("opening", "Bat (Piau Continuation 2)")),
    ("-", "f5f6e6f4e3c5g6", say_in("opening", "Submarine")),
    ("-", "f5f6e6f4e3d3", say_in("opening", "Ishibashi")),
    ("-", "f5f6e6f4e3d6", say_in("opening", "Chimney")),
    ("-", "f5f6e6f4e3d6c6c5e7", say_in("opening", "Tank")),
    ("-", "f5f6e6f4e3d7", say_in("opening", "Yoghurt Pudding")),
    ("-", "f5f6e6f4g3", say_in("opening", "Rocket")),
    ("-", "f5f6e6f4g3d6", say_in("opening", "Lollipop")),
    ("-", "f5f6e6f4g3f3g4", say_in("opening", "Hamilton")),
    ("-", "f5f6e6f4g4", say_in("opening", "Raccoon Dog")),
    ("-", "f5f6e6f4g5", say_in("opening", "Heath, Tobidashi")),
    ("-", "f5f6e6f4g5d6", say_in("opening", "Heath-Chimney")),
    ("-", "f5f6e6f4g5e7d7", say_in("opening", "Iwasaki Variation")),
    ("-", "f5f6e6f4g5e7e3", say_in("opening", "Heath-Bat")),
    ("-", "f5f6e6f4g5e7f7c5e3f3c4d3c2", say_in("opening", "Mimura Variation II")),
    ("-", "f5f6e6f4g5e7f7d6", say_in("opening", "Wild Strawberry")),
    ("-", "f5f6e6f4g6", say_in("opening", "Snake, Peasant")),
    ("-", "f5f6e6f4g6c5g4g5f3e3c4", say_in("opening", "Pyramid, Checkerboarding Peasant")),
    ("-", "f5f6e6f4g6c6", say_in("opening", "Lysons, Cobra")),
    ("-", "f5f6e6f4g6d6", say_in("opening", "Tsuchinoko")),
    ("-", "f5f6e6f4g7", say_in("opening", "X-square Opening, Runaway Cow")),
    ("-", "f5f4e3f6c4e2", say_in("opening", "Yacht Rat")),
)
