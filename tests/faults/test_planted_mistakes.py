"""The simulated hall can fail: mistakes planted into the running product are found within a stated number of days."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from faults.planted import CAPTURING, FEDERATED, PLANTED, QUIET, Plant

from kiosk.simulate.day import Shape, hold
from kiosk.simulate.faults import Faults

#: tried in every run; the others cost some seconds each and are tried by ``make faults``
SHORT = (
    "fdatasync_is_left_out", "acknowledged_before_the_commit", "the_chain_forgets_what_came_before",
    "a_piece_of_the_loser_is_not_counted",
)  # fmt: skip
#: with one more device that has a key and lies
HALL = Shape("round-robin", 2, 4, liars=1)
LONG = os.environ.get("FAULTS") == "long"
EVERY = PLANTED | FEDERATED | CAPTURING
ALL = [plant for plant in EVERY if LONG or plant.__name__ in SHORT]


@pytest.mark.parametrize("plant", ALL, ids=lambda plant: plant.__name__)
def test_a_planted_mistake_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    days = EVERY[plant]
    hall = replace(HALL, venues=2 if plant in FEDERATED else 0)
    if plant in CAPTURING:
        hall = replace(hall, format="chouchou")
    if not any(hold(seed, Faults.HEAVY, hall).broken for seed in range(1, days + 1)):
        pytest.fail(f"nobody noticed in {days} days")


@pytest.mark.parametrize("plant", QUIET if LONG else tuple(QUIET)[:1], ids=lambda plant: plant.__name__)
def test_a_hall_that_would_stand_still_for_ever_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    broken = hold(1, Faults.NONE, HALL).broken
    assert [one.law for one in broken] == ["the event reaches its champion"]
