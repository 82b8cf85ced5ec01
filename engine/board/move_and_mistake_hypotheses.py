"""Hypotheses about a turn: which move and mistakes turn one board into another.

- Each explanation is a move (or none), by the side to move or by the other, plus the squares on which the board differs
  from that move made correctly.
- The explanation with the fewest wrong squares wins, then the one with the fewest kinds of error. Those equal in both
  are ties; the first in the order of ``explanations`` is named first.
- An unread square agrees with every explanation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import TypeAlias

from engine.board.board_geometry import Geometry, scan
from engine.board.variant_rules_and_move_generation import Ownership, VariantRules

#: More wrongly turned discs than this are not one slip of the hand (IM-10).
MOST_WRONGLY_TURNED = 8
#: The most discs a move can turn: turning up to this many for an impossible move was meant as a move.
MOST_TURNED_BY_A_MOVE = 18
#: The most displaced discs that are pointed out one by one (IM-10).
MOST_DISPLACED = 2
#: The most wrong squares that are pointed out one by one if discs were displaced as well (IM-10).
MOST_WRONG_WITH_DISPLACED = 7

#: Displaced discs: the square each left and the square it stands on.
Pairs: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class DiscDiff:
    """Discs of a board from its mover's view. ``unread``: squares that could not be read, in neither set."""

    own: int
    enemy: int
    unread: int = 0

    @property
    def occupied(self) -> int:
        return self.own | self.enemy

    @property
    def swapped(self) -> DiscDiff:
        return DiscDiff(self.enemy, self.own, self.unread)


@dataclass(frozen=True, slots=True)
class MoveHypothesis:
    """A move and what is wrong with it. ``square`` None: no disc was placed. All sets are sets of squares.

    - ``displaced``: discs that moved from the first square to the second; ``missing``: discs that left the board;
      ``extra``: discs of unknown origin.
    - ``placed_two``: the extra disc is the mover's, and the wrongly turned discs are none, or exactly those it turns.
    - ``replied``: the extra disc is the other side's, and it turned everything else that is wrong.
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
    placed_two: bool = False
    replied: bool = False
    jumps: int = 0

    @property
    def is_legal(self) -> bool:
        """Whether the move has no errors."""
        return self.square is not None and self.cost == (0, 0)

    @property
    def only_impossible(self) -> bool:
        """Whether a disc was put on an impossible square and discs were turned for it, without other errors."""
        moved = self.displaced or self.missing or self.extra
        others = self.out_of_turn or self.wrong_color or self.under_turned or moved
        return self.impossible and bool(self.over_turned) and not others

    @property
    def can_be_named(self) -> bool:
        """Whether a player could point the error out (IM-10)."""
        if self.replied or (self.extra and (self.missing | self.extra).bit_count() > 1):
            return False  # a turn of each side, or discs of unknown origin
        absent_count = len(self.displaced) + self.missing.bit_count()
        if absent_count and self.cost[0] > MOST_WRONG_WITH_DISPLACED:
            return False
        most = MOST_TURNED_BY_A_MOVE if self.only_impossible else MOST_WRONGLY_TURNED
        return absent_count <= MOST_DISPLACED and self.over_turned.bit_count() <= most

    @property
    def cost(self) -> tuple[int, int]:
        """Number of wrong squares and kinds of error that this explanation implies.

        - A displaced, missing or extra disc weighs two squares: discs are more reliably left in place than turned
          correctly.
        - A disc that did not merely slide to a neighbouring square weighs one more, and one again if it is the disc
          that was being placed.
        - What a second disc turned weighs one, as a single act. So do the discs turned for an impossible move (IM-3
          with IM-5).
        """
        if self.only_impossible:
            return 2, 1
        if self.replied:
            return 3 + self.out_of_turn + self.impossible, 1
        facts = self.out_of_turn + self.impossible + self.wrong_color
        moved = len(self.displaced) + self.missing.bit_count() + self.extra.bit_count()
        too_many = 1 if self.placed_two and self.over_turned else self.over_turned.bit_count()
        turned = self.under_turned.bit_count() + too_many
        kinds = facts + (self.under_turned > 0) + (self.over_turned > 0) + (moved > 0)
        return facts + turned + 2 * moved + self.jumps, kinds


@dataclass(frozen=True, slots=True)
class TurnDiff:
    """A turn to be explained: the boards from the mover's view, and the legal moves."""

    rules: VariantRules
    before: DiscDiff
    after: DiscDiff
    legal: int

    @property
    def placed(self) -> int:
        """Squares that gained a disc."""
        return self.after.occupied & ~self.before.occupied

    @property
    def lifted(self) -> int:
        """Squares that lost their disc."""
        return self.before.occupied & ~self.after.occupied & ~self.after.unread

    @property
    def turned(self) -> int:
        """Discs that changed colour."""
        return self.before.own & self.after.enemy | self.before.enemy & self.after.own


def best_explanations(turn: TurnDiff) -> list[MoveHypothesis]:
    """Return the likeliest explanations; several if they are equally likely, none if none can be pointed out (IM-10).

    A legal move that agrees with everything is the only one. If a turn by each side is likelier, there is none, because
    no single move explains the board.
    """
    best: list[MoveHypothesis] = []
    least = None
    for explanation in explanations(turn):
        cost = explanation.cost
        if cost == (0, 0) and explanation.square is not None:
            return [explanation]
        if (least is not None and cost > least) or not (explanation.can_be_named or explanation.replied):
            continue
        if cost != least:
            best, least = [], cost
        if explanation not in best:
            best.append(explanation)
    return [] if any(explanation.replied for explanation in best) else best


