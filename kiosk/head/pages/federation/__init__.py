"""Pages of a federation over all venues and years: calendar, records, people, rankings, and identity review.

The pages query the federation's database, which holds only public data. Only a signed-in person decides that two
entries are the same person, and the decision can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar
from urllib.parse import quote

from starlette.responses import JSONResponse, RedirectResponse, Response

from engine.tournament.formats import FORMATS
from kiosk.head.access.roles import Role
from kiosk.head.errors import NotFound
from kiosk.head.federation.database import page_queries
from kiosk.head.federation.database.background_update import Projection
from kiosk.head.federation.database.page_queries import EventSummary
from kiosk.head.federation.database.person_registry_and_identity_decisions import entry_keys
from kiosk.head.publish.export_files import KINDS, kinds_of
from kiosk.head.publish.published_event import Book
from kiosk.head.web.form_player_and_result_parsing import BadForm, ascii_digits, number_in
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route
from kiosk.head.web.published_site_responses import record_page
from kiosk.head.web.request_context_and_page_rendering import RequestContext

T = TypeVar("T")

#: rows of a ranking on one page; number of identity decisions listed
_LINES, _LISTED = 200, 50
#: formats whose players have no colours
_WITHOUT_COLOURS = {name for name, one in FORMATS.items() if one.facts.captures}
#: maximum length of a searched name, of a reason
_TYPED, _REASON = 60, 300


def _projection(visit: RequestContext) -> Projection:
    """Return the federation's database.

    :raises NotFound: this head is not a federation's.
    """
    return visit.head.remote.federation.projection


def _query(visit: RequestContext, question: Callable[..., T], *about: object) -> T:
    """Return the answer of the federation's database.

    :raises NotFound: this head is not a federation's.
    """
    with _projection(visit).engine.connect() as connection:
        return question(connection, *about)


# the calendar, the record of an event and its files


def _calendar(visit: RequestContext) -> Response:
    years = _query(visit, page_queries.years)
    year, venue = number_in(visit.query.get("year", ""), 0) or next(iter(years), 0), visit.query.get("venue", "")
    listed = _query(visit, page_queries.calendar, year, venue)
    return visit.show("federation/calendar.html", title="calendar", years=years, year=year, venue=venue, listed=listed)


def _book(visit: RequestContext) -> Book:
    """Return the record of the event.

    :raises NotFound: there is no such event.
    """
    book = _query(visit, page_queries.book, visit.path["venue"], visit.path["trail"])
    if book is None:
        raise NotFound.saying("there is no such event; choose one of the calendar")
    return book


def _entry(visit: RequestContext) -> Response:
    _book(visit)
    venue, trail = quote(visit.path["venue"]), quote(visit.path["trail"])
    return RedirectResponse(f"/record/{venue}/{trail}/{visit.lang}/index.html", 302)


def _page(visit: RequestContext) -> Response:
    return record_page(_book(visit), visit.path["path"], "/calendar")


# rankings


def _rankings(visit: RequestContext) -> Response:
    return visit.show("federation/rankings.html", title="rankings", rankings=_projection(visit).rankings)


def _ranking(visit: RequestContext) -> Response:
    key = visit.path["key"]
    rules = next((one for one in _projection(visit).rankings if one.key == key), None)
    if rules is None:
        raise NotFound.saying("there is no such ranking; choose one of the list")
    season, first = _projection(visit).season(rules), number_in(visit.query.get("from", ""), 0)
    lines = season.lines[first : first + _LINES]
    return visit.show(
        "federation/ranking.html", title="rankings", rules=rules, season=season, lines=lines, first=first, step=_LINES
    )


# for other programs


def _venues_json(visit: RequestContext) -> Response:
    """Send the venues; an empty list if this head is not a federation's."""
    rows = _query(visit, page_queries.venues) if visit.head.remote.venues else ()
    return JSONResponse({"venues": [{"venue": r.venue, "events": r.events, "last": str(r.last)} for r in rows]})


def _events_json(visit: RequestContext) -> Response:
    """Send a venue's events, with the addresses of their files."""
    venue = visit.path["venue"]
    listed = _query(visit, page_queries.calendar, None, venue)
    if not listed:
        raise NotFound.saying("there is no venue '{name}'; choose one of the list of venues", name=venue[:40])
    return JSONResponse({"venue": venue, "events": [_as_json(one) for one in listed]})


def _as_json(one: EventSummary) -> dict[str, object]:
    event = one.event
    place = f"/record/{quote(event.venue)}/{quote(event.trail)}"
    return {
        "event": event.trail,
        "day": str(event.day),
        "name": event.name,
        "place": event.place,
        "country": event.country,
        "record": f"{place}/",
        "divisions": [
            {
                "division": row.division,
                "title": {"ja": row.title_ja, "en": row.title_en},
                "format": row.format,
                "entrants": row.entrants,
                "rounds": row.rounds,
                "over": bool(row.is_over),
                "winner": row.winner,
                "event_file": f"{place}/files/{row.division}.json",
            }
            for row in one.divisions
        ],
    }


def _files_json(visit: RequestContext) -> Response:
    """Send the list of files of an event: event file, CSV, .ELO, games."""
    book = _book(visit)
    place = f"/record/{quote(visit.path['venue'])}/{quote(visit.path['trail'])}/files"
    files = [
        {"division": division.key, "kind": kind, "address": f"{place}/{division.key}{KINDS[kind][0]}"}
        for division in book.divisions
        for kind in kinds_of(division)
    ]
    return JSONResponse({"venue": visit.path["venue"], "event": visit.path["trail"], "files": files})


