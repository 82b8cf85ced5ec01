"""The timetable page of a division: the planned times and their delays."""

from __future__ import annotations

from datetime import datetime

from engine.text import say, say_in
from engine.tournament.timetable import TABLES, clock
from kiosk.head.event.bodies import Changed
from kiosk.head.event.state import DayPlan
from kiosk.head.event.timetable import day_of, minutes_of, plan_of
from kiosk.head.pages.desk.common import act, page
from kiosk.head.web.address import Address
from kiosk.head.web.forms import BadForm, optional, whole
from kiosk.head.web.visit import Visit

#: the published plans by the name that the form uses
PLANS = {f"{table} {name}": (table, name) for table, plans in TABLES.items() for name in plans}
#: what a reader calls the timetables and their divisions
EDITIONS = {"M43T": say("43rd Meijin"), "M40T": say("40th Meijin")}
DIVISIONS = {"elementary": say("Elementary"), "master": say("Masters"), "open": say_in("m43_open", "Open")}


def _timetable(visit: Visit) -> dict[str, object]:
    division = visit.division
    first = next((slot.begin for slot in plan_of(division.plan) if slot.round == 1), None)
    return {
        "rows": day_of(division, datetime.now().astimezone()),
        "plans": {key: (EDITIONS[table], DIVISIONS[name]) for key, (table, name) in PLANS.items()},
        "first": "" if first is None else clock(first),
        "plan": division.plan,
    }


def _printed(visit: Visit) -> None:
    if visit.form["plan"] not in PLANS:
        raise BadForm(say("choose one of the printed plans"))
    table, name = PLANS[visit.form["plan"]]
    first = minutes_of(visit.form["first"]) if visit.form["first"] else None
    visit.desk.divisions.change(Changed(visit.division.slug, plan=DayPlan(table, name, first)))


def _own(visit: Visit) -> None:
    form = visit.form
    after = optional(form, "lunch_after", 1, 30)
    plan = DayPlan(
        first=minutes_of(form["first"]),
        rounds=whole(form, "rounds", 1, 30),
        slot=whole(form, "slot", 5, 300),
        pause=whole(form, "pause", 0, 120),
        lunch_after=after,
        lunch=0 if after is None else whole(form, "lunch", 0, 240),
    )
    visit.desk.divisions.change(Changed(visit.division.slug, plan=plan))


ADDRESSES: list[Address] = [
    page("timetable", "desk/timetable.html", _timetable),
    act("timetable/printed", _printed, {"plan", "first"}, back="timetable"),
    act("timetable/own", _own, {"first", "rounds", "slot", "pause", "lunch_after", "lunch"}, back="timetable"),
]
