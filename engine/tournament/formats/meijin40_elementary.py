"""Format ``m40-elementary``: the elementary division of the 40th Meijin (RULES.md 6.8).

- Five rounds of the "Othello system" (M40E-2), read as adjacent pairing by wins, then disc difference; with
  ``options.pairing`` "othello" as the Othello system of the other divisions (AMB-25).
- Semi-finals 1 v 4 and 2 v 3 and placement games in round 6 (M40E-3); final and 3rd-place game in round 7, in which the
  others do not play (M40E-4).
- A hidden disc settles the colours of every game, and there are no draws (M40-1, AMB-21).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.i18n import say
from engine.tournament import format_spec_and_options as spec
from engine.tournament import othello_system_pairing as othello_system
from engine.tournament.event_model import Event
from engine.tournament.formats.adjacent_pairing_league import AdjacentLeague
from engine.tournament.formats.final_rounds import FinalsPlan, FinalStage
from engine.tournament.formats.meijin40_ranking_pools_and_finals import rules_of
from engine.tournament.lots_and_leagues import FIRST_LOT
from engine.tournament.pairing_history_and_constraints import History

PLAN = FinalsPlan(5, (FinalStage.SEMI_FINALS, FinalStage.FINAL))


#: neighbours meet, or the Othello system with the highest opponent: AMB-25
PAIRING = spec.ChoiceOption("pairing", None, ("neighbours", "othello"))


class M40Elementary(AdjacentLeague):
    """League with adjacent pairing, and placement games only beside the semi-finals."""

    facts = spec.FormatSpec(
        "m40-elementary",
        (
            spec.DivisionPreset(
                "m40-elementary", "m40", "m40-elementary", say("Elementary"),
                say("Five rounds, semi-finals and placement games, finals; 10 minutes, 15 in the knock-out."),
                "8–", main_s=600, options={"division": "elementary"}, stages={"knockout": {"main_s": 900}},
                plan=("M40T", "elementary"),
            ),
        ),
        choices=(spec.BYE_DISCS,),
        readings=(*spec.COMMON, PAIRING, spec.DIRECTION, spec.PROFILE, spec.FLOATER),
        settled_by_players=True,
        rules="m40",
        first_lot=FIRST_LOT,
        certificate=("M40C", "elementary"),
    )  # fmt: skip

    placement = frozenset({FinalStage.SEMI_FINALS})

    def plan(self, event: Event) -> FinalsPlan:
        return PLAN

    def paired(self, event: Event, history: History, order: Sequence[str]) -> othello_system.PoolPairing:
        if PAIRING.of(event) != "othello":
            return super().paired(event, history, order)
        return othello_system.pair_pool(othello_system.ranked_pool_of(history, order), rules_of(event))

    def costs_of_pairs(
        self, event: Event, history: History, order: Sequence[str], pairs: Sequence[tuple[str, str]]
    ) -> tuple[int, ...]:
        if PAIRING.of(event) != "othello":
            return super().costs_of_pairs(event, history, order, pairs)
        return othello_system.cost_of(
            othello_system.ranked_pool_of(history, order),
            pairs,
            othello_system.player_without_pair(order, pairs),
            rules_of(event),
        )
