"""Parameters in which variants of Othello differ (RULES.md 1.4), and the legal moves and flips on any board.

Variants are data: every variant takes the same path through ``VariantRules``; the defaults are Othello's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.board.board_geometry import Geometry


class Ownership(StrEnum):
    """A colour relative to the side to move (VAR-15)."""

    OWN = "own"
    ENEMY = "enemy"


@dataclass(frozen=True, slots=True)
class VariantRules:
    """Board geometry and rule parameters of a variant.

    - ``placed``, ``turned``, ``flanking``: the fairy triple P-S-R (VAR-15). A disc of colour P is placed; discs of
      colour S between it and a disc of colour R are turned. Othello is own-enemy-own. Where S is R, a line of such
      discs is turned up to its last, which flanks the others `[I]`.
    - ``opening``: while there are fewer discs than these squares, the first plies go onto any free one of them and
      nothing need be flanked (VAR-01).
    - ``supply``: how many discs each side may place in all; a side with none left passes (VAR-01). None: no limit
      (OTH-10).
    - ``free_when_blocked``: when neither side can turn a disc, the side to move may place on any empty square and turns
      nothing; the game ends when the board is full (VAR-08b, AMB-32).
    - ``empties_to_winner``: the score counts empty squares for the winner (OTH-14); False: only the discs on the board,
      one reading of what VAR-01 leaves open.
    """

    geometry: Geometry
    placed: Ownership = Ownership.OWN
    turned: Ownership = Ownership.ENEMY
    flanking: Ownership = Ownership.OWN
    opening: int = 0
    supply: int | None = None
    free_when_blocked: bool = False
    empties_to_winner: bool = True

    @property
    def are_othello(self) -> bool:
        """Whether discs are placed and turned as in Othello, without a limit, whatever the board."""
        return self == VariantRules(self.geometry, empties_to_winner=self.empties_to_winner)

    def legal_moves(self, own: int, enemy: int) -> int:
        """Return the squares that ``own`` may play, as a set, regardless of its supply."""
        empty = self.geometry.playable & ~(own | enemy)
        if self.opening and (own | enemy).bit_count() < self.opening.bit_count():
            return self.opening & empty
        moves = self._flanking_moves(own, enemy) & empty
        if self.free_when_blocked and not moves and not self._flanking_moves(enemy, own) & empty:
            return empty
        return moves

    def flips(self, own: int, enemy: int, square: int) -> int:
        """Return the discs that a disc of ``own`` put on ``square`` turns, 0 if it turns none."""
        flank = own if self.flanking is Ownership.OWN else enemy
        line = enemy if self.turned is Ownership.ENEMY else own
        if flank == line:
            return flips_up_to_the_last(self.geometry, line, square)
        return flips(self.geometry, flank, line, square)

    def after(self, own: int, enemy: int, square: int, turned: int) -> tuple[int, int]:
        """Return the discs of both sides once a disc is on ``square`` and those in ``turned`` have changed colour."""
        if self.placed is Ownership.OWN:
            return own ^ turned | 1 << square, enemy ^ turned
        return own ^ turned, enemy ^ turned | 1 << square

    def _flanking_moves(self, own: int, enemy: int) -> int:
        return legal_moves(
            self.geometry,
            own if self.flanking is Ownership.OWN else enemy,
            enemy if self.turned is Ownership.ENEMY else own,
        )


# Move generation of Othello: enemy discs in line between a new disc and another of its colour are turned.
#
# This is the only plain code of the flanking rule, for every shape of board. ``own`` and ``enemy`` are sets of squares
# of one geometry; the guard bits of the geometry end every line.


def legal_moves(geometry: Geometry, own: int, enemy: int) -> int:
    """Return the empty squares on which a disc of ``own`` flanks at least one of ``enemy`` (OTH-05, OTH-08)."""
    reached = 0
    for shift in geometry.shifts:
        # Step from all own discs at once, over enemy discs only; the square after the last step is a move.
        run = own << shift & enemy
        while run:
            run <<= shift
            reached |= run
            run &= enemy
        run = own >> shift & enemy
        while run:
            run >>= shift
            reached |= run
            run &= enemy
    return reached & geometry.playable & ~(own | enemy)


def flips(geometry: Geometry, own: int, enemy: int, square: int) -> int:
    """Return the ``enemy`` discs that a disc of ``own`` put on ``square`` turns (OTH-06), 0 if it turns none.

    Only lines through ``square`` count (OTH-07). The caller must know whether the square is empty.
    """
    disc = 1 << square
    turned = 0
    for shift in geometry.shifts:
        line, step = 0, disc << shift
        while step & enemy:
            line |= step
            step <<= shift
        if step & own:
            turned |= line
        line, step = 0, disc >> shift
        while step & enemy:
            line |= step
            step >>= shift
        if step & own:
            turned |= line
    return turned


def flips_up_to_the_last(geometry: Geometry, line: int, square: int) -> int:
    """Return the discs of ``line`` between ``square`` and the last disc of an unbroken row of them (VAR-15 with S =
    R)."""
    turned = 0
    for shift in geometry.shifts:
        step = 1 << square + shift
        while step & line and step << shift & line:
            turned |= step
            step <<= shift
        step = 1 << square >> shift
        while step & line and step >> shift & line:
            turned |= step
            step >>= shift
    return turned