def explanations(turn: TurnDiff) -> Iterator[MoveHypothesis]:
    """Yield all explanations worth considering, in the order of preference at equal cost."""
    rules, before, after = turn.rules, turn.before, turn.after
    placed, lifted = turn.placed, turn.lifted
    if placed.bit_count() > MOST_DISPLACED + 1 or lifted.bit_count() > MOST_DISPLACED:
        return
    for square in scan(placed | turn.legal & after.unread):
        yield explain(turn, square)

    if not lifted:
        for square in _moves_of_a_stray_disc(turn):
            yield explain(turn, square)

    # Without a placed disc, every disc on a new square was moved from another.
    if placed.bit_count() <= lifted.bit_count() + after.unread.bit_count():
        yield explain(turn, None)

    # Out of turn (IM-2) requires a disc of that colour that turned something; alone it is a wrong colour.
    swapped = TurnDiff(rules, before.swapped, after.swapped, 0)
    for square in scan(placed & (after.enemy if rules.placed is Ownership.OWN else after.own)):
        if rules.flips(before.enemy, before.own, square) & turn.turned:
            yield explain(swapped, square, out_of_turn=True)


def _moves_of_a_stray_disc(turn: TurnDiff) -> Iterator[int]:
    """Yield the legal moves that turn exactly the discs turned, where only the move's own disc is out of place: it slid
    to the one square that gained a disc, or was taken away again."""
    rules, before, placed, turned = turn.rules, turn.before, turn.placed, turn.turned
    if placed.bit_count() > 1 or placed & (turn.after.enemy if rules.placed is Ownership.OWN else turn.after.own):
        return
    if placed and not turned & ~rules.flips(before.own, before.enemy, placed.bit_length() - 1):
        return  # a move to the disc's square with forgotten flips is likelier
    for square in scan(turn.legal & ~placed & ~turn.after.unread):
        if (rules.flips(before.own, before.enemy, square) ^ turned) & ~turn.after.unread == 0:
            yield square


def explain(turn: TurnDiff, square: int | None, *, out_of_turn: bool = False) -> MoveHypothesis:
    """Return how the board differs from the board before with a disc on ``square`` and its flips."""
    rules, before, unread = turn.rules, turn.before, turn.after.unread
    own, enemy, disc, turned = before.own, before.enemy, 0, 0
    if square is not None:
        disc, turned = 1 << square, rules.flips(own, enemy, square)
        own, enemy = rules.after(own, enemy, square, turned)
    after_own, after_enemy = turn.after.own | own & unread, turn.after.enemy | enemy & unread

    expected, after = own | enemy, after_own | after_enemy
    missing, unexpected = expected & ~after, after & ~expected
    wrong = own & after_enemy | enemy & after_own
    displaced: Pairs = ()
    jumps = 0
    if missing and unexpected and missing.bit_count() == unexpected.bit_count():
        displaced, jumps = _pair(rules.geometry, own, after_own, missing, unexpected)
        missing = unexpected = 0
        jumps += sum(origin == square and _is_jump(rules.geometry, (origin, target)) for origin, target in displaced)
        for origin, target in displaced:
            if (own >> origin ^ after_own >> target) & 1:
                wrong |= 1 << origin
    over_turned = wrong & ~turned & ~disc
    single = unexpected if unexpected.bit_count() == 1 else 0
    return MoveHypothesis(
        square=square,
        out_of_turn=out_of_turn,
        impossible=square is not None and not (turned if out_of_turn else turn.legal & disc),
        wrong_color=bool(wrong & disc),
        under_turned=wrong & turned,
        over_turned=over_turned,
        displaced=displaced,
        missing=missing,
        extra=unexpected,
        placed_two=bool(single & after_own and not wrong & disc)
        and over_turned in (0, rules.flips(own, enemy, single.bit_length() - 1)),
        replied=bool(single & after_enemy and wrong) and not wrong & ~rules.flips(enemy, own, single.bit_length() - 1),
        jumps=jumps,
    )


def _pair(geometry: Geometry, own: int, after_own: int, left: int, strange: int) -> tuple[Pairs, int]:
    """Match displaced discs to squares: colours kept if possible, then the fewest jumps. Return the pairs and the
    jumps."""

    def recolored(pairs: Pairs) -> int:
        return sum((own >> origin ^ after_own >> target) & 1 for origin, target in pairs)

    def jumps(pairs: Pairs) -> int:
        return sum(_is_jump(geometry, pair) for pair in pairs)

    origins = scan(left)
    pairings: list[Pairs] = [tuple(zip(origins, targets, strict=True)) for targets in permutations(scan(strange))]
    best = min(pairings, key=lambda pairs: (recolored(pairs), jumps(pairs)))
    return best, jumps(best)


def _is_jump(geometry: Geometry, pair: tuple[int, int]) -> bool:
    """Return whether the second square is not a neighbour of the first."""
    return abs(pair[0] - pair[1]) not in geometry.shifts