# a person across venues and years: events, places, certificates, and the score against each opponent and opening


def _search(visit: RequestContext) -> Response:
    typed = visit.query.get("name", "").strip()[:_TYPED].replace("\0", "")
    people = _query(visit, page_queries.search, typed) if typed else ()
    entries = _query(visit, page_queries.unidentified_entries, typed) if typed else ()
    _projection(visit)
    return visit.show(
        "federation/people.html", title="persons", typed=typed, people=people, entries=entries, most=page_queries.MOST
    )


def _person_of(visit: RequestContext, name: str = "person") -> page_queries.Line:
    """Return the row of a person.

    :raises NotFound: there is no such person.
    """
    found = _query(visit, page_queries.person, number_in(visit.path[name], 0))
    if found is None:
        raise NotFound.saying("there is no such person; look by name")
    return found


def _person(visit: RequestContext) -> Response:
    person = _person_of(visit)
    if person.merged_into is not None:
        return RedirectResponse(f"/people/{person.merged_into}", 302)
    entries = _query(visit, page_queries.entries, person.id)
    keys = _projection(visit).register.people.keys(person.id)
    return visit.show(
        "federation/person.html", title="persons", person=person, entries=entries,
        scores=_query(visit, page_queries.opponent_scores, person.id),
        lines=_query(visit, page_queries.opening_scores, person.id),
        granted=_query(visit, page_queries.person_certificates, person.id),
        numbers=[key for key in keys if not key.startswith("entry:")],
        own=_with_keys(entries),
    )  # fmt: skip


def _with_keys(entries: Iterable[page_queries.Line]) -> list[tuple[str, page_queries.Line]]:
    """Return entries, each with the key by which an identity decision names it."""
    return [(entry_keys(row.venue, row.source, row.entry, None, None)[0], row) for row in entries]


def _against(visit: RequestContext) -> Response:
    person, other = _person_of(visit), _person_of(visit, "other")
    games = _query(visit, page_queries.games_between, person.id, other.id)
    coloured = not any(game.format in _WITHOUT_COLOURS for game in games)
    return visit.show(
        "federation/against.html", title="persons", person=person, other=other, games=games, coloured=coloured
    )


# Identity review: possible matches by name, the decisions made, and their undoing.
#
# No two entries are joined by name alone: a signed-in person decides, under their own name in the audit trail.


def _review_page(visit: RequestContext) -> Response:
    people = _projection(visit).register.people
    entries, pairs = _query(visit, page_queries.undecided_identities)
    two = [row for row in pairs if not people.are_distinct(row.one, row.two)][: page_queries.ASKED]
    return visit.show(
        "federation/identity_review.html", title="identities", entries=_with_keys(entries), pairs=two,
        decisions=people.decisions()[:_LISTED],
    )  # fmt: skip


def _number_in_form(visit: RequestContext, name: str) -> int:
    found = number_in(ascii_digits(visit.form[name]), 0)
    if not found:
        raise BadForm.saying("that is no number of a person; it stands beside the name")
    return found


def _reason(visit: RequestContext) -> str:
    if not (reason := visit.form["reason"][:_REASON]):
        raise BadForm.saying("say why; it stands in the audit trail")
    return reason


def _join(visit: RequestContext) -> None:
    database = _projection(visit)
    database.register.join(database.engine, visit.form["entry"], _number_in_form(visit, "person"))


def _make(visit: RequestContext) -> str:
    database = _projection(visit)
    return f"/people/{database.register.make(database.engine, visit.form['entry'])}"


def _merge(visit: RequestContext) -> str:
    database = _projection(visit)
    person = _number_in_form(visit, "person")
    database.register.merge(database.engine, person, _number_in_form(visit, "other"), _reason(visit))
    return f"/people/{person}"


def _separate_persons(visit: RequestContext) -> None:
    database = _projection(visit)
    database.register.mark_distinct(database.engine, _number_in_form(visit, "person"), _number_in_form(visit, "other"))


def _separate(visit: RequestContext) -> str:
    database, key = _projection(visit), visit.form["key"]
    person = database.register.separate(database.engine, _number_in_form(visit, "person"), [key], _reason(visit))
    return f"/people/{person}"


def _undo(visit: RequestContext) -> None:
    database = _projection(visit)
    database.register.undo(database.engine, _number_in_form(visit, "number"), _reason(visit))


ADDRESSES = [
    PageRoute("/calendar", _calendar),
    PageRoute("/record/{venue}/{trail}", _entry, back="/calendar"),
    PageRoute("/record/{venue}/{trail}/{path:path}", _page, back="/calendar"),
    PageRoute("/rankings", _rankings),
    PageRoute("/rankings/{key}", _ranking, back="/rankings"),
    PageRoute("/venues.json", _venues_json),
    PageRoute("/venues/{venue}/events.json", _events_json),
    PageRoute("/venues/{venue}/events/{trail}/files.json", _files_json),
    PageRoute("/people", _search),
    PageRoute("/people/{person}", _person, back="/people"),
    PageRoute("/people/{person}/against/{other}", _against, back="/people"),
    PageRoute("/who", _review_page, Role.DESK),
    form_route("/who/join", _join, {"entry", "person"}, back="/who"),
    form_route("/who/new", _make, {"entry"}, back="/who"),
    form_route("/who/merge", _merge, {"person", "other", "reason"}, back="/who"),
    form_route("/who/apart", _separate_persons, {"person", "other"}, back="/who"),
    form_route("/who/separate", _separate, {"person", "key", "reason"}, back="/who"),
    form_route("/who/undo", _undo, {"number", "reason"}, back="/who"),
]
