"""One table as the head sees it, for the pages.

The law: a ``TableView`` is a picture of the moment and a value. What only staff may see stands in ``inside`` or among
the fields that its comment names; who shows a view to spectators takes those away (promise 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.board.color import Color
from engine.match.clock import Clock
from engine.match.events import Action
from engine.match.model import FiledFinding, Message, Phase, Result, Seat, Turn
from engine.match.state import MatchState
from kiosk.link.messages import Assignment, Health

NS_PER_MS = 1_000_000
ColorName = Literal["black", "white"]


@dataclass(frozen=True, slots=True)
class Side:
    """One player at a table. ``color`` is None while colours are open; ``left_ms`` is as of the last record, None where
    it is held back. ``order_as``: how an arbiter's order names the player, a colour or a seat; empty while nobody sits
    there. ``seat``: where he sits; ``id``: as the event has him."""

    name: str
    color: ColorName | None
    left_ms: int | None
    running: bool
    order_as: str = ""
    seat: Seat | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """A game as it was when the head heard of it, at ``heard_ms`` of the head's game time and ``at_ns`` of the table's.
    ``turns``: how many were read from the board by then."""

    heard_ms: int
    at_ns: int
    clock: Clock
    phase: Phase
    turns: int
    result: Result | None


@dataclass(frozen=True, slots=True)
class ChallengeView:
    """The turn that is challenged, as it was read from the board: ``before`` and ``after`` are None if nobody saw
    them. ``findings`` are what is wrong with it; none: the turn was right, as far as the board tells."""

    by: str
    ply: int
    move: str | None
    kind: str
    before: str | None
    after: str | None
    findings: tuple[FiledFinding, ...]
    agreed: bool


@dataclass(frozen=True, slots=True)
class Inside:
    """What is for the staff: how the table is, and what the arbiter needs for a ruling. ``silent_ms``: since the last
    sign of life, None if there was none; ``offset_ms``: by how much the table's wall clock is ahead of the head's.
    ``flags``: colours or seats whose flag has fallen. ``rulings``: what arbiters have ordered in this game, with the
    reasons. ``orders``: what an arbiter may order now (``engine.match.rulings``)."""

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
    """One table. ``heard_ms``: when the last record arrived; ``called_ms``: when the clock was stopped for the
    arbiter, or he was called (both in the head's game time). ``turns``: those that were read, with ``start_board``
    before them; ``times``: their milliseconds, as far as they are known. ``clock``: None before the game. What follows
    ``findings`` is for the arbiter; ``story``: the game so far, which nobody else gets either."""

    number: int
    game: str | None = None
    phase: str | None = None
    sides: tuple[Side, ...] = ()
    heard_ms: int = 0
    move_number: int | None = None
    board: str | None = None
    called_ms: int | None = None
    link: str = "red"
    unsynced: int = 0
    revision: int | None = None
    score: tuple[int, int] | None = None
    turns: tuple[Turn, ...] = ()
    times: tuple[int, ...] = ()
    start_board: str | None = None
    clock: Clock | None = None
    draw_right: Color | None = None
    findings: tuple[FiledFinding, ...] = ()
    messages: tuple[Message, ...] = ()
    edge_source: str = ""
    lost_sight: bool = False
    story: tuple[Moment, ...] = ()
    inside: Inside = field(default_factory=Inside)


def sides_of(game: Assignment, match: MatchState, player_at: Mapping[Seat, int], at_ns: int) -> tuple[Side, ...]:
    """Black first once colours are known, else in the order of the assignment."""
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
        sides.append(Side(player.name, name, left_ms, match.clock.running is seat, order_as, seat, player.id))
    return tuple(sorted(sides, key=lambda side: side.color or ""))


def score_of(result: Result | None) -> tuple[int, int] | None:
    if result is None or result.black_discs is None or result.white_discs is None:
        return None
    return result.black_discs, result.white_discs


def challenge_of(match: MatchState) -> ChallengeView | None:
    """The challenge that is going on, with the turn it is about."""
    challenge = match.challenge
    if challenge is None or not match.turns:
        return None
    turn, ply = match.turns[-1], len(match.turns)
    return ChallengeView(
        challenge.by.value, ply, turn.move, turn.kind.value, turn.before, turn.after, turn.findings, challenge.agreed
    )


def flags_of(match: MatchState, at_ns: int) -> tuple[str, ...]:
    """Whose flag has fallen by the last record: a colour, or a seat while colours are open."""
    fallen = [seat for seat in Seat if match.flag(seat, at_ns)]
    return tuple((match.color_at(seat) or seat).value for seat in fallen)
