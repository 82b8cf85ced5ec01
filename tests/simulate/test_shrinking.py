"""Tests of shrinking a failing day: fewer tables, fewer players, only the necessary faults."""

from __future__ import annotations

from simulate.day_schedule import Day
from simulate.fault_injection import Faults
from simulate.invariants.history import InvariantViolation
from simulate.scenario_size import ScenarioSize
from simulate.shrink import shrink


def breaks(law: str, tables: int, players: int, troubles: int) -> Day:
    """A world whose days break ``law`` with at least so many of each, and another law in very small halls."""

    def hold(day: Day) -> Day:
        shape = day.shape
        day.troubles = 40 if shape.troubles is None else min(40, shape.troubles)
        if shape.tables < tables or shape.players < players:
            day.broken = [InvariantViolation("another law", 1, "")]
        elif day.troubles >= troubles:
            day.broken = [InvariantViolation(law, 1, "")]
        return day

    return shrink(hold(Day(5, ScenarioSize("swiss", 16, 33), Faults.HEAVY)), hold)


def test_a_failing_day_is_shrunk_to_the_fewest_tables_players_and_faults_that_break_the_same_law() -> None:
    day = breaks("saved is never lost", 3, 5, 7)
    assert day.shape == ScenarioSize("swiss", 3, 5, 7)
    assert [one.law for one in day.broken] == ["saved is never lost"]


def test_a_day_that_fails_without_any_fault_is_shown_without_faults() -> None:
    assert breaks("there is a champion", 1, 4, 0).shape == ScenarioSize("swiss", 1, 4, 0)
