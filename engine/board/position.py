"""Position: discs on a board and the side to move, an immutable value.

A position need not be reachable by play: a board may contain an illegal move that nobody challenged (K-09), and all
functions work from such a board too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from engine.board.board_geometry import Geometry
from engine.board.color import Color
from engine.board.errors import BadBoard, IllegalMove
from engine.board.variant_rules_and_move_generation import VariantRules
from engine.board.variants import STANDARD, Variant
from engine.board.variants import variant as find_variant
from engine.i18n import Text, say


@dataclass(frozen=True, slots=True)
class Position:
    """Discs of both colours, as sets of squares, and the side to move.

    ``black_placed``: how many discs Black has placed, where the rules limit them (VAR-01), else 0; White has placed the
    others.
    """

    rules: VariantRules
    black: int
    white: int
    to_move: Color
    black_placed: int = 0

    @property
    def geometry(self) -> Geometry:
        return self.rules.geometry

    @classmethod
    def start(cls, variant: str | Variant = STANDARD) -> Self:
        """Return the set-up of a variant (OTH-03, OTH-04).

        :raises UnknownVariant: if there is no such variant.
        """
        start = variant if isinstance(variant, Variant) else find_variant(variant)
        return cls(start.rules, start.geometry.mask(start.black), start.geometry.mask(start.white), start.first)

    @classmethod
    def from_cells(cls, cells: str, to_move: Color, variant: str | Variant = STANDARD) -> Self:
        """Return the position of a board string: ``X`` black, ``O`` white, ``-`` empty, row by row.

        Where discs are limited, both sides are assumed to have placed as many as if nobody had passed.

        :raises BadBoard: if the string has the wrong length or another character.
        :raises UnknownVariant: if there is no such variant.
        """
        rules = (variant if isinstance(variant, Variant) else find_variant(variant)).rules
        black, white = parse_cells(cells, rules.geometry)
        discs = (black | white).bit_count()
        black_placed = 0 if rules.supply is None else (discs + (to_move is Color.WHITE)) // 2
        return cls(rules, black, white, to_move, black_placed)

    def cells(self) -> str:
        """Return the board string."""
        return "".join(
            "X" if self.black >> square & 1 else "O" if self.white >> square & 1 else "-"
            for square in self.geometry.squares
        )

    @property
    def own(self) -> int:
        """The discs of the side to move."""
        return self.black if self.to_move is Color.BLACK else self.white

    @property
    def enemy(self) -> int:
        """The discs of the other side."""
        return self.white if self.to_move is Color.BLACK else self.black

    @property
    def empty(self) -> int:
        """The empty squares."""
        return self.geometry.playable & ~(self.black | self.white)

    def count(self, color: Color) -> int:
        """Return how many discs of a colour are on the board."""
        return (self.black if color is Color.BLACK else self.white).bit_count()

    def legal_moves(self) -> int:
        """Return the squares the side to move may play, as a set (OTH-05, OTH-08)."""
        return self._legal_moves(self.to_move)

    def flips(self, square: int) -> int:
        """Return the discs that the side to move turns by a move to ``square`` (OTH-06); 0 if there are none."""
        if not self.empty >> square & 1:
            return 0
        return self.rules.flips(self.own, self.enemy, square)

    def is_legal(self, square: int) -> bool:
        """Return whether the side to move may play that square."""
        return bool(self.legal_moves() >> square & 1)

    def play(self, square: int) -> Self:
        """Return the position after a legal move; the other side is to move, even if it must pass.

        :raises IllegalMove: if the square is occupied, or the move turns nothing where the rules require it.
        """
        turned = self.flips(square)
        if (not turned or self.rules.supply is not None) and not self.is_legal(square):
            raise IllegalMove(self._why_not(square))
        own, enemy = self.rules.after(self.own, self.enemy, square, turned)
        if self.to_move is Color.WHITE:
            return type(self)(self.rules, enemy, own, Color.BLACK, self.black_placed)
        placed = 0 if self.rules.supply is None else self.black_placed + 1
        return type(self)(self.rules, own, enemy, Color.WHITE, placed)

    def pass_turn(self) -> Self:
        """Return the position after a pass (OTH-09).

        :raises IllegalMove: if the side to move can move, or the game is over.
        """
        if moves := self.legal_moves():
            text, squares = say("{color} may not pass and can play {squares}"), " ".join(self.geometry.names(moves))
            raise IllegalMove(text(color=self.to_move.label, squares=squares))
        if self.is_over:
            raise IllegalMove(say("the game is over, nobody can move"))
        return type(self)(self.rules, self.black, self.white, self.to_move.opponent, self.black_placed)

    @property
    def must_pass(self) -> bool:
        """Whether the side to move cannot move but the other side can (OTH-09)."""
        return not self.legal_moves() and not self.is_over

    @property
    def is_over(self) -> bool:
        """Whether neither side can move (OTH-11)."""
        return not (self._legal_moves(self.to_move) or self._legal_moves(self.to_move.opponent))

    def final_score(self) -> tuple[int, int]:
        """Return Black's and White's score if the game ends here: empty squares go to the winner (OTH-14, OTH-15), a
        draw is half the board each (OTH-16)."""
        black, white, size = self.count(Color.BLACK), self.count(Color.WHITE), self.geometry.size
        if not self.rules.empties_to_winner:
            return black, white
        if black == white:
            return size // 2, size // 2
        return (size - white, white) if black > white else (black, size - black)

    def placed(self, color: Color) -> int:
        """Return how many discs a side has placed, where the rules limit them (VAR-01)."""
        return self.black_placed if color is Color.BLACK else (self.black | self.white).bit_count() - self.black_placed

    def _legal_moves(self, color: Color) -> int:
        if self.rules.supply is not None and self.placed(color) >= self.rules.supply:
            return 0
        if color is Color.BLACK:
            return self.rules.legal_moves(self.black, self.white)
        return self.rules.legal_moves(self.white, self.black)

    def _why_not(self, square: int) -> Text:
        who, name = self.to_move.label, self.geometry.name(square)
        if not self.empty >> square & 1:
            return say("{color} cannot play {square}, it is occupied", color=who, square=name)
        if self.is_over:
            return say("{color} cannot play {square}, the game is over", color=who, square=name)
        if self.rules.supply is not None and self.placed(self.to_move) >= self.rules.supply:
            text = say("{color} cannot play {square}, all {n} discs are placed")
            return text(color=who, square=name, n=self.rules.supply)
        if self.rules.opening & self.legal_moves():
            return say("{color} cannot play {square}, the first discs go onto the centre", color=who, square=name)
        return say("{color} cannot play {square}, it turns no disc", color=who, square=name)


def parse_cells(cells: str, geometry: Geometry) -> tuple[int, int]:
    """Return the black and the white discs of a board string.

    :raises BadBoard: if the string has the wrong length or a character that is not ``X``, ``O`` or ``-``.
    """
    black, white, unread = parse_reading(cells, geometry)
    if unread:
        raise BadBoard(say("square {square} is unknown ('?'); read the board again", square=geometry.names(unread)[0]))
    return black, white


@lru_cache(maxsize=256)  # one board is parsed several times
def parse_reading(cells: str, geometry: Geometry) -> tuple[int, int, int]:
    """Return the black discs, the white discs and the unread squares (``?``) of a board string from a camera.

    :raises BadBoard: if the string has the wrong length or a character that is not ``X``, ``O``, ``-`` or ``?``.
    """
    if len(cells) != geometry.size:
        text = say("a board has {size} characters, row by row, and this one has {n}")
        raise BadBoard(text(size=geometry.size, n=len(cells)))
    found = dict.fromkeys("XO?-", 0)
    for square, cell in zip(geometry.squares, cells, strict=True):
        if cell not in found:
            text = say("square {square} is {cell}; a cell is X (black), O (white), - (empty) or ? (unread)")
            raise BadBoard(text(square=geometry.name(square), cell=repr(cell)))
        found[cell] |= 1 << square
    return found["X"], found["O"], found["?"]
