"""The day's plan of a division, and its delays.

The plan is as announced; a round actually begins when it is published. Delays carry on through the plan by the rules of
``engine.tournament.day_timetables_and_delays``: only breaks make up time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.i18n import Text, say
from engine.tournament import TournamentError
from engine.tournament.day_timetables_and_delays import AWARDS, Plan, Slot, day_plan, late_in_round
from kiosk.head.errors import HeadError
from kiosk.head.event.tournament_state import DayPlan, DivisionState


@dataclass(frozen=True, slots=True)
class TimetableRow:
    """One line of the plan: as announced, actual or expected times, and ``state``: past, now or to come."""

    name: Text
    planned: str
    expected: str
    late: int
    state: str
    round: int | None


def parse_time_of_day(text: str) -> int:
    """Parse a time of day: "9:55" -> 595 minutes.

    :raises HeadError: it is no time of day.
    """
    hours, _, rest = text.strip().partition(":")
    if not (hours.isascii() and hours.isdigit() and rest.isascii() and rest.isdigit() and len(rest) == 2):
        raise HeadError.saying("'{text}' is not a time of day; write it as 9:55", text=text[:20])
    found = int(hours) * 60 + int(rest)
    if int(rest) > 59 or found >= 24 * 60:
        raise HeadError.saying("'{text}' is not a time of day; write it as 9:55", text=text[:20])
    return found


def plan_of(announced: DayPlan) -> Plan:
    """Return the plan as it was announced; empty if there is none.

    :raises HeadError: it does not fit into a day, or something is missing.
    """
    if announced == DayPlan():
        return ()
    try:
        if announced.table:
            return day_plan(announced.table, announced.division, announced.first)
        return _even(announced)
    except TournamentError as error:
        raise HeadError.saying("the timetable cannot be used: {error}", error=error) from error


@dataclass(frozen=True, slots=True)
class RoundClock:
    """The public times of a round. ``ends`` None: not set."""

    round: int
    starts: datetime
    ends: datetime | None = None

    @property
    def instants(self) -> list[int]:
        """Return the instants that countdowns use, in milliseconds of the wall clock."""
        return [int(one.timestamp() * 1000) for one in (self.starts, self.ends) if one is not None]

    def minutes_left(self, now: datetime) -> int | None:
        """Return the minutes until the round starts, or ends."""
        left = [one - now for one in (self.starts, self.ends) if one is not None and one > now]
        return -int(-left[0].total_seconds() // 60) if left else None


def round_clock(division: DivisionState, now: datetime) -> RoundClock | None:
    """Return the times of the current round, or of the next one once it is complete: as set by the desk, else as the
    day's plan expects.
    """
    number = len(division.rounds) + division.round_is_complete
    if timed := division.timed.get(number):
        ends = timed.starts + timedelta(minutes=timed.minutes) if timed.minutes else None
        return RoundClock(number, timed.starts.astimezone(now.tzinfo), ends and ends.astimezone(now.tzinfo))
    if not division.round_is_complete or division.event.date != f"{now:%Y-%m-%d}":
        return None
    row = next((row for row in timetable_rows(division, now) if row.round == number), None)
    if row is None:
        return None
    begins = parse_time_of_day(row.expected.partition("-")[0])
    return RoundClock(number, now.replace(hour=begins // 60, minute=begins % 60, second=0, microsecond=0))


def _even(plan: DayPlan) -> Plan:
    """Return a plan of rounds of one length with breaks, and a longer one for lunch."""
    at, rounds, slot, pause = plan.first, plan.rounds, plan.slot, plan.pause
    if at is None or rounds is None or slot is None or pause is None:
        raise HeadError.saying(
            "the timetable lacks its first round's time, the rounds, their length or the break; give all"
        )
    slots = []
    for number in range(1, rounds + 1):
        slots.append(Slot(say("round {number}", number=number), at, at + slot, number))
        at += slot + pause
        if plan.lunch_after == number:
            at += plan.lunch
    slots.append(Slot(AWARDS, at, at + 20))
    if slots[-1].end > 24 * 60:
        raise HeadError.saying("the timetable runs past midnight; take fewer rounds, shorter ones or an earlier start")
    return tuple(slots)


def timetable_rows(division: DivisionState, now: datetime) -> list[TimetableRow]:
    """Return the plan with its delays at ``now``; empty without a plan."""
    plan = plan_of(division.plan)
    announced, running = plan, len(division.rounds)
    minute = _minute(now)
    for number, at in sorted(division.published_at.items()):
        if number <= running:
            plan = _move_round(plan, number, _minute(datetime.fromisoformat(at).astimezone(now.tzinfo)))
    done = division.round_is_complete
    following = next((slot for slot in plan if slot.round == running + 1), None)
    if following is not None and running and minute > following.begin:
        plan = _move_round(plan, running + 1, minute)
    return [
        TimetableRow(was.name, was.text, is_.text, is_.begin - was.begin, _state(was.round, running, done), was.round)
        for was, is_ in zip(announced, plan, strict=True)
    ]


def _state(round: int | None, running: int, done: bool) -> str:
    if round is None:
        return "to-come"
    if round < running or (round == running and done):
        return "past"
    return "now" if round == running else "to-come"


def _move_round(plan: Plan, round: int, begins: int) -> Plan:
    """Return the plan when a round begins late. Rounds are not published weeks ahead, so a large difference means
    another day.
    """
    slot = next((slot for slot in plan if slot.round == round), None)
    if slot is None or not 0 < begins - slot.begin < 6 * 60:
        return plan
    try:
        return late_in_round(plan, round, begins - slot.begin)
    except TournamentError:  # past midnight the announced plan does not apply
        return plan


def _minute(at: datetime) -> int:
    return at.hour * 60 + at.minute
