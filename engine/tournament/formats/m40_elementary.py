"""``m40-elementary``: the elementary division of the 40th Meijin (RULES.md 6.8).

The law: five rounds of the "Othello system" (M40E-2), read as wins, then disc difference, neighbours meet; with
``options.pairing`` "othello" as the Othello system of the other divisions (AMB-25);
semi-finals 1 v 4 and 2 v 3 and placement games in round 6 (M40E-3); final and 3rd-place game in round 7, the others
have finished then (M40E-4). A hidden disc settles the colours of every game, and there are no draws (M40-1, AMB-21).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.tournament.formats.finals import Plan, Step
from engine.tournament.formats.neighbour_league import NeighbourLeague
from engine.tournament.history import History
from engine.tournament.model import WIN, Event
from engine.tournament.neighbours import Neighbours
from engine.tournament.othello import Direction, Floater, Profile, RankedPool, Rules, cost_of, pair_pool

PLAN = Plan(5, (Step.SEMI_FINALS, Step.FINAL))


class M40Elementary(NeighbourLeague):
    """The neighbour league with placement games beside the semi-finals only."""

    placement = frozenset({Step.SEMI_FINALS})

    def plan(self, event: Event) -> Plan:
        return PLAN

    def paired(self, event: Event, history: History, order: Sequence[str]) -> Neighbours:
        if event.options.pairing != "othello":
            return super().paired(event, history, order)
        made = pair_pool(_ranked(history, order), _rules(event))
        return Neighbours(made.pairs, made.bye, made.cost, made.requested)

    def priced(
        self, event: Event, history: History, order: Sequence[str], pairs: Sequence[tuple[str, str]]
    ) -> tuple[int, ...]:
        if event.options.pairing != "othello":
            return super().priced(event, history, order, pairs)
        paired = {name for pair in pairs for name in pair}
        bye = next((name for name in order if name not in paired), None)
        return cost_of(_ranked(history, order), pairs, bye, _rules(event))


def _rules(event: Event) -> Rules:
    """M40P-9: the highest meets the lowest possible opponent."""
    options = event.options
    return Rules(
        Direction(options.direction or "lowest"),
        Profile(options.profile or "worst_first"),
        Floater(options.floater or "literal"),
    )


def _ranked(history: History, order: Sequence[str]) -> RankedPool:
    records = {name: history.records[name] for name in order}
    return RankedPool(
        tuple(order),
        {name: record.score // WIN for name, record in records.items()},
        frozenset(frozenset(pair) for pair in history.meetings if records.keys() >= set(pair)),
        frozenset(name for name, record in records.items() if record.byes),
        history.wishes,
    )
