"""Data model of ChouChou: options, set-up, acts, turns, result, state.

All are immutable values; only ``engine.chouchou.state_machine.step`` makes new states. Seats are numbered
clockwise from 0, one per player. Pieces have a *colour*, which partners share (CC-BRD-3), so a colour is a player or a
pair. Time is the clock's affair (``engine.match``): here a player has exceeded it, or not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from engine.chouchou.board_shapes import SHAPES, BoardKind, BoardSpec, Line
from engine.chouchou.errors import BadSetup
from engine.i18n import say


class LineRule(StrEnum):
    """AMB-33: which equal lines capture."""

    CHANGED = "changed"  # those with a cell whose total changed in this turn
    STANDING = "standing"  # older ones too


class NextPiece(StrEnum):
    """AMB-34: what applies if there is a piece on NEXT and the player places another one."""

    STAYS = "stays"  # no penalty; the piece stays, and so does the ban on moving (CC-MOV-6)
    COMPULSORY = "compulsory"  # placing another one is no legal act


class PenaltyTo(StrEnum):
    """AMB-35: who receives the pieces of a penalty among three or four individual players."""

    EACH = "each"  # each opponent the full number
    DIVIDED = "divided"  # the number is the total, in equal parts


class Offender(StrEnum):
    """AMB-35: what the offender does after a void movement."""

    PLACES = "places"  # the offender still has to place a piece
    TURN_ENDS = "turn-ends"


class Capturing(StrEnum):
    """AMB-36: treatment of a capture that nobody takes."""

    FORGOTTEN = "forgotten"  # lost when the clock is switched (CC-CAP-7)
    COMPULSORY = "compulsory"  # the clock is not switched before all is taken
    AUTOMATIC = "automatic"  # taken at once, so none can be forgotten


#: CC-MOV-5: how often each player may move pieces
MOVEMENTS = 9


@dataclass(frozen=True, slots=True)
class ChouChouOptions:
    """Readings of the rules, each with the recommended one as its default."""

    line_rule: LineRule = LineRule.CHANGED
    next_piece: NextPiece = NextPiece.STAYS
    penalty_to: PenaltyTo = PenaltyTo.EACH
    penalty_wins: bool = True  # AMB-35: penalty pieces can win the game
    offender: Offender = Offender.PLACES
    capturing: Capturing = Capturing.FORGOTTEN


@dataclass(frozen=True, slots=True)
class ChouChouSetup:
    """Parameters of a game.

    - ``players``: 2 to 4. ``pairs``: four players, seats 0 and 2 against 1 and 3: winner's 1, loser's 1, winner's 2,
      loser's 2 (CC-SEAT-2).
    - ``first``: the seat that begins. None: seat 0, in pairs seat 1, the loser side's player 1 (CC-SEAT-3).
    - ``target``: None: the board's (CC-WIN-1); others are local rules (CC-WIN-2).
    """

    board: BoardKind = BoardKind.THREE
    players: int = 2
    pairs: bool = False
    first: int | None = None
    target: int | None = None
    options: ChouChouOptions = field(default_factory=ChouChouOptions)

    def __post_init__(self) -> None:
        if not 2 <= self.players <= 4:
            raise BadSetup(say("ChouChou is for 2 to 4 players, not {players} (CC-BRD-1)", players=self.players))
        if self.pairs and self.players != 4:
            raise BadSetup(say("pairs need four players, not {players} (CC-BRD-1)", players=self.players))
        if self.first is not None and self.first not in range(self.players):
            raise BadSetup(
                say(
                    "seat {first} cannot begin; seats run from 0 to {players}",
                    first=self.first,
                    players=self.players - 1,
                )
            )
        if self.target is not None and self.target < 1:
            raise BadSetup(say("the target is {target}; it must be 1 or more", target=self.target))

    @property
    def shape(self) -> BoardSpec:
        return SHAPES[self.board]

    @property
    def goal(self) -> int:
        """How many captured pieces win."""
        return self.shape.target if self.target is None else self.target

    @property
    def colors(self) -> int:
        return 2 if self.pairs else self.players

    def color_of(self, seat: int) -> int:
        return seat % self.colors

    @property
    def seats(self) -> range:
        return range(self.players)

    @property
    def begins(self) -> int:
        return (1 if self.pairs else 0) if self.first is None else self.first


@dataclass(frozen=True, slots=True)
class Placement:
    """Placing one own piece into a cell (CC-PUT-2): the piece on NEXT if there is one, unless ``from_supply``."""

    cell: int
    from_supply: bool = False


@dataclass(frozen=True, slots=True)
class TwoPieces:
    """Moving exactly two own pieces from one cell to another (CC-MOV-2)."""

    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """Exchanging the own piece of one cell with the enemy piece of another (CC-MOV-3). ``color``: the enemy piece's
    colour, needed only where the cell holds pieces of several."""

    own: int
    enemy: int
    color: int | None = None


Movement = TwoPieces | Exchange
Act = Placement | TwoPieces | Exchange


@dataclass(frozen=True, slots=True)
class ChouChouTurn:
    """A finished turn. ``act`` None: none was possible, or none was made. ``void``: movements taken back (CC-SUP-1a).
    ``taken``: how many pieces; ``forgotten``: cells whose captures were not taken (CC-CAP-7). ``time_over``: the player
    exceeded the time in it."""

    seat: int
    act: Act | None
    void: tuple[Movement, ...] = ()
    taken: int = 0
    forgotten: tuple[int, ...] = ()
    time_over: bool = False


class ChouChouEnd(StrEnum):
    TARGET = "target"  # CC-WIN-1
    PENALTY = "penalty"  # AMB-35
    TIME = "time"  # CC-WIN-5


@dataclass(frozen=True, slots=True)
class ChouChouResult:
    """Result of a game. ``winner``: the seat that reached the target, or the first seat of the colour left (in pairs
    the pair wins)."""

    winner: int
    end: ChouChouEnd


#: Number of pieces of each colour in a cell.
Cell = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChouChouState:
    """State of a game. Tuples over seats: ``next_zone`` (is a piece on NEXT), ``stock`` (movement pieces left),
    ``captured`` (pieces by colour), ``penalty`` (pieces received). ``due``: the lines of the present capture that still
    hold enemy pieces; ``lost``: the cells it has emptied of them; ``out``: the seats that have lost on time."""

    setup: ChouChouSetup
    seat: int
    cells: tuple[Cell, ...]
    next_zone: tuple[bool, ...]
    stock: tuple[int, ...]
    captured: tuple[Cell, ...]
    penalty: tuple[int, ...]
    acted: bool = False
    turn: ChouChouTurn = ChouChouTurn(0, None)
    due: tuple[Line, ...] = ()
    lost: frozenset[int] = frozenset()
    out: frozenset[int] = frozenset()
    turns: tuple[ChouChouTurn, ...] = ()
    result: ChouChouResult | None = None

    @property
    def color(self) -> int:
        """The colour of the player whose turn it is."""
        return self.setup.color_of(self.seat)

    def total(self, cell: int) -> int:
        return sum(self.cells[cell])

    def score(self, seat: int) -> int:
        """Return the pieces on that player's score board, captured and received."""
        return sum(self.captured[seat]) + self.penalty[seat]

    def due_cells(self) -> frozenset[int]:
        """Return the cells with pieces that the player to move may take now."""
        union = frozenset[int]().union(*self.due)
        return frozenset(cell for cell in union if self.total(cell) > self.cells[cell][self.color])

    def may_move(self, seat: int) -> bool:
        """Return whether a movement is allowed (CC-MOV-1, CC-MOV-4, CC-MOV-5)."""
        return not self.next_zone[seat] and self.stock[seat] != 0


