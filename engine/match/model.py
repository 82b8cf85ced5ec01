"""What a game at one table is made of: set-up, clock, turn, result, state.

The law: a ``MatchState`` is a value. It changes only by ``engine.match.step``, every change is caused by one
event, and the same events always give the same state, so a journal of events is the whole game.

Clock sides belong to *seats* (the two buttons); colours are bound to seats later, because a late player's clock
already runs before colours are decided (K-01). All times are integers in nanoseconds on the table's monotonic clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.board.color import Color


class Seat(StrEnum):
    """A physical place at the table, which is also a button and a clock side."""

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


class Stage(StrEnum):
    """Whether a 32-32 is a draw (league, placement) or decided by the draw right (M43-1, M43-2)."""

    LEAGUE = "league"
    KNOCKOUT = "knockout"


class End(StrEnum):
    """How a game ended (CONTRACT.md, ``end``)."""

    NORMAL = "normal"
    TIME = "time"
    FREE_PLAY = "free-play"
    BOTH_FLAGS = "both-flags"
    FORFEIT = "forfeit"
    LATE = "late"
    ARBITER = "arbiter"
    BYE = "bye"
    NOT_PLAYED = "not-played"


@dataclass(frozen=True, slots=True)
class Setup:
    """What is agreed before a game starts.

    ``black_seat`` None: colours or seats are still open, the game starts in SETUP. ``has_board_source``: somebody
    (sensor board, transcriber, script) reports the physical board, so presses are followed by ``AskBoard``.
    ``options`` are the named options of the rule set (AMB-nn readings).
    """

    rules: str = "m43"
    stage: Stage = Stage.LEAGUE
    main_ns: int = 1_200_000_000_000
    draw_right: Color | None = None
    black_seat: Seat | None = None
    has_board_source: bool = False
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SideClock:
    """One side's time. ``left_ns`` is the time left when the side last stopped or started, and goes below zero
    after a flag (K-03); ``flag_at_ns`` is the instant it reached zero, latched (K-02)."""

    left_ns: int
    flag_at_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A result as it goes on the card. ``winner`` None is a draw. Discs are the card's final figures and sum to 64."""

    winner: Color | None
    black_discs: int
    white_discs: int
    end: End
    rated: bool
