"""``m40-elementary``: the elementary division of the 40th Meijin (RULES.md 6.8).

The law: five rounds of the "Othello system" (M40E-2), read as wins, then disc difference, neighbours meet (AMB-25);
semi-finals 1 v 4 and 2 v 3 and placement games in round 6 (M40E-3); final and 3rd-place game in round 7, the others
have finished then (M40E-4). A hidden disc settles the colours of every game, and there are no draws (M40-1, AMB-21).
"""

from __future__ import annotations

from engine.tournament.formats.finals import Plan, Step
from engine.tournament.formats.neighbour_league import NeighbourLeague
from engine.tournament.model import Event

PLAN = Plan(5, (Step.SEMI_FINALS, Step.FINAL))


class M40Elementary(NeighbourLeague):
    """The neighbour league with placement games beside the semi-finals only."""

    placement = frozenset({Step.SEMI_FINALS})

    def plan(self, event: Event) -> Plan:
        return PLAN
