"""Everything that can happen at a table.

The law: whatever changes a game is one of these values. ``at_ns`` is on the table's monotonic clock; for a press it is
the time of the edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.board.color import Color
from engine.match.model import MatchError, Seat
from engine.match.rulesets import LateNeverCame


class EventError(MatchError, ValueError):
    """A journal body or an arbiter's order is not an event. The message names the field."""


class Choice(StrEnum):
    """What the winner on time takes (M43-15a, M43-15b)."""

    SCORE = "33-31"
    FREE_PLAY = "free-play"


class ClaimOf(StrEnum):
    FLAG = "flag"
    ILLEGAL = "illegal"


class Action(StrEnum):
    """Arbiter actions (K-15)."""

    HOLD = "hold"
    RESUME = "resume"
    SET_TIME = "set_time"
    DEDUCT = "deduct"
    FORFEIT = "forfeit"
    RESULT = "result"
    LATE_START = "late_start"
    UNRATED = "unrated"
    REOPEN = "reopen"  # M43-2, FS-05: colours, draw right and seats are settled again
    BOTH_FLAGS = "both_flags"  # M43-16.3: others than the players may point it out
    FLAG = "flag"  # TEAM-7.6: an arbiter calls a flag
    RESIGNATION = "resignation"  # TEAM-8.4, AMB-08: a player gave up
    CHALLENGE = "challenge"  # M43-6a.6: the ruling on a challenge
    LATE_READING = "late_reading"  # AMB-05: what it means that the late player never came


@dataclass(frozen=True, slots=True)
class Press:
    """A debounced press of the button at that seat, at the edge's time."""

    at_ns: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Retract:
    """The last press was a spike: as if it never happened. ``press_at_ns``, if given, must be that press's time, so
    that the spike of a press that was refused cannot take back an older one."""

    at_ns: int
    press_at_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """A settled reading, 64 characters. ``answers``: the number of the AskBoard it answers; None: unsolicited."""

    at_ns: int
    cells: str
    answers: int | None = None


@dataclass(frozen=True, slots=True)
class Reread:
    """Whoever read the last completed turn read it wrongly: it ended with this board."""

    at_ns: int
    cells: str


@dataclass(frozen=True, slots=True)
class Claim:
    """``by`` claims the opponent's flag, or that the opponent's preceding turn was illegal (``kind`` IM-n, named
    ``squares``: M43-6a.4/5)."""

    at_ns: int
    by: Color
    what: ClaimOf
    kind: str | None = None
    squares: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declare:
    """``by`` declares his own flag (M43-15.2)."""

    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Choose:
    at_ns: int
    choice: Choice


@dataclass(frozen=True, slots=True)
class StopFreePlay:
    at_ns: int


@dataclass(frozen=True, slots=True)
class Agree:
    """The players agree, or not: on an illegal move (CORR), on the result (ENDED)."""

    at_ns: int
    agree: bool


@dataclass(frozen=True, slots=True)
class Hold:
    """A player stops the clock and calls the arbiter (M43-11)."""

    at_ns: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class DeclareEnd:
    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Pass:
    """``by`` says "pass"; his press still has to follow (M43-6b)."""

    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Discs:
    """A count entered by hand. ``each``: ChouChou among more than two, every player's pieces in the order of turns;
    the other two are their sums then."""

    at_ns: int
    black: int
    white: int
    each: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Penalty:
    """CC-SUP-1: the player in turn, ``by``'s, has moved pieces in consecutive turns."""

    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Confirm:
    """``by`` has checked the card, agrees and signs (M43-18.2)."""

    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Arbiter:
    """An arbiter's order. ``side`` is the absent player, the loser or the one whose time is deducted: a colour, or a
    seat while colours are open. ``turn``: whose turn it is, with the times. ``upheld``: the challenge was right.
    ``reading``: of a late player who never came. ``move``: the number of the turn in progress."""

    at_ns: int
    action: Action
    reason: str = ""
    side: Color | Seat | None = None
    black_ns: int | None = None
    white_ns: int | None = None
    amount_ns: int | None = None
    winner: Color | None = None
    black_discs: int | None = None
    white_discs: int | None = None
    turn: Color | None = None
    upheld: bool | None = None
    reading: LateNeverCame | None = None
    move: int | None = None


@dataclass(frozen=True, slots=True)
class Arrive:
    """The late player sits down; the clock is stopped (M43-13.1)."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Seats:
    """Settles an open set-up: where Black sits, and who has the draw right."""

    at_ns: int
    black_seat: Seat
    draw_right: Color | None = None


@dataclass(frozen=True, slots=True)
class Reopen:
    """Before the start both players take their set-up back: colours, draw right and seats are settled again."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Submitted:
    """The head has the card."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Restart:
    """The table program came back after a power cut. ``at_ns`` is the last instant the journal knows of: the clock
    is charged up to it, then stands; the program's time goes on from there."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passed; matters only where time alone changes the state (``MatchState.next_deadline_ns``)."""

    at_ns: int


Event = (
    Press | Retract | Board | Reread | Claim | Declare | Choose | StopFreePlay | Agree | Hold | DeclareEnd | Pass
    | Discs | Penalty | Confirm | Arbiter | Arrive | Seats | Reopen | Submitted | Restart | Tick
)  # fmt: skip


def color_or_seat(name: object) -> Color | Seat:
    """``black``, ``white``, ``left`` or ``right``.

    :raises ValueError: it is none of them
    """
    return Seat(name) if name in ("left", "right") else Color(name)  # type: ignore[arg-type]
