"""The boards and set-ups that can be played (RULES.md 1.2 and 1.4).

The law: a variant is data. All of these share the rules of Othello and differ in shape, set-up and who begins.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.board.color import Color
from engine.board.errors import UnknownVariant
from engine.board.geometry import Geometry


@dataclass(frozen=True, slots=True)
class Variant:
    """A board with its set-up: squares of the black and white discs, and the side that moves first."""

    geometry: Geometry
    black: str
    white: str
    first: Color = Color.BLACK


_SQUARE = Geometry(8, 8)

VARIANTS: dict[str, Variant] = {
    "8x8": Variant(_SQUARE, black="e4 d5", white="d4 e5"),  # OTH-03
    "6x6": Variant(Geometry(6, 6), black="d3 c4", white="c3 d4"),  # VAR-04
    "4x4": Variant(Geometry(4, 4), black="c2 b3", white="b2 c3"),  # VAR-05
    "10x10": Variant(Geometry(10, 10), black="f5 e6", white="e5 f6"),  # VAR-06
    "88": Variant(  # VAR-07, VAR-07a
        Geometry(10, 10, missing="a1 b1 a2 i1 j1 j2 a9 a10 b10 j9 i10 j10"), black="f5 e6", white="e5 f6"
    ),
    "parallel": Variant(_SQUARE, black="d5 e5", white="d4 e4"),  # VAR-03
    # OTH-HC-1: black corners are added. OTH-HC-2: White moves first.
    "handicap-1": Variant(_SQUARE, black="e4 d5 a1", white="d4 e5", first=Color.WHITE),
    "handicap-2": Variant(_SQUARE, black="e4 d5 a1 h8", white="d4 e5", first=Color.WHITE),
    "handicap-3": Variant(_SQUARE, black="e4 d5 a1 h8 h1", white="d4 e5", first=Color.WHITE),
    "handicap-4": Variant(_SQUARE, black="e4 d5 a1 h8 h1 a8", white="d4 e5", first=Color.WHITE),
}

#: Variants of CONTRACT.md with rules beyond Othello's: free placement, a limit of discs, other flanking.
NOT_YET = ("nip-octagon", "original", "original-32", "othelle")


def variant(name: str) -> Variant:
    """The variant of that name.

    :raises UnknownVariant: if there is none, or its rules are not built yet.
    """
    if name in NOT_YET:
        raise UnknownVariant(f"variant {name!r} is not yet in this version; there are {', '.join(VARIANTS)}")
    try:
        return VARIANTS[name]
    except KeyError:
        raise UnknownVariant(f"there is no variant {name!r}; use one of {', '.join(VARIANTS)}") from None
