"""Public pages: live tables, pairings and standings, and the same as JSON for other programs.

``?division=`` names a division; without it the first one is shown, with links to the others.
"""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from kiosk.head.event.spectators import shown_event
from kiosk.head.tables.hall import Card, public_cards
from kiosk.head.web.address import Address, live
from kiosk.head.web.render import Item
from kiosk.head.web.visit import Visit
from kiosk.records.event_file import to_dict


def _tables(visit: Visit) -> list[Item]:
    cards = public_cards(visit.desk, visit.head.live, visit.kept.setdefault("seen", {}))
    return [visit.said(), *((f"table-{card.number}", _table(visit, card)) for card in cards)]


def _table(visit: Visit, card: Card) -> str:
    """Draw one table from its card and from whether it has a kiosk."""
    drawn: dict[int, tuple[tuple[Card, bool], str]] = visit.kept.setdefault("drawn", {})
    seen, known = (card, card.number in visit.desk.tables), drawn.get(card.number)
    if known is None or known[0] != seen:
        known = drawn[card.number] = seen, visit.draw("spectators/_table.html", card=card)
    return known[1]


def _pairings(visit: Visit) -> list[Item]:
    if not visit.hall.divisions:
        return [("pairings", visit.draw("spectators/_none.html"))]
    pairings = visit.draw("spectators/_pairings.html", division=visit.division)
    return [visit.said(visit.division), ("pairings", pairings)]


def _standings(visit: Visit) -> list[Item]:
    if not visit.hall.divisions:
        return [("standings", visit.draw("spectators/_none.html"))]
    division = visit.division
    ranking = visit.desk.ask_ranking(division.slug).result()
    c = division.event.options.brightwell_c or 6
    html = visit.draw("spectators/_standings.html", division=division, ranking=ranking, brightwell_c=c)
    return [("standings", html)]


def _event_file(visit: Visit) -> Response:
    """Send the event file in its public form; complete for anybody who is signed in."""
    state = visit.desk.state
    division = state.division(visit.division.slug)
    event = division.whole()
    if visit.session is None:
        over = bool(division.rounds) and visit.desk.ask_ranking(division.slug).result().over
        event = shown_event(event, division.spectators, over=over, day=state.date)
    return JSONResponse(to_dict(event), headers={"Cache-Control": "no-store"})


def _tables_file(visit: Visit) -> Response:
    """Send the content of the tables page as JSON, for other programs in the hall."""
    cards = public_cards(visit.desk, visit.head.live)
    return JSONResponse({"now_ms": visit.head.live.now_ms(), "tables": [card.as_dict() for card in cards]})


def _standings_file(visit: Visit) -> Response:
    ranking = visit.desk.ask_ranking(visit.division.slug).result()
    return JSONResponse(ranking.standings.as_dict())


ADDRESSES = [
    live("/", _tables, title="tables", template="spectators/tables.html", shared=True),
    live("/pairings", _pairings, title="pairings", template="spectators/list.html", shared=True),
    live("/standings", _standings, title="standings", template="spectators/list.html", shared=True),
    Address("/event.json", _event_file),
    Address("/tables.json", _tables_file),
    Address("/standings.json", _standings_file),
]
