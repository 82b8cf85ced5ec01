"""Shrinking of a failing day to a small scenario.

A smaller day counts only if it breaks the same invariant. Tables and players are reduced first, since this makes every
further try cheaper; then the number of faults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from simulate.day_schedule import Day
from simulate.scenario_size import ScenarioSize, fewest_and_most_players
from simulate.simulated_day import run_day


def shrink(day: Day, hold_day: Callable[[Day], Day] | None = None) -> Day:
    """Return the smallest day found that breaks the same invariant as ``day``. ``hold_day`` runs the day of a seed,
    kind of faults and hall; by default it is simulated.
    """
    again = hold_day or (lambda day: run_day(day.seed, day.faults, day.shape))
    law = day.broken[0].law

    def fails(shape: ScenarioSize) -> Day | None:
        found = again(Day(day.seed, shape, day.faults))
        return found if found.broken and found.broken[0].law == law else None

    while (smaller := next(filter(None, map(fails, _smaller(day.shape))), None)) is not None:
        day = smaller
    fewest, enough = 0, day.fault_count
    while fewest < enough:
        middle = (fewest + enough) // 2
        found = fails(replace(day.shape, fault_limit=middle))
        if found is None:
            fewest = middle + 1
        else:
            day, enough = found, middle
    return day


def _smaller(shape: ScenarioSize) -> Iterator[ScenarioSize]:
    fewest, _ = fewest_and_most_players(shape.format)
    if shape.venues:
        yield replace(shape, venues=shape.venues - 1)
    if shape.divisions > 1:
        yield replace(shape, divisions=shape.divisions - 1)
    halves = shape.tables // 2, shape.tables - 1
    for tables in dict.fromkeys(half for half in halves if half >= 1):
        players = max(fewest, min(shape.players, 2 * tables))
        yield replace(shape, tables=tables, players=players)
    if shape.players - 1 >= fewest:
        yield replace(shape, players=shape.players - 1)
