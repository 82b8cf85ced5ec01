"""Match events, everything that can happen in a game at a table; and effects, what the table then has to do.

Only these values change a game. ``at_ns`` is on the table's monotonic clock; for a press it is the time of the edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.board.color import Color
from engine.i18n import Text
from engine.match.match_value_types import MatchError, RecordedViolation, Seat
from engine.match.rule_sets_and_options import NoShowPolicy


class MatchEventError(MatchError, ValueError):
    """A journal body or an arbiter's order that is not a valid event. The message names the field."""


class TimeWinChoice(StrEnum):
    """What the winner on time chooses (M43-15a, M43-15b)."""

    SCORE = "33-31"
    FREE_PLAY = "free-play"


class ClaimKind(StrEnum):
    FLAG = "flag"
    ILLEGAL = "illegal"


class Action(StrEnum):
    """Orders of an arbiter (K-15)."""

    HOLD = "hold"
    RESUME = "resume"
    SET_TIME = "set_time"
    DEDUCT = "deduct"
    FORFEIT = "forfeit"
    RESULT = "result"
    LATE_START = "late_start"
    UNRATED = "unrated"
    REOPEN = "reopen"  # M43-2, FS-05: settle colours, draw right and seats again
    BOTH_FLAGS = "both_flags"  # M43-16.3: others than the players may point it out
    FLAG = "flag"  # TEAM-7.6: the arbiter calls a flag
    RESIGNATION = "resignation"  # TEAM-8.4, AMB-08: a player resigned
    CHALLENGE = "challenge"  # M43-6a.6: the ruling on a challenge
    LATE_READING = "late_reading"  # AMB-05: what a no-show of the late player means


@dataclass(frozen=True, slots=True)
class Press:
    """A debounced press of a seat's button, at the time of the edge."""

    at_ns: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Retract:
    """The last press was a voltage spike and is undone. ``press_at_ns``, if given, must be that press's time, so that
    the spike of a refused press cannot undo an older one.
    """

    at_ns: int
    press_at_ns: int | None = None


@dataclass(frozen=True, slots=True)
class BoardReported:
    """A settled board reading of 64 characters (other variants: one per square). ``answers``: the number of the
    ``ReadBoard`` it answers; None: unsolicited.
    """

    at_ns: int
    cells: str
    answers: int | None = None


@dataclass(frozen=True, slots=True)
class CorrectReading:
    """Correction of a wrong board reading: the last completed turn ended with this board."""

    at_ns: int
    cells: str


@dataclass(frozen=True, slots=True)
class PlayerClaim:
    """A claim by ``by`` of the opponent's flag, or that the opponent's preceding turn was illegal (``kind`` IM-n, named
    ``squares``: M43-6a.4/5).
    """

    at_ns: int
    by: Color
    what: ClaimKind
    kind: str | None = None
    squares: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declare:
    """A declaration by ``by`` of their own flag (M43-15.2)."""

    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Choose:
    at_ns: int
    choice: TimeWinChoice


@dataclass(frozen=True, slots=True)
class StopFreePlay:
    at_ns: int


@dataclass(frozen=True, slots=True)
class Agree:
    """The players' agreement or disagreement: on an illegal move (CORR), on the result (ENDED)."""

    at_ns: int
    agree: bool


@dataclass(frozen=True, slots=True)
class Hold:
    """A player's stop of the clock to call the arbiter (M43-11)."""

    at_ns: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class DeclareEnd:
    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Pass:
    """A spoken "pass" of ``by``; the press has to follow (M43-6b)."""

    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class DiscCount:
    """A count entered by hand. ``each``: in ChouChou with more than two players, every player's pieces in turn order;
    the other two fields are then their sums.
    """

    at_ns: int
    black: int
    white: int
    each: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CapturePenalty:
    """CC-SUP-1: the player in turn, on the side of ``by``, has moved pieces in consecutive turns."""

    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Confirm:
    """A player's signature: ``by`` has checked the card and agrees (M43-18.2)."""

    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class ArbiterOrder:
    """An arbiter's order.

    ``side`` is the absent player, the loser or the one whose time is deducted: a colour, or a seat while colours are
    open. ``turn``: whose turn it is, together with the times. ``upheld``: the challenge was justified. ``reading``:
    what a no-show means. ``move``: the number of the turn in progress.
    """

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
    reading: NoShowPolicy | None = None
    move: int | None = None


@dataclass(frozen=True, slots=True)
class Arrive:
    """Arrival of the late player; the clock is stopped (M43-13.1)."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class SeatsAssigned:
    """Settlement of an open set-up: where Black sits, and who has the draw right."""

    at_ns: int
    black_seat: Seat
    draw_right: Color | None = None


@dataclass(frozen=True, slots=True)
class Reopen:
    """Both players reopen their set-up before the start: colours, draw right and seats are settled again."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Submitted:
    """The head has received the card."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Restart:
    """Restart of the table program after a power cut. ``at_ns`` is the last instant in the journal: the clock is
    charged up to it, then stops; the program's time continues from there.
    """

    at_ns: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed. It matters only where time alone changes the state (``MatchState.next_deadline_ns``)."""

    at_ns: int


Event = (
    Press | Retract | BoardReported | CorrectReading | PlayerClaim | Declare | Choose | StopFreePlay | Agree | Hold
    | DeclareEnd | Pass
    | DiscCount | CapturePenalty | Confirm | ArbiterOrder | Arrive | SeatsAssigned | Reopen | Submitted | Restart | Tick
)  # fmt: skip


def color_or_seat(name: object) -> Color | Seat:
    """Return the colour or seat named ``black``, ``white``, ``left`` or ``right``.

    :raises ValueError: another name
    """
    return Seat(name) if name in ("left", "right") else Color(name)  # type: ignore[arg-type]


# Effects that a step asks its caller to carry out.


@dataclass(frozen=True, slots=True)
class ReadBoard:
    """Request to read the settled board and send it as ``Board(answers=number)``."""

    number: int


@dataclass(frozen=True, slots=True)
class CallArbiter:
    why: Text


@dataclass(frozen=True, slots=True)
class CardReady:
    """Both players have signed, or the arbiter changed the result: the state's ``result`` can be submitted."""


@dataclass(frozen=True, slots=True)
class ViolationRecorded:
    """A recorded irregularity, for the arbiter and the head, never for the players (K-08)."""

    finding: RecordedViolation


Effect = ReadBoard | CallArbiter | CardReady | ViolationRecorded
