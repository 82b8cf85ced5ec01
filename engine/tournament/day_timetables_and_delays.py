"""Printed day plans M43T and M40T as data, and their shift when rounds are late (RULES.md 7.3).

Times are integers, minutes since midnight. Lateness cannot be recovered inside a round, because its slot is twice the
thinking time; only a break longer than the shortest one recovers time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.i18n import Text, say
from engine.tournament.event_model import event_error


@dataclass(frozen=True, slots=True)
class Slot:
    """One line of a day plan; ``begin`` and ``end`` in minutes since midnight. ``round``: the round it is for."""

    name: Text
    begin: int
    end: int
    round: int | None = None

    @property
    def text(self) -> str:
        """The slot's times: ``09:55-10:35``."""
        return f"{clock(self.begin)}-{clock(self.end)}"


Plan = tuple[Slot, ...]
#: minimum minutes between two rounds, whatever the delay
SHORTEST_BREAK = 5
DAY = 24 * 60


def clock(minutes: int) -> str:
    """Return a time of day: 595 -> "09:55"."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _span(text: str) -> tuple[int, int]:
    begin, end = (int(time[:2]) * 60 + int(time[3:]) for time in text.split("-"))
    return begin, end


RECEPTION = say("reception")
OPENING = say("opening")
FINAL = say("final etc.")
AWARDS = say("awards")


def _plan(reception: str, opening: str, rounds: str, final: str, awards: str) -> Plan:
    """Return a plan from its printed times; ``rounds`` are separated by blanks, an empty ``final`` means none."""
    lines: list[tuple[Text, str, int | None]] = [(RECEPTION, reception, None), (OPENING, opening, None)]
    printed = rounds.split()
    lines += [(say("round {n}", n=n), span, n) for n, span in enumerate(printed, start=1)]
    if final:
        lines.append((FINAL, final, len(printed) + 1))
    lines.append((AWARDS, awards, None))
    return tuple(Slot(name, *_span(span), number) for name, span, number in lines)


#: M43T-1 to M43T-10
M43T: Mapping[str, Plan] = {
    "elementary": _plan(
        "11:30-12:00", "12:10-12:20",
        "12:30-12:50 13:00-13:20 13:30-13:50 14:10-14:30 14:40-15:00",
        "15:20-15:50", "16:00-16:20",
    ),
    "master": _plan(
        "11:30-12:00", "12:10-12:20",
        "12:30-13:10 13:20-14:00 14:10-14:50 15:00-15:40 15:50-16:30",
        "16:50-17:30", "17:40-18:00",
    ),
    "open": _plan(
        "09:10-09:30", "09:35-09:50",
        "09:55-10:35 10:45-11:25 11:35-12:15 13:00-13:40 13:50-14:30 14:40-15:20 15:30-16:10",
        "16:25-17:05", "17:10-17:30",
    ),
}  # fmt: skip
#: M40T-1 to M40T-11; the women's, master, high school and junior high divisions share one plan
M40T: Mapping[str, Plan] = {
    "elementary": _plan(
        "12:00-12:20", "12:30-12:50",
        "13:00-13:20 13:30-13:50 14:00-14:20 14:40-15:00 15:10-15:30 15:40-16:10",
        "16:20-16:50", "17:00-17:20",
    ),
    "master": _plan(
        "12:00-12:20", "12:30-12:50",
        "13:00-13:40 13:50-14:30 14:40-15:20 15:40-16:20 16:30-17:10 17:20-18:00",
        "", "18:10-18:30",
    ),
    "open": _plan(
        "09:30-09:50", "10:00-10:20",
        "10:30-11:10 11:20-12:00 12:10-12:50 13:50-14:30 14:40-15:20 15:30-16:10 16:20-17:00",
        "17:10-17:50", "18:00-18:20",
    ),
}  # fmt: skip
TABLES: Mapping[str, Mapping[str, Plan]] = {"M43T": M43T, "M40T": M40T}
#: divisions that use another one's plan
SAME_PLAN = {"students": "master", "women": "master", "high-school": "master", "junior-high": "master"}


def plan_of(table: str, division: str) -> Plan:
    """Return the printed plan of a division.

    :raises EventError: if the table is not M43T or M40T, or has no such division
    """
    if table not in TABLES:
        raise event_error("there is no timetable {table!r}; there are {tables}", table=table, tables=", ".join(TABLES))
    name = SAME_PLAN.get(division, division)
    if name not in TABLES[table]:
        raise event_error(
            "timetable {table} has no division {division!r}; it has {table2}",
            table=table,
            division=division,
            table2=", ".join(TABLES[table]),
        )
    return TABLES[table][name]


def day_plan(table: str, division: str, first_round: int | None = None) -> Plan:
    """Return the plan of a division, moved as a whole so that round 1 begins at ``first_round`` minutes since
    midnight."""
    plan = plan_of(table, division)
    if first_round is None:
        return plan
    moved = first_round - next(slot.begin for slot in plan if slot.round == 1)
    return _within_the_day(tuple(replace(s, begin=s.begin + moved, end=s.end + moved) for s in plan))


def late_in_round(plan: Plan, round_: int, minutes: int) -> Plan:
    """Return the plan when round ``round_`` begins ``minutes`` late.

    The delay propagates from line to line, and every break that is longer than ``SHORTEST_BREAK`` absorbs the excess.

    :raises EventError: if the plan would not fit in the day
    """
    lines: list[Slot] = []
    delay = 0
    for slot in plan:
        if delay:
            delay = max(0, delay - max(0, slot.begin - plan[len(lines) - 1].end - SHORTEST_BREAK))
        elif slot.round == round_:
            delay = minutes
        lines.append(replace(slot, begin=slot.begin + delay, end=slot.end + delay))
    return _within_the_day(tuple(lines))


def _within_the_day(plan: Plan) -> Plan:
    if plan[0].begin < 0 or plan[-1].end > DAY:
        raise event_error(
            "the plan would run from {begin} to {end} minutes; it must fit in one day",
            begin=plan[0].begin,
            end=plan[-1].end,
        )
    return plan
