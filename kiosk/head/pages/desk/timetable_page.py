"""The timetable page of a division: the planned times and their delays."""

from __future__ import annotations

from datetime import datetime

from engine.i18n import say, say_in
from engine.tournament.day_timetables_and_delays import TABLES, clock
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.round_timetable import parse_time_of_day, plan_of, timetable_rows
from kiosk.head.event.tournament_state import DayPlan
from kiosk.head.pages.desk.division_page_helpers import division_form, page
from kiosk.head.web.form_player_and_result_parsing import BadForm, parse_int, parse_optional_int
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext

#: the published plans by the name that the form uses
PLANS = {f"{table} {name}": (table, name) for table, plans in TABLES.items() for name in plans}
#: what a reader calls the timetables and their divisions
EDITIONS = {"M43T": say("43rd Meijin"), "M40T": say("40th Meijin")}
DIVISIONS = {"elementary": say("Elementary"), "master": say("Masters"), "open": say_in("m43_open", "Open")}


def _timetable(visit: RequestContext) -> dict[str, object]:
    division = visit.division
    first = next((slot.begin for slot in plan_of(division.plan) if slot.round == 1), None)
    return {
        "rows": timetable_rows(division, datetime.now().astimezone()),
        "plans": {key: (EDITIONS[table], DIVISIONS[name]) for key, (table, name) in PLANS.items()},
        "first": "" if first is None else clock(first),
        "plan": division.plan,
    }


def _set_published_plan(visit: RequestContext) -> None:
    if visit.form["plan"] not in PLANS:
        raise BadForm(say("choose one of the timetables"))
    table, name = PLANS[visit.form["plan"]]
    first = parse_time_of_day(visit.form["first"]) if visit.form["first"] else None
    visit.desk.divisions.change(DivisionChanged(visit.division.slug, plan=DayPlan(table, name, first)))


def _set_own_plan(visit: RequestContext) -> None:
    form = visit.form
    after = parse_optional_int(form, "lunch_after", 1, 30)
    plan = DayPlan(
        first=parse_time_of_day(form["first"]),
        rounds=parse_int(form, "rounds", 1, 30),
        slot=parse_int(form, "slot", 5, 300),
        pause=parse_int(form, "pause", 0, 120),
        lunch_after=after,
        lunch=0 if after is None else parse_int(form, "lunch", 0, 240),
    )
    visit.desk.divisions.change(DivisionChanged(visit.division.slug, plan=plan))


ADDRESSES: list[PageRoute] = [
    page("timetable", "desk/timetable.html", _timetable),
    division_form("timetable/printed", _set_published_plan, {"plan", "first"}, back="timetable"),
    division_form(
        "timetable/own", _set_own_plan, {"first", "rounds", "slot", "pause", "lunch_after", "lunch"}, back="timetable"
    ),
]
