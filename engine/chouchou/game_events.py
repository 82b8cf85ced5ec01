"""Events of a game of ChouChou. ``at_ns``: a monotonic clock, in nanoseconds, never decreasing."""

from __future__ import annotations

from dataclasses import dataclass

from engine.chouchou.model import Act


@dataclass(frozen=True, slots=True)
class Start:
    """The first player's turn begins."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Play:
    """The player has released the piece: the act is final (CC-PUT-4, CC-SUP-1d)."""

    at_ns: int
    act: Act


@dataclass(frozen=True, slots=True)
class Take:
    """The enemy pieces of these cells are taken off and put on the score board: those of one line, of all, or fewer if
    the player overlooks some."""

    at_ns: int
    cells: frozenset[int]


@dataclass(frozen=True, slots=True)
class Switch:
    """The turn is over, the clock is switched (CC-SUP-2c)."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class ClaimTime:
    """Somebody claims that the player to move has exceeded the time."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Decide:
    """The arbiter ends the game. ``winner``: a seat, or None for no winner."""

    at_ns: int
    winner: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class ChouChouTick:
    """Time passed; relevant only at ``State.next_deadline_ns``."""

    at_ns: int


Event = Start | Play | Take | Switch | ClaimTime | Decide | ChouChouTick
