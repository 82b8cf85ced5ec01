"""Tests of the shrinking of a failing day: fewer tables, fewer players, only the necessary faults."""

from __future__ import annotations

from simulate.day_schedule import Day
from simulate.fault_injection import Faults
from simulate.invariants.history import InvariantViolation
from simulate.scenario_size import ScenarioSize
from simulate.shrink import shrink


def breaks_invariant(name: str, tables: int, players: int, faults: int) -> Day:
    """Shrink a day whose halls of at least these sizes break the invariant ``name``, and smaller ones another."""

    def hold(day: Day) -> Day:
        shape = day.shape
        day.fault_count = 40 if shape.fault_limit is None else min(40, shape.fault_limit)
        if shape.tables < tables or shape.players < players:
            day.broken = [InvariantViolation("another invariant", 1, "")]
        elif day.fault_count >= faults:
            day.broken = [InvariantViolation(name, 1, "")]
        return day

    return shrink(hold(Day(5, ScenarioSize("swiss", 16, 33), Faults.HEAVY)), hold)


def test_a_failing_day_is_shrunk_to_the_least_that_breaks_the_same_invariant() -> None:
    day = breaks_invariant("saved is never lost", 3, 5, 7)
    assert day.shape == ScenarioSize("swiss", 3, 5, 7)
    assert [one.law for one in day.broken] == ["saved is never lost"]


def test_a_day_that_fails_without_faults_is_shrunk_to_no_faults() -> None:
    assert breaks_invariant("there is a champion", 1, 4, 0).shape == ScenarioSize("swiss", 1, 4, 0)
