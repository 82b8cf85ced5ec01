"""Independent verification of a finished event: lists every rule that its rounds break.

No rule of ``engine.tournament`` is used. Rules, rankings and matchings are implemented a second time from RULES.md and
PAIRING.md, simply and slowly, so that an error there is detected here. A reported rule is broken; a rule not listed in
``checked`` was not checked.
"""

from __future__ import annotations

from typing import Any

from verify.event_parsing import ParsedEvent, PlayedRound, UnreadableEventError, read, round_history
from verify.final_places import places_after
from verify.finals_check import (
    check_final_pairs,
    check_lone_final,
    check_m43_open,
    check_semi_finals,
    is_operator_changed,
)
from verify.general import check_constraints, check_general
from verify.lots_check import lots_of_entries
from verify.m40 import check_m40
from verify.matches_check import with_single_games
from verify.pairing_penalties import LEAGUE, check_colours, check_penalties
from verify.play_off import check_play_off
from verify.pool_check import check_pool, neighbour_cost, othello_cost
from verify.problems import RuleViolation, VerificationReport
from verify.ranking_check import Keys, chouchou, league
from verify.round_robin_check import check_knockout, check_round_robin
from verify.stages_check import check_stages
from verify.standings_check import check_sheet
from verify.teams_check import check_team

__all__ = ["RuleViolation", "UnreadableEventError", "VerificationReport", "verify"]

#: formats that cannot be read without the stages of their games
NEED_STAGES = frozenset(
    {"m43-open", "m43-division", "m40-open", "m40-33-64", "m40-17-32", "m40-13-16", "m40-9-12", "m40-elementary",
     "knockout", "team"}
)  # fmt: skip
#: formats with adjacent pairing, whose rounds have the stages of ``LEAGUE``
_NEIGHBOURS = ("m43-division", "adjacent", "m40-elementary", "chouchou")


def verify(data: Any, standings: Any = None) -> VerificationReport:
    """Check an event, the parsed JSON of an event file, and a standings sheet if one is given.

    :raises UnreadableEventError: if the event or the sheet cannot be read
    """
    event = read(data)
    report = VerificationReport()
    event = with_single_games(event, report)
    check_general(event, report)
    if any(problem.rule in ("EVENT-UNKNOWN", "EVENT-TWICE", "EVENT-SELF") for problem in report.problems):
        return report  # scores cannot be checked before this is corrected
    check_constraints(event, report)
    if not event.staged and event.format in NEED_STAGES:
        return report  # a foreign file, which does not name the finals: see ``checked``
    check_stages(event, report)
    if standings is not None:
        check_sheet(event, standings, report)
    if event.format == "m43-open":
        check_m43_open(event, report)
    elif event.format == "swiss":
        _check_swiss(event, report)
    elif event.format in _NEIGHBOURS:
        _check_neighbours(event, report)
    elif event.format.startswith("m40-") or event.format == "othello-pool":
        check_m40(event, report)
    elif event.format == "round-robin":
        check_round_robin(event, report)
    elif event.format == "knockout":
        check_knockout(event, report)
    elif event.format == "team":
        check_team(event, report)
    return report


def _check_swiss(event: ParsedEvent, report: VerificationReport) -> None:
    for round_ in event.rounds:
        byes = [b.player for b in round_.byes if b.stage in LEAGUE]
        if not is_operator_changed(event, round_.number) and len(byes) <= 1:
            check_penalties(event, round_, byes[0] if byes else None, (), report)
        if not event.options.get("play_off"):
            check_semi_finals(event, round_, league(event, round_.number - 1), "SWISS-FINALS", report)
            check_lone_final(event, round_, league(event, round_.number - 1), "SWISS-FINALS", report)
    if event.options.get("play_off") and event.options.get("rounds"):
        check_play_off(event, int(event.options["rounds"]), report)
    check_final_pairs(event, "SWISS-FINALS", report)


def _check_neighbours(event: ParsedEvent, report: VerificationReport) -> None:
    lots = lots_of_entries(event)
    for round_ in event.rounds:
        keys = (chouchou if event.format == "chouchou" else league)(event, round_.number - 1)
        check_semi_finals(event, round_, keys, "AMB-16", report)
        check_lone_final(event, round_, keys, "AMB-16", report)
        if not is_operator_changed(event, round_.number):
            _check_neighbour_pool(event, round_, keys, lots, report)
    check_final_pairs(event, "AMB-16", report)


def _check_neighbour_pool(
    event: ParsedEvent, round_: PlayedRound, keys: Keys, lots: dict[str, int], report: VerificationReport
) -> None:
    pairs = [g.players for g in round_.games if g.stage in LEAGUE]
    byes = [b.player for b in round_.byes if b.stage in LEAGUE]
    names = [n for pair in pairs for n in pair] + byes
    if not pairs or len(byes) > 1:
        return
    ranked = len(lots) == len(event.entries) or len({keys[n] for n in names}) == len(names)
    places = places_after(event, round_.number - 1) or {}  # of a semi-final without a winner, whose players may be here
    order = sorted(names, key=lambda name: (-places.get(name, 99), *keys[name], lots.get(name, 0)), reverse=True)
    if event.format in ("adjacent", "m43-division"):
        check_colours(event, round_, report)
    if event.options.get("pairing") == "othello" and event.format == "m40-elementary":
        total = {name: key[0] // 2 for name, key in keys.items()}
        highest = event.options.get("direction") == "highest"
        cost, digit = othello_cost(round_history(event, round_.number), event.options, order, total, highest, ranked)
    else:
        cost, digit = neighbour_cost(event, round_.number, order, ranked)
    check_pool(pairs, byes[0] if byes else None, order, cost, round_.number, "AMB-25", report, digit)
