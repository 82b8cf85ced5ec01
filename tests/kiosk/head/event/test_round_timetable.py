"""Tests of a division's plan of the day: its delays, and the public start and end of a round."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from heads.tournaments import RULES, outcome
from heads.world import event

from engine.tournament.event_model import Game
from kiosk.head.errors import HeadError
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.round_timetable import RoundClock, parse_time_of_day, plan_of, round_clock, timetable_rows
from kiosk.head.event.tournament_state import DayPlan, DivisionState, RoundTiming
from kiosk.records.event_file import from_dict

#: 10:00, 10:50 and 12:30 (round 2 is followed by lunch), awards 13:20
EVEN = DayPlan(first=600, rounds=3, slot=40, pause=10, lunch_after=2, lunch=50)
EVENT = from_dict(event(4, "m40-open"))
OPEN = HeadGame("g", 1, 1, Game("p1", "p2"), True)
FINISHED = HeadGame("g", 1, 1, Game("p1", "p2"), True, outcome=outcome(OPEN, 40))


def division(*rounds: HeadGame, plan: DayPlan = EVEN, **more: Any) -> DivisionState:
    """Return a division with rounds of one game."""
    played = tuple((game,) for game in rounds)
    return DivisionState("open", EVENT, "e", RULES, rounds=played, plan=plan, **more)


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2031-04-05T{text}+09:00")


def test_a_late_round_makes_the_later_ones_late_until_a_break_gives_time_back() -> None:
    """M43T, open division: round 3 ends 12:15, lunch until 13:00 has 40 minutes to spare."""
    played = division(FINISHED, published_at={1: "2031-04-05T01:05:00+00:00"}, plan=DayPlan("M43T", "open"))
    rows = {row.round: row for row in timetable_rows(played, at("10:06"))}
    assert (rows[1].planned, rows[1].expected, rows[1].late) == ("09:55-10:35", "10:05-10:45", 10)
    assert [rows[number].late for number in (2, 3, 4, 7)] == [5, 0, 0, 0]
    waiting = {row.round: row for row in timetable_rows(played, at("11:00"))}
    assert waiting[2].late == 15 and waiting[2].expected.startswith("11:00")


@pytest.mark.parametrize(
    ("rounds", "states"),
    [([], []), ([OPEN], ["now"]), ([FINISHED], ["past"]), ([FINISHED, OPEN], ["past", "now"])],
)
def test_a_round_is_past_once_it_is_complete(rounds: list[HeadGame], states: list[str]) -> None:
    shown = [row.state for row in timetable_rows(division(*rounds), at("10:00"))]
    assert shown == states + ["to-come"] * (4 - len(states))


@pytest.mark.parametrize(
    ("rounds", "published", "late"),
    [
        ([], {}, 0),  # round 1 was to begin at 10:00, but is not published
        ([OPEN], {1: "09:59"}, 0),
        ([OPEN], {1: "10:07"}, 7),
        ([OPEN], {1: "15:59"}, 359),
        ([OPEN], {1: "16:00"}, 0),  # six hours or more: on another day
        ([FINISHED], {1: "10:00", 2: "11:30"}, 0),  # round 2 was taken back
    ],
)
def test_a_round_is_late_by_when_it_was_published(rounds: list[HeadGame], published: dict[int, str], late: int) -> None:
    times = {number: at(time).astimezone(UTC).isoformat() for number, time in published.items()}
    assert max(row.late for row in timetable_rows(division(*rounds, published_at=times), at("10:20"))) == late


def test_a_delay_past_midnight_leaves_the_plan_as_announced() -> None:
    plan = DayPlan(first=1370, rounds=1, slot=40, pause=10)
    late = division(OPEN, published_at={1: at("23:50").isoformat()}, plan=plan)
    assert [row.expected for row in timetable_rows(late, at("23:55"))] == ["22:50-23:30", "23:40-24:00"]


def test_a_custom_timetable() -> None:
    assert [slot.text for slot in plan_of(EVEN)] == ["10:00-10:40", "10:50-11:30", "12:30-13:10", "13:20-13:40"]
    assert plan_of(DayPlan()) == () and timetable_rows(division(plan=DayPlan()), at("10:00")) == []


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        (DayPlan(first=1371, rounds=1, slot=40, pause=10), "runs past midnight"),
        (DayPlan(rounds=1, slot=40, pause=10), "lacks"),
        (DayPlan("M43T", "giants"), "cannot be used.*no division 'giants'"),
    ],
)
def test_an_unusable_timetable_is_refused(plan: DayPlan, sentence: str) -> None:
    with pytest.raises(HeadError, match=sentence):
        plan_of(plan)


@pytest.mark.parametrize("text", ["9.55", "24:00", "9:60", "", "９:００", "9:5", "-1:00", "9:５5"])
def test_a_time_of_day_is_read_strictly(text: str) -> None:
    assert [parse_time_of_day(text) for text in ("0:00", "9:55", " 23:59 ")] == [0, 595, 1439]
    with pytest.raises(HeadError, match="time of day"):
        parse_time_of_day(text)


@pytest.mark.parametrize(
    ("now", "shown"),
    [
        (division(), RoundClock(1, at("10:00"))),
        (division(FINISHED), RoundClock(2, at("10:50"))),
        (division(FINISHED, published_at={1: at("10:15").isoformat()}), RoundClock(2, at("11:00"))),
        (division(OPEN), None),  # it has begun, and nobody set its end
        (division(FINISHED, FINISHED, FINISHED), None),  # only the awards follow
        (division(plan=DayPlan()), None),
        (replace(division(), event=replace(EVENT, date="2031-04-06")), None),  # the plan of another day
        (division(timed={1: RoundTiming(at("13:20"))}), RoundClock(1, at("13:20"))),
        (division(OPEN, timed={1: RoundTiming(at("13:20"), 40)}), RoundClock(1, at("13:20"), at("14:00"))),
        (division(FINISHED, timed={1: RoundTiming(at("13:20"), 40)}), RoundClock(2, at("10:50"))),
    ],
)
def test_a_round_starts_as_the_desk_set_it_else_as_the_plan_expects(
    now: DivisionState, shown: RoundClock | None
) -> None:
    assert round_clock(now, at("09:30:45")) == shown


def test_the_times_of_a_round_are_those_of_the_hall() -> None:
    """The desk may have set them in another time zone."""
    timed = division(OPEN, timed={1: RoundTiming(datetime(2031, 4, 5, 4, 20, tzinfo=UTC), 40)})
    clock = round_clock(timed, at("13:00"))
    assert clock is not None and clock.ends is not None
    assert (f"{clock.starts:%H:%M}", f"{clock.ends:%H:%M}") == ("13:20", "14:00")
    assert clock.instants == [1933129200000, 1933131600000]


def test_a_countdown_runs_to_the_start_and_then_to_the_end() -> None:
    """Minutes are rounded up, so that it reaches 0 only at the end."""
    clock = RoundClock(1, at("13:20"), at("14:00"))
    times = ("11:20", "13:10", "13:10:01", "13:19:59", "13:20", "13:59:30", "14:00")
    assert [clock.minutes_left(at(time)) for time in times] == [120, 10, 10, 1, 40, 1, None]
    assert RoundClock(1, at("13:20")).minutes_left(at("13:20")) is None
