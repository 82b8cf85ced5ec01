"""View of one table for the pages.

A ``TableView`` is an immutable snapshot. Staff-only data is in ``inside`` and in the fields that its docstring names;
views for spectators are made without them (promise 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.board.color import Color
from engine.match.game_clock import Clock
from engine.match.match_events_and_effects import Action
from engine.match.match_state import MatchState
from engine.match.match_value_types import CompletedTurn, GameResult, Message, Phase, RecordedViolation, Seat
from kiosk.link.link_messages import Assignment, Health

NS_PER_MS = 1_000_000
ColorName = Literal["black", "white"]


@dataclass(frozen=True, slots=True)
class PlayerClock:
    """One player at a table. ``color`` is None while colours are open; ``left_ms``: at the last record, None where it
    is held back. ``order_as``: how an arbiter's order names the player, by colour or seat; empty while the seat is
    empty. ``seat``: where he sits; ``id``: the event's id.
    """

    name: str
    color: ColorName | None
    left_ms: int | None
    running: bool
    order_as: str = ""
    seat: Seat | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class GameSnapshot:
    """A game at one moment: ``heard_ms``, when the head received it in its game time, and ``at_ns`` in the table's.
    ``turns``: number of turns read from the board by then.
    """

    heard_ms: int
    at_ns: int
    clock: Clock
    phase: Phase
    turns: int
    result: GameResult | None


@dataclass(frozen=True, slots=True)
class ChallengeView:
    """The challenged turn, as read from the board: ``before`` and ``after`` are None if they are unknown. ``findings``:
    violations in it; none: the turn was legal, as far as the board shows.
    """

    by: str
    ply: int
    move: str | None
    kind: str
    before: str | None
    after: str | None
    findings: tuple[RecordedViolation, ...]
    agreed: bool


@dataclass(frozen=True, slots=True)
class StaffDetails:
    """Data for the staff: the table's health, and what the arbiter needs for a ruling. ``silent_ms``: since the last
    report, None if there was none; ``offset_ms``: by how much the table's wall clock is ahead of the head's.
    ``flags``: colours or seats whose flag has fallen. ``rulings``: arbiters' orders in this game, with the reasons.
    ``orders``: orders possible now (``engine.match.arbiter_order_specs_and_parser``).
    """

    health: Health | None = None
    silent_ms: int | None = None
    offset_ms: int | None = None
    challenge: ChallengeView | None = None
    flags: tuple[str, ...] = ()
    rulings: tuple[tuple[str, str, str], ...] = ()
    orders: tuple[Action, ...] = ()
    late: str | None = None


@dataclass(frozen=True, slots=True)
class TableView:
    """One table. ``heard_ms``: when the last record arrived; ``called_ms``: when the clock was stopped for the arbiter,
    or he was called (both in the head's game time). ``turns``: those that were read, with ``start_board`` before
    them; ``times``: their milliseconds, as far as known. ``clock``: None before the game. ``findings`` and the
    fields after it are for the arbiter only, including ``story``, the game's moments.
    """

    number: int
    game: str | None = None
    phase: str | None = None
    sides: tuple[PlayerClock, ...] = ()
    heard_ms: int = 0
    move_number: int | None = None
    board: str | None = None
    called_ms: int | None = None
    link: str = "red"
    unsynced: int = 0
    revision: int | None = None
    score: tuple[int, int] | None = None
    turns: tuple[CompletedTurn, ...] = ()
    times: tuple[int, ...] = ()
    start_board: str | None = None
    clock: Clock | None = None
    draw_right: Color | None = None
    findings: tuple[RecordedViolation, ...] = ()
    messages: tuple[Message, ...] = ()
    lost_sight: bool = False
    story: tuple[GameSnapshot, ...] = ()
    inside: StaffDetails = field(default_factory=StaffDetails)


def sides_of(game: Assignment, match: MatchState, player_at: Mapping[Seat, int], at_ns: int) -> tuple[PlayerClock, ...]:
    """Return the players, Black first once colours are known, else in the order of the assignment."""
    seat_of = {index: seat for seat, index in player_at.items()}
    sides = []
    for index, player in enumerate(game.players):
        seat = seat_of.get(index, (Seat.LEFT, Seat.RIGHT)[index])
        color = match.color_at(seat) if index in seat_of else None
        name: ColorName | None = None if color is None else color.value
        if color is None and game.designated:
            name = "white" if index else "black"
        left_ms = match.remaining_ns(seat, at_ns) // NS_PER_MS
        order_as = (match.color_at(seat) or seat).value if index in seat_of else ""
        sides.append(PlayerClock(player.name, name, left_ms, match.clock.running is seat, order_as, seat, player.id))
    return tuple(sorted(sides, key=lambda side: side.color or ""))


def score_of(result: GameResult | None) -> tuple[int, int] | None:
    if result is None or result.black_discs is None or result.white_discs is None:
        return None
    return result.black_discs, result.white_discs


def challenge_of(match: MatchState) -> ChallengeView | None:
    """Return the open challenge, with the turn it is about."""
    challenge = match.challenge
    if challenge is None or not match.turns:
        return None
    turn, ply = match.turns[-1], len(match.turns)
    return ChallengeView(
        challenge.by.value, ply, turn.move, turn.kind.value, turn.before, turn.after, turn.findings, challenge.agreed
    )


def flags_of(match: MatchState, at_ns: int) -> tuple[str, ...]:
    """Return whose flag has fallen by the last record: a colour, or a seat while colours are open."""
    fallen = [seat for seat in Seat if match.flag(seat, at_ns)]
    return tuple((match.color_at(seat) or seat).value for seat in fallen)
