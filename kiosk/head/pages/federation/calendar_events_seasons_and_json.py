"""The calendar, the record of an event and its files, the ranking of a season; and the same as JSON for other
programs."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import JSONResponse, RedirectResponse, Response

from engine.i18n import say
from kiosk.head.errors import NotFound
from kiosk.head.federation.database import page_queries
from kiosk.head.federation.database.page_queries import EventSummary
from kiosk.head.pages.federation.person_search_and_record_page import projection, query
from kiosk.head.publish.export_files import KINDS, kinds_of
from kiosk.head.publish.published_event import Book
from kiosk.head.web.form_player_and_result_parsing import number_in
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.published_site_responses import record_page
from kiosk.head.web.request_context_and_page_rendering import RequestContext

#: rows of a ranking on one page
_LINES = 200


def _calendar(visit: RequestContext) -> Response:
    years = query(visit, page_queries.years)
    year, venue = number_in(visit.query.get("year", ""), 0) or next(iter(years), 0), visit.query.get("venue", "")
    listed = query(visit, page_queries.calendar, year, venue)
    return visit.show("federation/calendar.html", title="calendar", years=years, year=year, venue=venue, listed=listed)


def _book(visit: RequestContext) -> Book:
    """Return the record of the event.

    :raises NotFound: there is no such event.
    """
    book = query(visit, page_queries.book, visit.path["venue"], visit.path["trail"])
    if book is None:
        raise NotFound(say("there is no such event; choose one of the calendar"))
    return book


def _entry(visit: RequestContext) -> Response:
    _book(visit)
    venue, trail = quote(visit.path["venue"]), quote(visit.path["trail"])
    return RedirectResponse(f"/record/{venue}/{trail}/{visit.lang}/index.html", 302)


def _page(visit: RequestContext) -> Response:
    return record_page(_book(visit), visit.path["path"], "/calendar")


# rankings


def _rankings(visit: RequestContext) -> Response:
    return visit.show("federation/rankings.html", title="rankings", rankings=projection(visit).rankings)


def _ranking(visit: RequestContext) -> Response:
    key = visit.path["key"]
    rules = next((one for one in projection(visit).rankings if one.key == key), None)
    if rules is None:
        raise NotFound(say("there is no such ranking; choose one of the list"))
    season, first = projection(visit).season(rules), number_in(visit.query.get("from", ""), 0)
    lines = season.lines[first : first + _LINES]
    return visit.show(
        "federation/ranking.html", title="rankings", rules=rules, season=season, lines=lines, first=first, step=_LINES
    )


# for other programs


def _venues_json(visit: RequestContext) -> Response:
    """Send the venues; an empty list if this head is not a federation's."""
    rows = query(visit, page_queries.venues) if visit.head.remote.projection is not None else ()
    return JSONResponse({"venues": [{"venue": r.venue, "events": r.events, "last": str(r.last)} for r in rows]})


def _events_json(visit: RequestContext) -> Response:
    """Send a venue's events, with the addresses of their files."""
    venue = visit.path["venue"]
    listed = query(visit, page_queries.calendar, None, venue)
    if not listed:
        raise NotFound(say("there is no venue '{name}'; choose one of the list of venues", name=venue[:40]))
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


ADDRESSES = [
    PageRoute("/calendar", _calendar),
    PageRoute("/record/{venue}/{trail}", _entry, back="/calendar"),
    PageRoute("/record/{venue}/{trail}/{path:path}", _page, back="/calendar"),
    PageRoute("/rankings", _rankings),
    PageRoute("/rankings/{key}", _ranking, back="/rankings"),
    PageRoute("/venues.json", _venues_json),
    PageRoute("/venues/{venue}/events.json", _events_json),
    PageRoute("/venues/{venue}/events/{trail}/files.json", _files_json),
]
