"""Boards and set-ups that can be played (RULES.md 1.2 and 1.4).

A variant is data. Variants whose rules the sources leave open are refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

from engine.board.board_geometry import Geometry
from engine.board.color import Color
from engine.board.errors import UnknownVariant
from engine.board.variant_rules_and_move_generation import Ownership, VariantRules
from engine.i18n import say


@dataclass(frozen=True, slots=True)
class Variant:
    """Rules with their set-up: squares of the black and white discs, and the side that moves first."""

    name: str = field(compare=False)
    rules: VariantRules
    black: str
    white: str
    first: Color = Color.BLACK

    @property
    def geometry(self) -> Geometry:
        return self.rules.geometry

    @property
    def total(self) -> int:
        """Number of squares, which the discs of a finished game's two players add up to (OTH-14, K-14)."""
        return self.geometry.size

    @property
    def start(self) -> str:
        """The board string of the set-up."""
        black, white = self.black.split(), self.white.split()
        return "".join("X" if name in black else "O" if name in white else "-" for name in self.geometry.square_names)


_SQUARE = Geometry(8, 8)
_CENTRE = _SQUARE.mask("d4 e4 d5 e5")
_OTHELLO = VariantRules(_SQUARE)
_NIP = Geometry(8, 8, missing="a1 b1 a2 g1 h1 h2 a7 a8 b8 g8 h7 h8")
_STARS = Geometry(10, 10, missing="a1 b1 a2 i1 j1 j2 a9 a10 b10 j9 i10 j10")

_ALL = (
    Variant("8x8", _OTHELLO, black="e4 d5", white="d4 e5"),  # OTH-03
    Variant("6x6", VariantRules(Geometry(6, 6)), black="d3 c4", white="c3 d4"),  # VAR-04
    Variant("4x4", VariantRules(Geometry(4, 4)), black="c2 b3", white="b2 c3"),  # VAR-05
    Variant("10x10", VariantRules(Geometry(10, 10)), black="f5 e6", white="e5 f6"),  # VAR-06
    Variant("88", VariantRules(_STARS), black="f5 e6", white="e5 f6"),  # VAR-07, VAR-07a
    # VAR-08a, VAR-08b
    Variant("nip-octagon", VariantRules(_NIP, free_when_blocked=True), black="e4 d5", white="d4 e5"),
    Variant("parallel", _OTHELLO, black="d5 e5", white="d4 e4"),  # VAR-03
    Variant("original", VariantRules(_SQUARE, opening=_CENTRE), black="", white=""),  # VAR-02
    Variant("original-32", VariantRules(_SQUARE, opening=_CENTRE, supply=32), black="", white=""),  # VAR-01
    # OTH-HC-1: black corners are added. OTH-HC-2: White moves first.
    Variant("handicap-1", _OTHELLO, black="e4 d5 a1", white="d4 e5", first=Color.WHITE),
    Variant("handicap-2", _OTHELLO, black="e4 d5 a1 h8", white="d4 e5", first=Color.WHITE),
    Variant("handicap-3", _OTHELLO, black="e4 d5 a1 h8 h1", white="d4 e5", first=Color.WHITE),
    Variant("handicap-4", _OTHELLO, black="e4 d5 a1 h8 h1 a8", white="d4 e5", first=Color.WHITE),
    # VAR-15: othelle by its name, and every triple P-S-R by its three words.
    Variant("othelle", VariantRules(_SQUARE, flanking=Ownership.ENEMY), black="e4 d5", white="d4 e5"),
    *(
        Variant(f"{place}-{turn}-{flank}", VariantRules(_SQUARE, place, turn, flank), black="e4 d5", white="d4 e5")
        for place, turn, flank in product(Ownership, Ownership, Ownership)
    ),
)
VARIANTS: dict[str, Variant] = {variant.name: variant for variant in _ALL}
STANDARD = VARIANTS["8x8"]
#: the variants for games at a table and divisions, with their names for users: 4x4 is for analysis only (VAR-05), and
#: no source has games of VAR-15
PLAYABLE = {
    "8x8": say("8×8"),
    "handicap-1": say("Handicap, 1 corner"),
    "handicap-2": say("Handicap, 2 corners"),
    "handicap-3": say("Handicap, 3 corners"),
    "handicap-4": say("Handicap, 4 corners"),
    "6x6": say("6×6"),
    "10x10": say("10×10"),
    "88": say("Eight Stars"),
    "nip-octagon": say("Octagonal Nip"),
    "parallel": say("Parallel start"),
    "original": say("Reversi, empty board"),
    "original-32": say("Reversi, 32 discs each"),
}
#: the shape of a board by its number of squares; no two shapes have the same
SHAPES_BY_SIZE = {variant.total: variant.geometry for variant in reversed(_ALL)}

#: Games whose rules the sources do not describe completely.
UNSPECIFIED = {
    "nip-circular": say(
        "circular Nip (VAR-09): no source gives the order of its rings or its set-up; play nip-octagon"
    ),
    "octo": say("Octo Reversi (VAR-10): the sources give its name only"),
    "annexation": say("Annexation (VAR-11): the sources give neither the size of its board nor its set-up"),
    "hasami-go": say("Hasami-go (VAR-12): its house rules varied and the sources fix none"),
    "four-player": say("Othello for four (VAR-13): the sources give its name only"),
    "rolit": say("Rolit (VAR-14): the sources do not give its rules"),
}


def variant(name: str) -> Variant:
    """Return the variant of that name.

    :raises UnknownVariant: if there is none, or the sources leave its rules open.
    """
    if name in UNSPECIFIED:
        raise UnknownVariant(say("{name!r} cannot be played: {why}", name=name, why=UNSPECIFIED[name]))
    if name not in VARIANTS:
        unknown = say("there is no variant {name!r}; use one of {known}", name=name, known=", ".join(VARIANTS))
        raise UnknownVariant(unknown)
    return VARIANTS[name]


def shape_of(cells: str) -> Geometry:
    """Return the shape of the board that a board string describes; that of 8x8 if its length is no board's."""
    return SHAPES_BY_SIZE.get(len(cells), STANDARD.geometry)
