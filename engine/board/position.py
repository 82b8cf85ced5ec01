"""A position: discs on a board and the side to move.

The law: a position is a value and need not be reachable by play. The table's board may hold the traces of an illegal
move that nobody challenged (K-09), and everything here works from such a board too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from engine.board import flanking
from engine.board.color import Color
from engine.board.errors import BadBoard, IllegalMove
from engine.board.geometry import Geometry
from engine.board.variants import variant as find_variant


@dataclass(frozen=True, slots=True)
class Position:
    """The discs of both colours, as sets of squares of ``geometry``, and who moves."""

    geometry: Geometry
    black: int
    white: int
    to_move: Color

    @classmethod
    def start(cls, variant: str = "8x8") -> Self:
        """The set-up of a variant (OTH-03, OTH-04).

        :raises UnknownVariant: if there is no such variant.
        """
        start = find_variant(variant)
        black = sum(1 << start.geometry.square(name) for name in start.black.split())
        white = sum(1 << start.geometry.square(name) for name in start.white.split())
        return cls(start.geometry, black, white, start.first)

    @classmethod
    def from_cells(cls, cells: str, to_move: Color, variant: str = "8x8") -> Self:
        """The position of a board string: ``X`` black, ``O`` white, ``-`` empty, row by row.

        :raises BadBoard: if the string has the wrong length or another character.
        :raises UnknownVariant: if there is no such variant.
        """
        geometry = find_variant(variant).geometry
        return cls(geometry, *parse_cells(cells, geometry), to_move)

    def cells(self) -> str:
        """The board string."""
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
        """How many discs of a colour are on the board."""
        return (self.black if color is Color.BLACK else self.white).bit_count()

    def legal_moves(self) -> int:
        """The squares the side to move may play, as a set (OTH-05, OTH-08)."""
        return flanking.legal_moves(self.geometry, self.own, self.enemy)

    def flips(self, square: int) -> int:
        """The discs that the side to move turns by a move to ``square`` (OTH-06); 0 if that is no legal move."""
        if not self.empty >> square & 1:
            return 0
        return flanking.flips(self.geometry, self.own, self.enemy, square)

    def play(self, square: int) -> Self:
        """The position after a legal move; the other side is to move, able or not.

        :raises IllegalMove: if the square is occupied or the move turns nothing.
        """
        turned = self.flips(square)
        if not turned:
            raise IllegalMove(self._why_not(square))
        own, enemy = self.own | turned | 1 << square, self.enemy & ~turned
        black, white = (own, enemy) if self.to_move is Color.BLACK else (enemy, own)
        return type(self)(self.geometry, black, white, self.to_move.opponent)

    def pass_turn(self) -> Self:
        """The position after a pass (OTH-09).

        :raises IllegalMove: if the side to move can move, or the game is over.
        """
        if moves := self.legal_moves():
            raise IllegalMove(f"{self.to_move} may not pass and can play {' '.join(self.geometry.names(moves))}")
        if self.is_over:
            raise IllegalMove("the game is over, nobody can move")
        return type(self)(self.geometry, self.black, self.white, self.to_move.opponent)

    @property
    def must_pass(self) -> bool:
        """Whether the side to move cannot move but the other side can (OTH-09)."""
        return not self.legal_moves() and not self.is_over

    @property
    def is_over(self) -> bool:
        """Whether neither side can move (OTH-11)."""
        return not (
            flanking.legal_moves(self.geometry, self.own, self.enemy)
            or flanking.legal_moves(self.geometry, self.enemy, self.own)
        )

    def final_score(self) -> tuple[int, int]:
        """Black's and White's score if the game ends here: empty squares go to the winner (OTH-14, OTH-15), a draw
        is half the board each (OTH-16)."""
        black, white, size = self.count(Color.BLACK), self.count(Color.WHITE), self.geometry.size
        if black == white:
            return size // 2, size // 2
        return (size - white, white) if black > white else (black, size - black)

    def _why_not(self, square: int) -> str:
        name = self.geometry.name(square)
        if not self.empty >> square & 1:
            return f"{self.to_move} cannot play {name}, it is occupied"
        if self.is_over:
            return f"{self.to_move} cannot play {name}, the game is over"
        return f"{self.to_move} cannot play {name}, it turns no disc"


def parse_cells(cells: str, geometry: Geometry) -> tuple[int, int]:
    """The black and the white discs of a board string.

    :raises BadBoard: if the string has the wrong length or a character that is not ``X``, ``O`` or ``-``.
    """
    if len(cells) != geometry.size:
        raise BadBoard(f"a board has {geometry.size} characters, row by row, and this one has {len(cells)}")
    black = white = 0
    for square, cell in zip(geometry.squares, cells, strict=True):
        if cell == "X":
            black |= 1 << square
        elif cell == "O":
            white |= 1 << square
        elif cell == "?":
            raise BadBoard(f"square {geometry.name(square)} is unknown ('?'); read the board again")
        elif cell != "-":
            raise BadBoard(f"square {geometry.name(square)} is {cell!r}; a cell is X (black), O (white) or - (empty)")
    return black, white
