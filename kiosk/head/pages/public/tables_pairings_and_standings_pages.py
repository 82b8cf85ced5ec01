"""Public pages: live tables, pairings and standings.

``?division=`` names a division; without it the first one is shown, with links to the others.
"""

from __future__ import annotations

from kiosk.head.tables.public_and_arbiter_table_cards import TableCard, public_cards
from kiosk.head.web.html_renderer import Item
from kiosk.head.web.page_routes_and_password_reentry import live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext


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


ADDRESSES = [
    live_route("/", _tables, title="tables", template="public/tables.html", shared=True),
    live_route("/pairings", _pairings, title="pairings", template="public/list.html", shared=True),
    live_route("/standings", _standings, title="standings", template="public/list.html", shared=True),
]
