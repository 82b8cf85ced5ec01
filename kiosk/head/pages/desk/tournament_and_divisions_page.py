"""Settings of the tournament and its divisions: creation from a preset, changes, tables, clocks and timetable."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain, zip_longest

from msgspec.structs import asdict, replace
from starlette.responses import Response

from engine.i18n import say, say_in
from engine.match.rule_sets_and_options import RULE_SETS
from engine.tournament import Event
from engine.tournament.day_timetables_and_delays import TABLES, clock
from engine.tournament.format_spec_and_options import GROUPS, MATCHES, ROUNDS, DivisionPreset
from engine.tournament.formats import FORMATS
from kiosk.head.access.roles import Role
from kiosk.head.desk.table_assignment import display_numbers
from kiosk.head.desk.tournament_and_divisions import rules_of_format
from kiosk.head.errors import HeadError, NotFound
from kiosk.head.event.act_types import DivisionChanged, Title, event_of
from kiosk.head.event.round_timetable import parse_time_of_day, plan_of, timetable_rows
from kiosk.head.event.tournament_state import MAIN, DayPlan, DivisionState, StageRules, TableRules
from kiosk.head.pages.desk.division_page_helpers import division_form, page
from kiosk.head.registration.tournament_format_options import KINDS, FormatChoice, choices_of, preset_by_key
from kiosk.head.web.form_player_and_result_parsing import (
    LARGE,
    BadForm,
    ascii_digits,
    parse_choice,
    parse_int,
    parse_json_object,
    parse_optional_int,
    was_fields,
    with_present_values,
)
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.records.event_file import options_of

#: the form fields of the options of all formats
CHOICE_FIELDS = {field for kind in KINDS for choice in choices_of(kind.format) for field in choice.fields}
_MINUTES = 1, 300
#: the options that can be changed once round 1 is published
_WHILE_PLAYED = {option.name for option in (ROUNDS, *MATCHES)}
#: stages that may have their own clock and rule set
_STAGES = ("knockout", "final")
_RULES = {"main", "rules", *_STAGES, *(f"rules_{stage}" for stage in _STAGES)}
_NAMES = ("name", "name_en", "date")
_FIELDS = {"title_ja", "title_en", "tables", *_RULES, *CHOICE_FIELDS}


def _new_division(visit: RequestContext) -> Response:
    kind = preset_by_key(visit.query.get("kind", ""))
    if kind is None:
        return visit.show("desk/division_kinds.html", title="desk", kinds=KINDS, groups=GROUPS)
    used = {division.title for division in visit.desk.state.divisions.values()}
    names = render(kind.title, JAPANESE), render(kind.title, ENGLISH)
    return visit.show(
        "desk/new.html", title="desk", kind=kind, rules_now=rules_of_format(kind.format),
        choices=choices_of(kind.format), rules=RULE_SETS.values(), names=names, twice=names in used,
        slug=_free_slug(kind, visit),
    )  # fmt: skip


def _create_division(visit: RequestContext) -> str:
    form, desk = visit.form, visit.desk
    kind = preset_by_key(form["kind"])
    if kind is None:
        raise NotFound.saying("there is no such kind of division; choose one of the list")
    options = {**kind.options, **_options(form, kind.format), "random_seed": secrets.randbelow(1_000_000)}
    title = _title(form)
    name = desk.state.name if title.ja in desk.state.name else f"{desk.state.name} {title.ja}".strip()
    english = desk.state.name_en
    if english and title.en not in english:
        english = f"{english} {title.en}"
    day = desk.state.date or None
    event = Event(FORMATS[kind.format].facts, (), name, day, options_of(options), name_en=english or None)
    plan = None if kind.plan is None else DayPlan(*kind.plan)
    same = desk.state.divisions.get(form["slug"])
    # a form that is sent twice has the slug of the division that it has made, and is refused
    slug = form["slug"] if same is None or same.title == (title.ja, title.en) else ""
    slug = slug or _free_slug(kind, visit)
    rules = _rules(form, kind.format)
    nonce = secrets.token_hex(4)  # so that no result card fits another division of the same preset
    desk.divisions.create(event, rules, slug, title=title, tables=_tables(form["tables"]), plan=plan, nonce=nonce)
    return f"/division/{slug}/players"


def _free_slug(kind: DivisionPreset, visit: RequestContext) -> str:
    used, number, slug = set(visit.desk.state.divisions), 2, kind.key
    while slug in used:
        slug, number = f"{kind.key}-{number}", number + 1
    return slug


def _title(form: Mapping[str, str]) -> Title:
    ja, en = form["title_ja"][:60], form["title_en"][:60]
    if not (ja or en):
        raise BadForm.saying("the division needs a name")
    return Title(ja or en, en or ja)


def _options(form: Mapping[str, str], format: str) -> dict[str, object | None]:
    return {choice.name: choice.read_form(form) for choice in choices_of(format)}


def _rules(form: Mapping[str, str], format: str, before: TableRules | None = None) -> TableRules:
    """Return the rule sets and minutes of each stage that are sent to the tables; options that the form does not have
    are kept from ``before``. If the final shares one value with the knock-out and not the other, both are stored."""
    main = parse_int(form, "main", *_MINUTES)
    stages = dict(before.stages) if before else {}
    typed = StageRules()
    for stage in _STAGES:
        main_s = 60 * parse_int(form, stage, *_MINUTES) if form[stage] else None
        rules = parse_choice(form, f"rules_{stage}", ("", *RULE_SETS)) or None
        is_set = main_s is not None or rules is not None
        typed = StageRules(rules or typed.rules, main_s or typed.main_s) if is_set else StageRules()
        options = stages.pop(stage, StageRules()).options
        if is_set or options:
            stages[stage] = replace(typed, options=options)
    return TableRules(form["rules"] or rules_of_format(format), 60 * main, before.options if before else {}, stages)


def _tables(typed: str) -> list[int] | None:
    """Return the table numbers of a list like "1-8, 12", or of "–": none; None if empty: all tables that no other
    division has.

    :raises BadForm: it is not a list of numbers.
    """
    typed = ascii_digits(typed).replace("〜", "-").replace("~", "-")
    if typed == "-":
        return []
    found: set[int] = set()
    for part in filter(None, re.split(r"[\s,、]+", typed)):
        match = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", part)
        if match is None or not 1 <= int(match[1]) <= int(match[2] or match[1]):
            raise BadForm.saying("'{part}' is not a table number; write 1-8, 12", part=part[:20])
        found |= set(range(int(match[1]), int(match[2] or match[1]) + 1))
    return sorted(found) or None


def _rename_tournament(visit: RequestContext) -> None:
    state = visit.desk.state
    form = with_present_values(visit.form, {"name": state.title, "name_en": state.name_en, "date": state.date})
    if not form["name"]:
        raise BadForm.saying("the tournament needs a name")
    if form["date"] and not re.fullmatch(r"\d{4}-\d\d-\d\d", form["date"]):
        raise BadForm.saying("write the date as 2031-04-05")
    visit.desk.divisions.rename_tournament(form["name"][:100], form["date"], form["name_en"][:100])


def _create_from_file(visit: RequestContext) -> None:
    """Create the first division from a complete event file."""
    slug = MAIN if not visit.desk.state.divisions else f"division-{len(visit.desk.state.divisions) + 1}"
    event = event_of(parse_json_object(visit.form["event"]))
    visit.desk.divisions.create(event, TableRules(**asdict(visit.head.config.table)), slug)


def _settings(visit: RequestContext) -> dict[str, object]:
    division = visit.division
    return {
        "choices": choices_of(division.format),
        "shown": _shown_settings(visit, division),
        "rules": RULE_SETS.values(),
        "kinds": {kind.format: kind for kind in reversed(KINDS)},
    }


def _shown_settings(visit: RequestContext, division: DivisionState) -> dict[str, str]:
    """Return the fields of the form with the present values."""
    rules, auto = division.table_rules, visit.desk.default_auto if division.auto is None else division.auto
    stages = {stage: rules.stages.get(stage, StageRules()) for stage in _STAGES}
    return {
        "title_ja": division.title[0] or division.name,
        "title_en": division.title[1],
        **dict(chain.from_iterable(_values_of(choice, division) for choice in choices_of(division.format))),
        "main": str(rules.main_s // 60),
        "rules": rules.rules,
        **{name: "" if one.main_s is None else str(one.main_s // 60) for name, one in stages.items()},
        **{f"rules_{name}": one.rules or "" for name, one in stages.items()},
        "tables": "" if division.tables is None else display_numbers(division.tables),
        "auto": "yes" if auto else "no",
    }


def _values_of(choice: FormatChoice, division: DivisionState) -> Iterator[tuple[str, str]]:
    """Yield each of the option's fields in a form with its present value."""
    value = division.event.options.readings.get(choice.name)
    values = value if isinstance(value, tuple) else (value,)
    for field, one in zip_longest(choice.fields, values):
        yield field, "yes" if one is True else "no" if one is False else "" if one is None else str(one)


