"""Pairing, standings and formats of a division, all as pure functions of its event file.

Nothing in this package keeps state, reads a clock or draws lots that are not recorded in the file, so every pairing and
every standings table can be reproduced from the file alone.
"""

from __future__ import annotations

from engine.tournament.event_model import Event, EventError, TournamentError
from engine.tournament.formats import PairedRound, cost_of_round, format_of, next_round
from engine.tournament.multi_game_matches import single_games
from engine.tournament.standings_and_tie_breaks import Standings, StandingsRow

__all__ = [
    "Event",
    "EventError",
    "PairedRound",
    "Standings",
    "StandingsRow",
    "TournamentError",
    "champion",
    "cost_of_round",
    "format_of",
    "is_over",
    "next_round",
    "planned_rounds",
    "standings",
]


def standings(event: Event, after: int | None = None) -> Standings:
    """Return the ranking after a round, by default the last finished one."""
    return format_of(event).standings(event, after)


def planned_rounds(event: Event) -> int | None:
    """Return how many rounds the event has in all; None where the operator or the games decide it."""
    if event.options.ended_after is not None:
        return event.options.ended_after
    return format_of(event).planned_rounds(event)


def is_over(event: Event) -> bool:
    """Return whether the format has no further round, or the operator ended the event before."""
    last = event.options.ended_after
    if last is not None and event.last_finished_round >= last:
        return True
    return event.last_finished_round > 0 and format_of(event).is_over(single_games(event))


def champion(event: Event) -> str | None:
    """Return the winner's id, None as long as there is none. If the operator ended the event before the format does, it
    is who alone is 1st."""
    if not event.last_finished_round:
        return None
    found, last = format_of(event).champion(single_games(event)), event.options.ended_after
    if found is None and last is not None and event.last_finished_round >= last:
        first = [row.id for row in standings(event).rows if row.rank == 1]
        return first[0] if len(first) == 1 else None
    return found
