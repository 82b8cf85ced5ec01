"""``othello-pool``: one pool under PAIRING.md 1, as many rounds as the operator likes.

The law: ``options.direction`` and ``options.ranking`` choose between the two systems of M40. Under ``lowest`` round 1
is drawn by halves (M40P-1 to 3), under ``highest`` neighbours by lot meet.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.tournament.formats.m40_base import M40Format
from engine.tournament.formats.m40_pools import Plan, Pool, Situation
from engine.tournament.m40_ranking import Ranking
from engine.tournament.model import Event, Stage
from engine.tournament.othello import Direction, Floater, Profile, Rules


@dataclass(frozen=True, slots=True)
class OthelloPool(M40Format):
    def rules(self, event: Event) -> Rules:
        options = event.options
        return Rules(
            Direction(options.direction or "lowest"),
            Profile(options.profile or "worst_first"),
            Floater(options.floater or "literal"),
        )

    def ranking_of(self, event: Event) -> Ranking:
        """M40K17 belongs to ``highest``, as in 13 to 32; either can be asked for."""
        fitting = "m40k17" if event.options.direction == Direction.HIGHEST else "m40k"
        return Ranking(event.options.ranking or fitting)

    def plan(self, at: Situation) -> Plan:
        by_halves = at.round == 1 and self.rules(at.event).direction is Direction.LOWEST
        return Plan((Pool(at.ranked(at.here), Stage.LEAGUE, by_halves=by_halves),))


OTHELLO_POOL = OthelloPool(last_round=None, sizes=(2, 4096))
