"""``m43-division``: master, students and elementary at the 43rd Meijin (RULES.md 6.2), as the students of 2023 played
(AMB-16).

The law: four rounds in which neighbours meet; semi-finals 1 v 4 and 2 v 3 in round 5; final and 3rd-place game in round
6; everybody else plays all six rounds. Order: wins, then disc difference; a bye counts 40-24; draws as M43-1 and M43-2.
"""

from __future__ import annotations

from dataclasses import replace

from engine.tournament.formats.adjacent import Adjacent
from engine.tournament.formats.finals import Plan, Step
from engine.tournament.model import Event

PLAN = Plan(4, (Step.SEMI_FINALS, Step.FINAL))


class M43Division(Adjacent):
    """The adjacent system with the finals of AMB-16."""

    placement = frozenset({Step.SEMI_FINALS, Step.FINAL})

    def plan(self, event: Event) -> Plan:
        """AMB-16: four league rounds, or as many as ``options.rounds`` says."""
        return replace(PLAN, league_rounds=event.options.rounds or PLAN.league_rounds)
