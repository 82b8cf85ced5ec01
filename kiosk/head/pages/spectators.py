"""What everybody may read: the tables live, pairings, standings, and the same as JSON for other programs."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse, Response

from kiosk.head.pages.address import Address, live
from kiosk.head.pages.hall import public_cards
from kiosk.head.pages.render import Item
from kiosk.head.pages.visit import Visit
from kiosk.head.pairing import is_over, normal_form, standings_of


def _tables(visit: Visit) -> list[Item]:
    cards = public_cards(visit.desk, visit.parts.live)
    return [(f"table-{card.number}", visit.draw("spectators/_table.html", card=card)) for card in cards]


def _pairings(visit: Visit) -> list[Item]:
    return [("pairings", visit.draw("spectators/_pairings.html", games=visit.desk.state.current))]


def _standings(visit: Visit) -> list[Item]:
    state = visit.desk.state
    if state.event is None:
        values: dict[str, Any] = {"standings": None, "over": False, "brightwell_c": None}
    else:
        event = state.event_file()
        c = event.get("options", {}).get("brightwell_c", 6)
        values = {"standings": standings_of(event), "over": is_over(event), "brightwell_c": c}
    return [("standings", visit.draw("spectators/_standings.html", **values))]


def _event_file(visit: Visit) -> Response:
    return JSONResponse(normal_form(visit.desk.state.event_file()))


def _tables_file(visit: Visit) -> Response:
    """What the tables page shows, for other programs in the hall."""
    cards = public_cards(visit.desk, visit.parts.live)
    return JSONResponse({"now_ms": visit.parts.live.now_ms(), "tables": [card.as_dict() for card in cards]})


def _standings_file(visit: Visit) -> Response:
    return JSONResponse(standings_of(visit.desk.state.event_file()).as_dict())


ADDRESSES = [
    live("/", "spectators/tables.html", _tables, title="tables"),
    live("/pairings", "spectators/pairings.html", _pairings, title="pairings"),
    live("/standings", "spectators/standings.html", _standings, title="standings"),
    Address("/event.json", _event_file),
    Address("/tables.json", _tables_file),
    Address("/standings.json", _standings_file),
]
