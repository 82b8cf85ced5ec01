"""Format ``othello-pool``: one pool under PAIRING.md 1, with as many rounds as the operator decides.

``options.direction`` and ``options.ranking`` choose between the two systems of M40. Under ``lowest`` round 1 is drawn
by halves (M40P-1 to 3), under ``highest`` neighbours by lot meet.
"""

from __future__ import annotations

from engine.i18n import say
from engine.tournament.event_model import Event, Stage
from engine.tournament.format_spec_and_options import DivisionPreset, FormatSpec, LotRules
from engine.tournament.formats.meijin40_format_base import M40Format
from engine.tournament.formats.meijin40_round_pools_and_pairing import M40Pool, RoundContext, RoundPlan, rules_of
from engine.tournament.meijin40_ranking import M40Ranking
from engine.tournament.othello_system_pairing import Direction, OthelloSystemRules
from engine.tournament.shared_format_options import (
    COMMON,
    DIRECTION,
    FIRST_ROUND,
    FLOATER,
    NO_SHOWS,
    PROFILE,
    RANKING,
    VARIANT,
)


class OthelloPool(M40Format):
    facts = FormatSpec(
        "othello-pool",
        (
            DivisionPreset(
                "othello-pool", "free", "othello-pool", say("Othello system"),
                say("One pool; the desk decides when it ends."),
                "4–", options={"direction": "lowest", "ranking": "m40k"},
            ),
        ),
        choices=(DIRECTION, PROFILE, VARIANT),
        readings=(*COMMON, RANKING, FLOATER, FIRST_ROUND, NO_SHOWS),
        settled_by_players=True,
        lots=LotRules(needed=False),
        rules="m40",
        open_ended=True,
    )  # fmt: skip
    last_round = None

    def rules(self, event: Event) -> OthelloSystemRules:
        return rules_of(event)

    def ranking_of(self, event: Event) -> M40Ranking:
        """Return the ranking: by default M40K17 with ``highest``, as in 13 to 32; the options can choose either."""
        fitting = "m40k17" if DIRECTION.of(event) == Direction.HIGHEST else "m40k"
        return M40Ranking(RANKING.of(event) or fitting)

    def plan(self, at: RoundContext) -> RoundPlan:
        by_halves = at.round == 1 and self.rules(at.event).direction is Direction.LOWEST
        return RoundPlan((M40Pool(at.ranked(at.here), Stage.LEAGUE, by_halves=by_halves),))
