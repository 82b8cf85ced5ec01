"""Ranking of a league by points and tie-breaks, for the formats ``swiss`` and ``adjacent``."""

from __future__ import annotations

from engine.tournament.event_model import Event, Stage
from engine.tournament.seeded_lots import lots_of_entries
from engine.tournament.standings_table import ScoreSummary, bye_discs, tally

#: a bye is entered as 40-24, as in the published results of international events
USUAL_BYE = 40


def swiss_tallies(event: Event, after: int) -> dict[str, ScoreSummary]:
    return tally(event, after, (Stage.LEAGUE,), bye_discs=bye_discs(event, USUAL_BYE))


def swiss_order(event: Event, after: int) -> list[str]:
    """Return all players in the order of the Swiss league, level players by lot."""
    tallies, lots = swiss_tallies(event, after), lots_of_entries(event)
    keys = {name: (t.score, t.brightwell_twice, t.discs, lots[name]) for name, t in tallies.items()}
    return sorted(keys, key=keys.__getitem__, reverse=True)