def _change(visit: RequestContext) -> None:
    division = visit.division
    form = with_present_values(visit.form, _shown_settings(visit, division))
    title = _title(form)
    options = _options(form, division.format)
    present = division.event.options.readings
    changed = {name for name, value in options.items() if _plain(present.get(name)) != value}
    if division.rounds and changed - _WHILE_PLAYED:
        raise HeadError.saying(
            "only the number of rounds and the games of later matches can be changed once round 1 is published; "
            "take round 1 back first"
        )
    if division.rounds and "rounds" in changed:
        _check_rounds(division, options["rounds"])
    rules = _rules(form, division.format, division.table_rules)
    auto = form["auto"] == "yes"
    visit.desk.divisions.change(DivisionChanged(division.slug, title=title, options=options, table=rules, auto=auto))
    if _tables(form["tables"]) != (None if division.tables is None else list(division.tables)):
        visit.desk.divisions.set_tables(division.slug, _tables(form["tables"]))


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _check_rounds(division: DivisionState, wanted: object) -> None:
    """Check that a tournament in progress can have another number of rounds before its finals.

    :raises HeadError: its finals have begun, or more rounds are published.
    """
    published = len(division.rounds)
    if any(game.stage != "league" for games in division.rounds for game in games):
        raise HeadError.saying("the finals have begun; the number of rounds before them is fixed")
    if isinstance(wanted, int) and wanted < published:
        raise HeadError.saying(
            "{published} rounds are published already; choose at least that many", published=published
        )


