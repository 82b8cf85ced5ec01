"""Game board for other programs: ``Board``, modelled on python-chess.

- A ``Board`` is a stack of immutable positions and the moves between them. All rules are in ``Position``.
- A move is the name of a square; None is a pass. Passes are never implied: a side that must pass pushes None.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from engine.board.color import Color
from engine.board.position import Position
from engine.board.svg import svg
from engine.board.transcript import PASS, format_transcript, parse_transcript, plies


@dataclass(frozen=True, slots=True)
class BoardOutcome:
    """Result of a finished game: the score, with empty squares counted for the winner (OTH-14), and the winner, None
    for a draw."""

    black: int
    white: int

    @property
    def winner(self) -> Color | None:
        if self.black == self.white:
            return None
        return Color.BLACK if self.black > self.white else Color.WHITE


class LegalMoves(tuple[str, ...]):
    """Playable squares in reading order; upper-case names are found too."""

    __slots__ = ()

    def __contains__(self, move: object) -> bool:
        return isinstance(move, str) and super().__contains__(move.lower())

    def __repr__(self) -> str:
        return f"<LegalMoves {' '.join(self)}>"


class Board:
    """Game in progress.

    :param cells: the starting board string, row by row, ``X`` black, ``O`` white, ``-`` empty; None: the set-up of the
        variant.
    :param turn: who moves first from ``cells``; None: who does in the variant.
    :raises BoardError: (a ValueError) if there is no such variant or ``cells`` is not a board of it.
    """

    __slots__ = ("_positions", "move_stack")

    def __init__(self, cells: str | None = None, turn: Color | None = None, *, variant: str = "8x8") -> None:
        start = Position.start(variant)
        if cells is not None:
            start = Position.from_cells(cells, turn or start.to_move, variant)
        elif turn is not None:
            raise ValueError("turn: a set-up says itself who moves; give it with cells")
        self._positions = [start]
        #: The moves made so far, None for a pass.
        self.move_stack: list[str | None] = []

    @classmethod
    def from_transcript(cls, transcript: str, *, variant: str = "8x8") -> Self:
        """Return the board after a transcript; passes that the transcript omits are on the stack.

        :raises BoardError: if it cannot be read, or a move is illegal.
        """
        board = cls(variant=variant)
        for move, position in plies(parse_transcript(transcript, board.position.geometry), board.position):
            board.move_stack.append(move)
            board._positions.append(position)
        return board

    @property
    def position(self) -> Position:
        """The current position, an immutable value; a move replaces it by another."""
        return self._positions[-1]

    @property
    def turn(self) -> Color:
        """The side to move, even if it has no legal move."""
        return self.position.to_move

    @property
    def legal_moves(self) -> LegalMoves:
        """The squares that can be played. Empty if the game is over or the side to move must pass."""
        return LegalMoves(self.position.geometry.names(self.position.legal_moves()))

    @property
    def must_pass(self) -> bool:
        """Whether the side to move cannot move but the other side can: ``push(None)`` is the only move."""
        return self.position.must_pass

    def is_legal(self, move: str | None) -> bool:
        """Return whether ``push`` accepts that move."""
        return self.must_pass if move in (None, PASS) else move in self.legal_moves

    def push(self, move: str | None) -> None:
        """Play a move, upper or lower case; None or ``--`` passes.

        :raises IllegalMove: (a ValueError) if it is not legal; the board is unchanged.
        :raises BadSquare: (a ValueError) if it is not a square of the board.
        """
        if move is None or move == PASS:
            self._positions.append(self.position.pass_turn())
            self.move_stack.append(None)
            return
        square = self.position.geometry.square(move)
        self._positions.append(self.position.play(square))
        self.move_stack.append(self.position.geometry.name(square))

    def pop(self) -> str | None:
        """Undo the last move and return it.

        :raises IndexError: if no move has been made.
        """
        move = self.move_stack.pop()
        self._positions.pop()
        return move

    def is_game_over(self) -> bool:
        """Return whether neither side can move (OTH-11)."""
        return self.position.is_over

    def outcome(self) -> BoardOutcome | None:
        """Return the score and the winner, None while the game is in progress."""
        return BoardOutcome(*self.position.final_score()) if self.is_game_over() else None

    def result(self) -> str:
        """Return the score, Black's first, as ``34-30``; ``*`` while the game is in progress."""
        outcome = self.outcome()
        return f"{outcome.black}-{outcome.white}" if outcome else "*"

    def transcript(self) -> str:
        """Return the moves so far, with passes marked."""
        return format_transcript(self.move_stack)

    def cells(self) -> str:
        """Return the board string."""
        return self.position.cells()

    def copy(self) -> Self:
        """Return an independent board with the same game."""
        twin = type(self).__new__(type(self))
        twin._positions, twin.move_stack = self._positions.copy(), self.move_stack.copy()
        return twin

    def __eq__(self, other: object) -> bool:
        """Return whether both boards hold the same position, regardless of the moves that led to it."""
        return self.position == other.position if isinstance(other, Board) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # a board is mutable

    def __str__(self) -> str:
        """Return the board in rows; squares missing from the board's shape are blank."""
        return "\n".join(_rows(self.position))

    def __repr__(self) -> str:
        return f"<Board {self.cells()} {self.turn}>"

    def _repr_svg_(self) -> str:
        """Return the SVG picture for notebooks, with the last move marked."""
        return svg(self.position, self.move_stack[-1] if self.move_stack else None)


def _rows(position: Position) -> Iterable[str]:
    geometry, cells = position.geometry, dict(zip(position.geometry.squares, position.cells(), strict=True))
    yield " ".join([" ", *(chr(ord("a") + column) for column in range(geometry.columns))])
    for row in range(geometry.rows):
        squares = range(row * geometry.stride, row * geometry.stride + geometry.columns)
        yield " ".join([str(row + 1), *(cells.get(square, " ") for square in squares)]).rstrip()
