"""Tournaments: entries, pairing, standings, formats — all functions of the event file.

The law: an event file is the whole truth of a tournament. Nothing here keeps state, reads a clock or draws a lot that
is not recorded in the file, so every pairing and every standings sheet can be made again.
"""

from __future__ import annotations

from engine.tournament.formats import PairedRound, format_of
from engine.tournament.model import Event, EventError, TournamentError
from engine.tournament.pairing import cost_of_round, next_round
from engine.tournament.ranking import Row, Standings

__all__ = [
    "Event",
    "EventError",
    "PairedRound",
    "Row",
    "Standings",
    "TournamentError",
    "champion",
    "cost_of_round",
    "format_of",
    "is_over",
    "next_round",
    "standings",
]


def standings(event: Event, after: int | None = None) -> Standings:
    """The ranking after a round, by default the last finished one."""
    return format_of(event).standings(event, after)


def is_over(event: Event) -> bool:
    """Whether the format has no further round."""
    return format_of(event).is_over(event)


def champion(event: Event) -> str | None:
    """The winner's id, None as long as there is none."""
    return format_of(event).champion(event)
