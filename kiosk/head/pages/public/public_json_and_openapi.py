"""Public JSON for other programs (the tournament, an event file, tables, standings), and its OpenAPI description.

The description is a data file beside the code. Tests send requests that it allows and requests that it does not, and
compare every answer with it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import metadata
from importlib.resources import files as resources
from typing import Any

from starlette.responses import JSONResponse, Response

from kiosk.head.event.publication_redaction_and_latin_names import redact_event
from kiosk.head.tables.public_and_arbiter_table_cards import public_cards
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.records.event_file import to_dict


@cache
def description() -> dict[str, Any]:
    """Return the OpenAPI document."""
    text = resources("kiosk.head.pages.public").joinpath("openapi.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    found["info"]["version"] = metadata.version("othello-kiosk")
    return found


def _description(visit: RequestContext) -> Response:
    return JSONResponse(description())


def _hall(visit: RequestContext) -> Response:
    """Send the tournament and its divisions."""
    state = visit.hall
    divisions = [
        {
            "division": one.slug,
            "title": {"ja": one.title[0], "en": one.title[1]},
            "format": one.format,
            "players": sum(not player.absent for player in one.event.players),
            "rounds": len(one.rounds),
            "open_games": sum(game.is_open for game in one.current),
        }
        for one in state.divisions.values()
    ]
    return JSONResponse({"name": state.title, "date": state.date, "divisions": divisions})


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
    PageRoute("/openapi.json", _description),
    PageRoute("/hall.json", _hall),
    PageRoute("/event.json", _event_file),
    PageRoute("/tables.json", _tables_file),
    PageRoute("/standings.json", _standings_file),
]
