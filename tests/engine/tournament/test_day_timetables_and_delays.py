"""Day plans M43T and M40T, and the propagation of delays."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.tournament import EventError
from engine.tournament.day_timetables_and_delays import M40T, M43T, clock, day_plan, late_in_round, plan_of


@pytest.mark.parametrize("plan", [*M43T.values(), *M40T.values()])
def test_printed_plans_run_forward_and_slots_are_twice_the_thinking_time(plan: tuple[object, ...]):
    for above, below in pairwise(plan):
        assert above.begin < above.end <= below.begin  # type: ignore[attr-defined]
    lengths = {slot.end - slot.begin for slot in plan if slot.round == 1}  # type: ignore[attr-defined]
    assert lengths <= {20, 40}


def test_the_open_division_of_m43():
    assert [slot.text for slot in plan_of("M43T", "open")] == [
        "09:10-09:30", "09:35-09:50", "09:55-10:35", "10:45-11:25", "11:35-12:15", "13:00-13:40", "13:50-14:30",
        "14:40-15:20", "15:30-16:10", "16:25-17:05", "17:10-17:30",
    ]  # fmt: skip
    assert plan_of("M43T", "students") == plan_of("M43T", "master")
    assert plan_of("M40T", "women")[-1].text == "18:10-18:30"
    assert [slot.round for slot in plan_of("M43T", "open")] == [None, None, 1, 2, 3, 4, 5, 6, 7, 8, None]


def test_a_day_begins_when_round_1_does():
    plan = day_plan("M43T", "open", 10 * 60)
    assert plan[2].text == "10:00-10:40" and plan[0].text == "09:15-09:35" and plan[-1].text == "17:15-17:35"


def test_a_delay_propagates_until_the_lunch_break_absorbs_it():
    plan = late_in_round(plan_of("M43T", "open"), 2, 15)
    # breaks of ten minutes give back five of them, lunch all the rest
    assert [slot.text for slot in plan][3:6] == ["11:00-11:40", "11:45-12:25", "13:00-13:40"]
    plan = late_in_round(plan_of("M43T", "open"), 5, 60)
    assert [clock(slot.begin) for slot in plan][6:] == ["14:50", "15:35", "16:20", "17:05", "17:50"]


def test_invalid_plans_are_refused():
    with pytest.raises(EventError, match="no timetable"):
        plan_of("M44T", "open")
    with pytest.raises(EventError, match="no division"):
        plan_of("M43T", "seniors")
    with pytest.raises(EventError, match="one day"):
        day_plan("M43T", "open", 20 * 60)
