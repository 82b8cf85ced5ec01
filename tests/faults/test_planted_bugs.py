"""Mutation tests of the simulated hall: bugs planted into the product are found within a stated number of days."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from faults.planted_bugs import CAPTURING, FEDERATED, PLANTED, POOLED, QUIET, Plant, Planting
from simulate.fault_injection import Faults
from simulate.scenario_size import ScenarioSize
from simulate.simulated_day import run_day

#: tried in every run; the others cost some seconds each and are tried by ``make faults``
SHORT = (
    "fdatasync_is_left_out", "acknowledged_before_the_commit", "chain_links_omit_the_previous_hash",
    "a_piece_of_the_loser_is_not_counted",
)  # fmt: skip
#: with one more device that has a key and sends false records
HALL = ScenarioSize("round-robin", 2, 4, malicious_tables=1)
LONG = os.environ.get("FAULTS") == "long"
EVERY = PLANTED | FEDERATED | CAPTURING | POOLED
ALL = [plant for plant in EVERY if LONG or plant.__name__ in SHORT]

pytestmark = pytest.mark.planted


def _hall(plant: Plant) -> ScenarioSize:
    if plant in FEDERATED:
        return replace(HALL, venues=2)
    if plant in POOLED:  # four players who all meet have different numbers of wins, and nothing else ranks them
        return replace(HALL, format="othello-pool", tables=4, players=9)
    return replace(HALL, format="chouchou") if plant in CAPTURING else HALL


@pytest.mark.parametrize("plant", (*EVERY, *QUIET), ids=lambda plant: plant.__name__)
def test_every_bug_can_be_planted(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(Planting(monkeypatch))


@pytest.mark.parametrize("plant", ALL, ids=lambda plant: plant.__name__)
def test_a_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    planting = Planting(monkeypatch)
    plant(planting)
    for seed in range(1, EVERY[plant] + 1):
        broken = run_day(seed, Faults.HEAVY, _hall(plant)).broken
        assert planting.misfits == []
        if broken:
            assert planting.calls
            return
    pytest.fail(f"nobody noticed in {EVERY[plant]} days, with {planting.calls} calls")


@pytest.mark.parametrize("plant", QUIET if LONG else tuple(QUIET)[:1], ids=lambda plant: plant.__name__)
def test_a_planted_deadlock_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    planting = Planting(monkeypatch)
    plant(planting)
    broken = run_day(1, Faults.NONE, HALL).broken
    assert planting.calls and planting.misfits == []
    assert [one.law for one in broken] == ["the event reaches its champion"]
