"""Format ``m43-division``: women, masters, students and elementary at the 43rd Meijin (RULES.md 6.2), as the students
of 2023 played (AMB-16).

- Four rounds of adjacent pairing; semi-finals 1 v 4 and 2 v 3 in round 5; final and 3rd-place game in round 6; all
  others play all six rounds.
- Order: wins, then disc difference; a bye counts 40-24; draws as M43-1 and M43-2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.i18n import Text, say
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import Event
from engine.tournament.formats.adjacent_pairing_league import Adjacent
from engine.tournament.formats.final_rounds import FinalsPlan, FinalStage

PLAN = FinalsPlan(4, (FinalStage.SEMI_FINALS, FinalStage.FINAL))


_ABOUT = say("Four rounds between neighbours, semi-finals, finals; ranked by wins and disc difference.")


def _kind(key: str, title: Text, division: str, **more: Any) -> spec.DivisionPreset:
    plan = ("M43T", division)
    return spec.DivisionPreset(
        key, "m43", "m43-division", title, _ABOUT, "8–", options={"division": division}, plan=plan, **more
    )


class M43Division(Adjacent):
    """The adjacent system with the finals of AMB-16."""

    facts = spec.FormatSpec(
        "m43-division",
        (
            _kind("women", say("Women"), "women"),
            _kind("masters", say("Masters"), "master"),
            _kind("students", say("Students"), "students"),
            _kind(
                "elementary", say("Elementary"), "elementary",
                main_s=600, stages={"final": {"main_s": 900}},
            ),
        ),
        choices=(spec.BYE_DISCS,),
        readings=(*spec.COMMON, spec.ROUNDS),
        certificate=("M43C", "master"),
    )  # fmt: skip

    placement = frozenset({FinalStage.SEMI_FINALS, FinalStage.FINAL})

    def plan(self, event: Event) -> FinalsPlan:
        """Return four league rounds, or as many as ``options.rounds`` says (AMB-16)."""
        return replace(PLAN, league_rounds=spec.ROUNDS.of(event) or PLAN.league_rounds)
