"""Check of stages: which stage belongs to which round, who must be in it, and that no final is missing.

A label that the format cannot have given is an error; rounds of a league hold no finals.
"""

from __future__ import annotations

from collections.abc import Mapping

from verify.event_parsing import ParsedEvent, PlayedRound
from verify.problems import VerificationReport

LEAGUE, PLACEMENT, SEMI = frozenset({"league"}), frozenset({"league", "placement"}), frozenset({"semi-final"})
SEMI_AND_PLACEMENT = frozenset({"semi-final", "placement"})
FINALS = frozenset({"final", "third-place"})
FINALS_AND_PLACEMENT = FINALS | {"placement"}
BRACKET = frozenset({"knockout", "placement"})
#: format -> the stages of its rounds in order
PLANS: Mapping[str, tuple[frozenset[str], ...]] = {
    "m43-open": (*[LEAGUE] * 6, SEMI_AND_PLACEMENT, FINALS | {"womens-final"}),
    "m40-elementary": (*[LEAGUE] * 5, SEMI_AND_PLACEMENT, FINALS),
    "m40-open": (*[PLACEMENT] * 6, SEMI_AND_PLACEMENT, frozenset({"final"})),
    "m40-33-64": (*[PLACEMENT] * 4, SEMI_AND_PLACEMENT, FINALS_AND_PLACEMENT),
    "m40-17-32": (*[BRACKET] * 5, FINALS_AND_PLACEMENT),
    "m40-13-16": (*[BRACKET] * 4, SEMI_AND_PLACEMENT, FINALS_AND_PLACEMENT),
    "m40-9-12": (*[LEAGUE] * 4, SEMI_AND_PLACEMENT, FINALS_AND_PLACEMENT),
}
#: the finals of ``options.finals`` after ``options.rounds``
AFTERWARDS = {"none": (), "1-2": (frozenset({"final"}),), "1-4": (SEMI, FINALS)}


def plan_of(event: ParsedEvent) -> tuple[frozenset[str], ...] | None:
    """Return the stages by round; None where there is no last round or every stage is possible (a knock-out checks its
    own).
    """
    if event.format in PLANS:
        return PLANS[event.format]
    rounds = event.options.get("rounds")
    if event.format == "m43-division":
        return (*[LEAGUE] * int(rounds or 4), SEMI_AND_PLACEMENT, FINALS_AND_PLACEMENT)
    if event.format == "team":
        return (*[LEAGUE] * (int(rounds or 5) - 1), frozenset({"final", "placement"}))
    if event.format in ("othello-pool", "round-robin"):
        return (LEAGUE,) * len(event.rounds)
    if event.format in ("adjacent", "chouchou", "swiss") and rounds:
        steps = AFTERWARDS.get(str(event.options.get("finals") or "none"), ())
        if event.options.get("play_off") and any("knockout" in r.stages for r in event.rounds):
            steps = (frozenset({"knockout"}), *steps)
        return (*[LEAGUE] * int(rounds), *steps)
    return None


def check_stages(event: ParsedEvent, report: VerificationReport) -> None:
    plan = plan_of(event)
    for round_ in event.rounds:
        if plan is None:
            is_valid = event.format == "knockout" or not ("league" in round_.stages and len(round_.stages) > 1)
            report.check(
                "EVENT-STAGE", is_valid, round_.number, (), f"stages {', '.join(sorted(round_.stages))} in one round"
            )
            continue
        if round_.number > len(plan):
            if event.format in ("swiss", "adjacent", "chouchou") and not event.options.get("finals"):
                continue  # results added after the rounds, as in .ELO files
            report.check("EVENT-STAGE", False, round_.number, (), f"the event ends after round {len(plan)}")
            continue
        wrong = round_.stages - plan[round_.number - 1]
        report.check("EVENT-STAGE", not wrong, round_.number, (), f"stages {', '.join(sorted(wrong))} in this round")
        _check_deciders(event, round_, plan[round_.number - 1], report)


def _check_deciders(
    event: ParsedEvent, round_: PlayedRound, allowed: frozenset[str], report: VerificationReport
) -> None:
    """Check two semi-finals, one final, and a 3rd-place game if two lost their semi-finals; a bye counts as one of
    them.
    """
    stages = [g.stage for g in round_.games] + [b.stage for b in round_.byes]
    count = {stage: stages.count(stage) for stage in round_.stages}
    number = round_.number
    if "semi-final" in allowed:
        # a league without remaining players leaves its place in the semi-finals empty
        fewer = event.format in ("m40-open", "m40-33-64") and count.get("semi-final", 0) < 2
        is_valid = fewer or count.get("semi-final") == 2
        report.check("EVENT-FINALS", is_valid, number, (), "the semi-finals are not two")
    semi = [g for r in event.rounds[: number - 1] for g in r.games if g.stage == "semi-final"]
    if "final" in allowed and len(semi) == 2:
        won = {g.won_by for g in semi}
        # nobody plays the final if both are absent
        wanted_finals = int(bool(won & event.here(number))) if event.format.startswith("m40-") else 1
        missed = any(g.double_forfeit for g in semi)
        is_valid = count.get("final", 0) in (wanted_finals, 1) or missed
        report.check("EVENT-FINALS", is_valid, number, (), "the final is not one game")
        there = event.here(number) | {n for g in round_.games for n in g.players}
        losers = {g.lost_by for g in semi} & there
        wanted = "third-place" in allowed and bool(losers)
        is_valid = count.get("third-place", 0) == int(wanted) or (missed and count.get("third-place", 0) < 2)
        report.check("EVENT-FINALS", is_valid, number, (), "one 3rd-place game, where two have lost a semi-final")
