"""Value types of one game at a table: set-up, turns, challenges, findings, messages, result.

- They change only by ``engine.match.step``. Every change is caused by one event, and the same events always give the
  same values, so a journal of events contains the whole game.
- Clock sides belong to *seats* (the two buttons). Colours are bound to seats later, because a late player's clock
  already runs before colours are decided (K-01).
- All times are integers in nanoseconds on the table's monotonic clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from engine.board.color import Color
from engine.end_reason import EndReason
from engine.i18n import LocalizedError, Text, say

NS_PER_S = 1_000_000_000


class MatchError(LocalizedError):
    """Base class of errors about a game at one table."""


class IllegalEvent(MatchError, ValueError):  # noqa: N818 - the event is what is wrong
    """The rules do not allow this event now. The state is unchanged; the message says why."""


class BadSeconds(MatchError, ValueError):  # noqa: N818 - the figure is what is wrong
    """A value that is not a number of seconds."""


def seconds_to_ns(value: object) -> int:
    """Return seconds, whole or with a fraction, in nanoseconds; exact for decimals.

    :raises BadSeconds: not a finite number, or too large.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise BadSeconds(say("must be a number of seconds"))
    seconds = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not seconds.is_finite() or seconds.copy_abs() > 10**9:  # abs() would overflow
        raise BadSeconds(say("must be a finite number of seconds"))
    return round(seconds * NS_PER_S)


class Seat(StrEnum):
    """A physical place at the table, with its button and clock side."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> Seat:
        return Seat.RIGHT if self is Seat.LEFT else Seat.LEFT


class Phase(StrEnum):
    """The states of RULES.md 3.1."""

    SETUP = "SETUP"
    LATE = "LATE"
    READY = "READY"
    TURN = "TURN"
    CORR = "CORR"
    HOLD = "HOLD"
    CHECK = "CHECK"
    ENDED = "ENDED"
    FINISH = "FINISH"
    CHOICE = "CHOICE"
    FREE = "FREE"
    RESULT = "RESULT"
    SIGNED = "SIGNED"
    SUBMITTED = "SUBMITTED"


# Error messages for events that the rules do not allow go to the log and to the sender of the event, never to the
# players' screens. They name no flag, no finding and no move.

#: what the game waits for in each state of RULES.md 3.1
WAITS_FOR: Mapping[Phase, Text] = {
    Phase.SETUP: say("settle colours and seats first"),
    Phase.LATE: say("the late player arrives, or the arbiter decides"),
    Phase.READY: say("White presses to start the game"),
    Phase.TURN: say("the player in turn moves or passes, and presses"),
    Phase.CORR: say("the offender corrects the turn and presses, or the arbiter is called"),
    Phase.HOLD: say("the clock is stopped until the arbiter resumes it"),
    Phase.CHECK: say("the opponent of the last mover declares the end or challenges"),
    Phase.ENDED: say("both check the count, agree and confirm"),
    Phase.FINISH: say("the move in progress is completed first"),
    Phase.CHOICE: say("the winner on time chooses 33-31 or free play"),
    Phase.FREE: say("the winner on time plays on or stops free play"),
    Phase.RESULT: say("both check the card and confirm"),
    Phase.SIGNED: say("the card must be handed in"),
    Phase.SUBMITTED: say("the card is locked; only an arbiter changes it, with “Enter the result”"),
}


def illegal_event_error(phase: Phase) -> IllegalEvent:
    """Return the error for an event that is not in the table of this phase."""
    return IllegalEvent(say("not possible now: {next}", next=WAITS_FOR[phase]))


class GameStage(StrEnum):
    """Whether a 32-32 is a draw (league, placement) or is decided by the draw right (M43-1, M43-2)."""

    LEAGUE = "league"
    KNOCKOUT = "knockout"


@dataclass(frozen=True, slots=True)
class Setup:
    """What is agreed before a game starts.

    ``black_seat`` None: colours or seats are still open and the game starts in SETUP. ``has_board_source``: the
    physical board is reported (by sensor board, transcriber or script), so presses are followed by ``ReadBoard``.
    ``options`` are the named options of the rule set (AMB-nn readings, ``engine.match.rule_sets_and_options``).
    """

    rules: str = "m43"
    stage: GameStage = GameStage.LEAGUE
    main_ns: int = 1200 * NS_PER_S
    draw_right: Color | None = None
    black_seat: Seat | None = None
    has_board_source: bool = False
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GameResult:
    """Result of a game at its table, by colours: the match knows no players.

    ``winner`` None is a draw. Discs are the card's final figures and sum to the squares of the board; None where the
    card has no disc count (M40-15.1). In ChouChou they are the captured pieces, None if not entered yet.
    """

    winner: Color | None
    black_discs: int | None
    white_discs: int | None
    end: EndReason
    rated: bool

    @classmethod
    def of_discs(cls, winner: Color, own: int, squares: int, end: EndReason, *, rated: bool = True) -> GameResult:
        """Return a win in which the winner has ``own`` discs and the loser all others of ``squares``."""
        discs = (own, squares - own) if winner is Color.BLACK else (squares - own, own)
        return cls(winner, *discs, end, rated)

    def discs(self, color: Color) -> int | None:
        return self.black_discs if color is Color.BLACK else self.white_discs


class TurnKind(StrEnum):
    """What a completed turn was, according to the board."""

    MOVE = "move"
    PASS = "pass"
    FALSE_PASS = "false-pass"  # IM-7
    ILLEGAL = "illegal"
    TOO_LARGE = "too-large"  # matches no single move (IM-10)
    UNREAD = "unread"  # the board was not read


@dataclass(frozen=True, slots=True)
class RecordedViolation:
    """An irregularity seen on the board (RULES.md 4.1). For the arbiter; players learn of it only by a challenge
    (K-08).
    """

    ply: int
    by: Color
    kind: str
    squares: tuple[str, ...]
    text: Text


@dataclass(frozen=True, slots=True)
class CompletedTurn:
    """One completed turn.

    ``before`` and ``after`` are the boards as they physically were (K-09, K-10), None if not read. ``move`` is the
    square of the disc placed; an illegal turn keeps its square if the board identifies one.
    """

    by: Color
    kind: TurnKind
    move: str | None
    before: str | None
    after: str | None
    findings: tuple[RecordedViolation, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingPress:
    """A press whose board has not been read yet. ``phase`` and ``side`` are those in which it was made, as far as
    known.
    """

    number: int  # number of the ``ReadBoard``
    by: Color
    at_ns: int
    phase: Phase
    side: Color
    declared_pass: bool = False
    cost_ns: int = 0  # what the turn cost, less what the time control gave for it
    late: bool = False  # power was lost before the board was read, so a later turn may already be on it


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge of the preceding turn (M43-6a). ``returns_to`` is the phase after the offender's press unless the
    corrected board shows otherwise: TURN, or CHECK after the last move.
    """

    by: Color
    returns_to: Phase
    in_countdown: bool = False
    agreed: bool = False
    from_claim: bool = False  # opened by naming the error, without a press
    board: str | None = None  # what stood on the table when it was opened; the offender corrects it afterwards


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence on a screen. ``kind`` is a stable key for tests and views. ``named``: the error a challenger named
    (IM-n) and its squares, for which a screen may have its own wording.
    """

    kind: str
    text: Text
    at_ns: int
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArbiterRecord:
    """One arbiter order as kept for the audit (K-05, K-15)."""

    at_ns: int
    action: str
    detail: str
    reason: str
