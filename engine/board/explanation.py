"""What a player may have done to turn one board into another.

The law: every explanation is a move (or none), made by the side to move or by the other, plus the squares on which
the board then differs from that move made correctly. Of all explanations the one with the fewest wrong squares is
believed, then the one with the fewest kinds of error, then the first in the order of ``explanations``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import TypeAlias

from engine.board.flanking import flips, legal_moves
from engine.board.geometry import Geometry, scan

#: More wrongly turned discs than this are no single slip of the hand (IM-10).
MOST_WRONGLY_TURNED = 8
#: So many displaced discs are still pointed out one by one (IM-10).
MOST_DISPLACED = 2

#: Displaced discs: the square each left and the square it stands on.
Pairs: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Discs:
    """The discs of a board as its mover sees them."""

    own: int
    enemy: int

    @property
    def occupied(self) -> int:
        return self.own | self.enemy

    @property
    def swapped(self) -> Discs:
        return Discs(self.enemy, self.own)


@dataclass(frozen=True, slots=True)
class Explanation:
    """A move and what is wrong with it. ``square`` None: no disc was placed. All sets are sets of squares.

    ``displaced``: discs that left the first square and stand on the second; ``missing``: discs that left the board;
    ``extra``: discs that came from nowhere.
    """

    square: int | None
    out_of_turn: bool = False
    impossible: bool = False
    wrong_color: bool = False
    under_turned: int = 0
    over_turned: int = 0
    displaced: Pairs = ()
    missing: int = 0
    extra: int = 0
    jumps: int = 0

    @property
    def is_legal(self) -> bool:
        """Whether this is a move with nothing wrong."""
        return self.square is not None and self.cost == (0, 0)

    @property
    def is_sayable(self) -> bool:
        """Whether a player could point the error out (IM-10)."""
        if (self.missing | self.extra).bit_count() > 1:
            return False
        if self.extra and self.cost > (2, 1):
            return False  # an extra disc and another error: more likely two moves
        return len(self.displaced) <= MOST_DISPLACED and self.over_turned.bit_count() <= MOST_WRONGLY_TURNED

    @property
    def cost(self) -> tuple[int, int]:
        """How much has to be wrong if this is what happened: squares, kinds of error.

        A displaced, missing or extra disc weighs two squares: discs stay where they are put more surely than they
        are turned rightly. A disc that did not merely slide to a neighbouring square weighs one more.
        """
        facts = self.out_of_turn + self.impossible + self.wrong_color
        moved = len(self.displaced) + self.missing.bit_count() + self.extra.bit_count()
        turned = self.under_turned.bit_count() + self.over_turned.bit_count()
        kinds = facts + (self.under_turned > 0) + (self.over_turned > 0) + (moved > 0)
        return facts + turned + 2 * moved + self.jumps, kinds


def best_explanation(geometry: Geometry, before: Discs, after: Discs) -> Explanation | None:
    """The likeliest explanation of ``after``, or None if none can be put into words (IM-10)."""
    best = None
    for explanation in explanations(geometry, before, after):
        if explanation.is_legal:
            return explanation
        if explanation.is_sayable and (best is None or explanation.cost < best.cost):
            best = explanation
    return best


def explanations(geometry: Geometry, before: Discs, after: Discs) -> Iterator[Explanation]:
    """Everything worth considering, in the order of belief where the cost is equal."""
    placed = after.occupied & ~before.occupied
    lifted = before.occupied & ~after.occupied
    if placed.bit_count() > MOST_DISPLACED + 1 or lifted.bit_count() > MOST_DISPLACED:
        return
    for square in scan(placed):
        yield explain(geometry, before, after, square)

    if not lifted:
        for square in _moves_of_a_stray_disc(geometry, before, after, placed):
            yield explain(geometry, before, after, square)

    # No disc was placed: every disc on a new square has come from another.
    if placed.bit_count() <= lifted.bit_count():
        yield explain(geometry, before, after, None)

    # Out of turn (IM-2) is believed only of a disc of that colour that turned something; alone it is a wrong colour.
    for square in scan(placed & after.enemy):
        if flips(geometry, before.enemy, before.own, square) & after.enemy:
            yield explain(geometry, before.swapped, after.swapped, square, out_of_turn=True)


def _moves_of_a_stray_disc(geometry: Geometry, before: Discs, after: Discs, placed: int) -> Iterator[int]:
    """The legal moves that turn exactly what was turned, where only the disc of the move itself is not in its place:
    it slid to the one square in ``placed``, or was taken away again."""
    if placed.bit_count() > 1 or placed & after.enemy or before.own & after.enemy:
        return
    turned = before.enemy & after.own
    if placed and not turned & ~flips(geometry, before.own, before.enemy, placed.bit_length() - 1):
        return  # a move made where the disc stands, with turns forgotten, is likelier
    for square in scan(legal_moves(geometry, before.own, before.enemy) & ~placed):
        if flips(geometry, before.own, before.enemy, square) == turned:
            yield square


def explain(
    geometry: Geometry, before: Discs, after: Discs, square: int | None, *, out_of_turn: bool = False
) -> Explanation:
    """How ``after`` differs from ``before`` with a disc on ``square`` and its flips. The boards are given as the side
    that made the move sees them."""
    disc = 0 if square is None else 1 << square
    turned = 0 if square is None else flips(geometry, before.own, before.enemy, square)
    expected = Discs(before.own | turned | disc, before.enemy & ~turned)

    left = expected.occupied & ~after.occupied
    strange = after.occupied & ~expected.occupied
    wrong = expected.own & after.enemy | expected.enemy & after.own
    displaced: Pairs = ()
    jumps = 0
    if left and strange and left.bit_count() == strange.bit_count():
        displaced, jumps = _pair(geometry, expected, after, left, strange)
        left = strange = 0
        for origin, target in displaced:
            if (expected.own >> origin ^ after.own >> target) & 1:
                wrong |= 1 << origin
    return Explanation(
        square=square,
        out_of_turn=out_of_turn,
        impossible=square is not None and not turned,
        wrong_color=bool(wrong & disc),
        under_turned=wrong & turned,
        over_turned=wrong & ~turned & ~disc,
        displaced=displaced,
        missing=left,
        extra=strange,
        jumps=jumps,
    )


def _pair(geometry: Geometry, expected: Discs, after: Discs, left: int, strange: int) -> tuple[Pairs, int]:
    """Which disc went where: colours kept if possible, then the fewest jumps. Returns the pairs and the jumps."""

    def recolored(pairs: Pairs) -> int:
        return sum((expected.own >> origin ^ after.own >> target) & 1 for origin, target in pairs)

    def jumps(pairs: Pairs) -> int:
        return sum(abs(origin - target) not in geometry.shifts for origin, target in pairs)

    origins = scan(left)
    pairings: list[Pairs] = [tuple(zip(origins, targets, strict=True)) for targets in permutations(scan(strange))]
    best = min(pairings, key=lambda pairs: (recolored(pairs), jumps(pairs)))
    return best, jumps(best)