# the timetable: the planned times and their delays

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
        raise BadForm.saying("choose one of the timetables")
    table, name = PLANS[visit.form["plan"]]
    first = parse_time_of_day(ascii_digits(visit.form["first"])) if visit.form["first"] else None
    visit.desk.divisions.change(DivisionChanged(visit.division.slug, plan=DayPlan(table, name, first)))


def _set_own_plan(visit: RequestContext) -> None:
    form = visit.form
    after = parse_optional_int(form, "lunch_after", 1, 30)
    plan = DayPlan(
        first=parse_time_of_day(ascii_digits(form["first"])),
        rounds=parse_int(form, "rounds", 1, 30),
        slot=parse_int(form, "slot", 5, 300),
        pause=parse_int(form, "pause", 0, 120),
        lunch_after=after,
        lunch=0 if after is None else parse_int(form, "lunch", 0, 240),
    )
    visit.desk.divisions.change(DivisionChanged(visit.division.slug, plan=plan))


ADDRESSES: list[PageRoute] = [
    PageRoute("/desk/new", _new_division, Role.DESK, back="/desk"),
    form_route("/desk/name", _rename_tournament, {*_NAMES, *was_fields(_NAMES)}, back="/desk/new"),
    form_route("/desk/new", _create_division, {"kind", "slug", *_FIELDS}, back="/desk/new"),
    form_route("/desk/create", _create_from_file, {"event"}, limit=LARGE, back="/desk"),
    page("settings", "desk/settings.html", _settings),
    division_form("settings", _change, {"auto", *_FIELDS, *was_fields({"auto", *_FIELDS})}, back="settings"),
    division_form("remove", lambda visit: visit.desk.divisions.remove(visit.division.slug), back="settings",
                  then="/desk"),
    page("timetable", "desk/timetable.html", _timetable),
    division_form("timetable/printed", _set_published_plan, {"plan", "first"}, back="timetable"),
    division_form("timetable/own", _set_own_plan, {"first", "rounds", "slot", "pause", "lunch_after", "lunch"},
                  back="timetable"),
]  # fmt: skip