# Events of a game of ChouChou.


@dataclass(frozen=True, slots=True)
class Play:
    """The player has released the piece: the act is final (CC-PUT-4, CC-SUP-1d)."""

    act: Act


@dataclass(frozen=True, slots=True)
class Take:
    """The enemy pieces of these cells are taken off and put on the score board: those of one line, of all, or fewer if
    the player overlooks some."""

    cells: frozenset[int]


@dataclass(frozen=True, slots=True)
class Switch:
    """The turn is over, the clock is switched (CC-SUP-2c)."""


@dataclass(frozen=True, slots=True)
class TimeOver:
    """The player to move has exceeded main time and extension (CC-WIN-5)."""


Event = Play | Take | Switch | TimeOver


# Counting of ChouChou, for a game whose moves are known and for the clock alone: turn order, pieces of a penalty, who
# reached the target (CC-WIN-1, CC-SUP-1).
#
# Players are numbered in turn order, from 0; a *color* is a player, or a pair (players 0 and 2, 1 and 3).

#: CC-SUP-1: pieces that each opponent receives, by the number of players
PENALTIES = {2: 5, 3: 4, 4: 3}


def turn_order(player: int, players: int, out: Collection[int] = ()) -> list[int]:
    """Return the players still in the game, clockwise from the next one; ``player`` is last."""
    after = [(player + step) % players for step in range(1, players + 1)]
    return [one for one in after if one not in out]


def with_penalty(scores: Sequence[int], order: Sequence[int], *, pairs: bool, divided: bool) -> tuple[int, ...]:
    """Return the scores after a movement in consecutive turns by the last player of ``order``: every opponent receives
    pieces, or a part of them (``divided``, AMB-35)."""
    opponents = [one for one in order[:-1] if not pairs or (one - order[-1]) % 2]
    pieces = PENALTIES[len(scores)]
    if divided and not pairs:
        pieces //= len(opponents)
    return tuple(own + pieces * (player in opponents) for player, own in enumerate(scores))


def first_to_reach(scores: Sequence[int], target: int, order: Sequence[int]) -> int | None:
    """Return the first player of ``order`` who has the target (CC-WIN-1); None if nobody has."""
    return next((player for player in order if scores[player] >= target), None)
