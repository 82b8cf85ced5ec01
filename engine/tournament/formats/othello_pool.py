"""Format ``othello-pool``: one pool under PAIRING.md 1, with as many rounds as the operator decides.

``options.direction`` and ``options.ranking`` choose between the two systems of M40. Under ``lowest`` round 1 is drawn
by halves (M40P-1 to 3), under ``highest`` neighbours by lot meet.
"""

from __future__ import annotations

from engine.text import say
from engine.tournament.facts import Facts, Kind, Lottery
from engine.tournament.formats.m40_base import M40Format
from engine.tournament.formats.m40_pools import Plan, Pool, Situation, rules_of
from engine.tournament.m40_ranking import Ranking
from engine.tournament.model import Event, Stage
from engine.tournament.othello import Direction, Rules
from engine.tournament.readings import COMMON, DIRECTION, FIRST_ROUND, FLOATER, NO_SHOWS, PROFILE, RANKING


class OthelloPool(M40Format):
    facts = Facts(
        "othello-pool",
        (
            Kind(
                "othello-pool", "free", "othello-pool", say("Othello system"),
                say("One pool; the desk decides when it ends."),
                "4–", options={"direction": "lowest", "ranking": "m40k"},
            ),
        ),
        choices=(DIRECTION, PROFILE),
        readings=(*COMMON, RANKING, FLOATER, FIRST_ROUND, NO_SHOWS),
        settled_by_players=True,
        lots=Lottery(needed=False),
        rules="m40",
        open_ended=True,
    )  # fmt: skip
    last_round = None

    def rules(self, event: Event) -> Rules:
        return rules_of(event)

    def ranking_of(self, event: Event) -> Ranking:
        """Return the ranking: by default M40K17 with ``highest``, as in 13 to 32; the options can choose either."""
        fitting = "m40k17" if DIRECTION.of(event) == Direction.HIGHEST else "m40k"
        return Ranking(RANKING.of(event) or fitting)

    def plan(self, at: Situation) -> Plan:
        by_halves = at.round == 1 and self.rules(at.event).direction is Direction.LOWEST
        return Plan((Pool(at.ranked(at.here), Stage.LEAGUE, by_halves=by_halves),))
