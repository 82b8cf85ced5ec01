"""Public pages: live tables, pairings and standings, and the same as JSON for other programs.

``?division=`` names a division; without it the first one is shown, with links to the others.
"""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from kiosk.head.event.publication_redaction_and_latin_names import redact_event
from kiosk.head.tables.public_and_arbiter_table_cards import TableCard, public_cards
from kiosk.head.web.html_renderer import Item
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, live_route
from kiosk.head.web.request_context import RequestContext
from kiosk.records.event_file import to_dict


def _tables(visit: RequestContext) -> list[Item]:
    cards = public_cards(visit.desk, visit.head.tables.live, visit.kept.setdefault("seen", {}), visit.hall)
    return [visit.announcement_item(), *((f"table-{card.number}", _table(visit, card)) for card in cards)]


def _table(visit: RequestContext, card: TableCard) -> str:
    """Draw one table from its card and from whether it has a kiosk."""
    drawn: dict[int, tuple[tuple[TableCard, bool], str]] = visit.kept.setdefault("drawn", {})
    seen, known = (card, card.number in visit.desk.tables), drawn.get(card.number)
    if known is None or known[0] != seen:
        known = drawn[card.number] = seen, visit.draw("public/_table.html", card=card)
    return known[1]


def _pairings(visit: RequestContext) -> list[Item]:
    if not visit.hall.divisions:
        return [("pairings", visit.draw("public/_none.html"))]
    pairings = visit.draw("public/_pairings.html", division=visit.division)
    return [visit.announcement_item(visit.division), ("pairings", pairings)]


def _standings(visit: RequestContext) -> list[Item]:
    if not visit.hall.divisions:
        return [("standings", visit.draw("public/_none.html"))]
    division = visit.division
    ranking = visit.desk.ask_ranking(division.slug).result()
    c = division.event.options.brightwell_c or 6
    html = visit.draw("public/_standings.html", division=division, ranking=ranking, brightwell_c=c)
    return [("standings", html)]


def _event_file(visit: RequestContext) -> Response:
    """Send the event file in its public form; complete for anybody who is signed in."""
    state = visit.desk.state
    division = state.division(visit.division.slug)
    event = division.whole()
    if visit.session is None:
        over = bool(division.rounds) and visit.desk.ask_ranking(division.slug).result().over
        event = redact_event(event, division.spectators, over=over, day=state.date)
    return JSONResponse(to_dict(event), headers={"Cache-Control": "no-store"})


def _tables_file(visit: RequestContext) -> Response:
    """Send the content of the tables page as JSON, for other programs in the hall."""
    cards = public_cards(visit.desk, visit.head.tables.live, hall=visit.hall)
    return JSONResponse({"now_ms": visit.head.tables.live.now_ms(), "tables": [card.as_dict() for card in cards]})


def _standings_file(visit: RequestContext) -> Response:
    ranking = visit.desk.ask_ranking(visit.division.slug).result()
    return JSONResponse(ranking.standings.as_dict())


ADDRESSES = [
    live_route("/", _tables, title="tables", template="public/tables.html", shared=True),
    live_route("/pairings", _pairings, title="pairings", template="public/list.html", shared=True),
    live_route("/standings", _standings, title="standings", template="public/list.html", shared=True),
    PageRoute("/event.json", _event_file),
    PageRoute("/tables.json", _tables_file),
    PageRoute("/standings.json", _standings_file),
]
