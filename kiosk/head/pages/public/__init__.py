"""Public pages: live tables, pairings, standings, the published site, and the same as JSON for other programs.

``?division=`` names a division; without it the first one is shown, with links to the others. The JSON is described by
an OpenAPI document, a data file beside the code. Tests send requests that it allows and requests that it does not, and
compare every answer with it.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import metadata
from importlib.resources import files as resources
from typing import Any

from starlette.responses import JSONResponse, RedirectResponse, Response

from kiosk.head.access.roles import Role
from kiosk.head.errors import NotFound
from kiosk.head.event.publication_redaction_and_latin_names import redact_event
from kiosk.head.export.published_event_builder import public_book
from kiosk.head.publish.static_site import zipped
from kiosk.head.tables.public_and_arbiter_table_cards import TableCard, public_cards
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, live_route
from kiosk.head.web.published_site_responses import record_page
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.records.event_file import to_dict

# live tables, pairings and standings


def _tables(visit: RequestContext) -> dict[str, str]:
    cards = public_cards(visit.desk, visit.head.tables.live, visit.kept.setdefault("seen", {}), visit.hall)
    return {"announcement": visit.announcement()} | {f"table-{card.number}": _table(visit, card) for card in cards}


def _table(visit: RequestContext, card: TableCard) -> str:
    """Draw one table from its card and from whether it has a kiosk."""
    drawn: dict[int, tuple[tuple[TableCard, bool], str]] = visit.kept.setdefault("drawn", {})
    seen, known = (card, card.number in visit.desk.tables), drawn.get(card.number)
    if known is None or known[0] != seen:
        known = drawn[card.number] = seen, visit.draw("public/_table.html", card=card)
    return known[1]


def _pairings(visit: RequestContext) -> dict[str, str]:
    if not visit.hall.divisions:
        return {"pairings": visit.draw("public/_none.html")}
    division = visit.division
    pairings = visit.draw("public/_pairings.html", division=division)
    return {"announcement": visit.announcement(division), "pairings": pairings}


def _standings(visit: RequestContext) -> dict[str, str]:
    if not visit.hall.divisions:
        return {"standings": visit.draw("public/_none.html")}
    division = visit.division
    ranking = visit.desk.ask_ranking(division.slug).result()
    c = division.event.options.brightwell_c or 6
    return {"standings": visit.draw("public/_standings.html", division=division, ranking=ranking, brightwell_c=c)}


# the published site


def _front_page(visit: RequestContext) -> Response:
    return RedirectResponse(f"/event/{visit.lang}/index.html", 302)


def _game(visit: RequestContext) -> Response:
    """Send a phone to the game whose code a table shows: to its page, or to its round while it has none."""
    state, wanted = visit.desk.state, visit.path["game"]
    division, game = state.division_of(wanted), state.game(wanted)
    if division is None or game is None or game.is_bye:
        raise NotFound.saying("that game no longer exists; choose a game of a published round")
    games = [one for one in division.rounds[game.round - 1] if not one.is_bye]
    key, published = f"r{game.round}g{games.index(game) + 1}", public_book(visit.desk).division(division.slug)
    shown = published is not None and any(played.key == key for played in published.recorded)
    page = f"games/{key}" if shown else "rounds"
    return RedirectResponse(f"/event/{visit.lang}/{division.slug}/{page}.html", 302)


def _page(visit: RequestContext) -> Response:
    if not visit.desk.state.divisions:
        raise NotFound.saying("no event was created yet")
    return record_page(public_book(visit.desk), visit.path["path"], "/")


def _zip(visit: RequestContext) -> Response:
    """Send all pages as a zip. For a large tournament this takes seconds, during which no table and no page waits."""
    book = public_book(visit.desk)
    name = re.sub(r"[^a-z0-9]+", "-", f"othello {book.date}".lower()).strip("-")
    weight = sum(len(division.event.players) for division in book.divisions)
    packed = visit.desk.calculations.compute(zipped, book, name, weight=weight)
    named = {"Content-Disposition": f"attachment; filename={name}.zip"}
    return Response(packed, media_type="application/zip", headers=named)


# for other programs


@cache
def description() -> dict[str, Any]:
    """Return the OpenAPI document."""
    found: dict[str, Any] = json.loads(resources(__name__).joinpath("openapi.json").read_text(encoding="utf-8"))
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
    return JSONResponse(visit.desk.ask_ranking(visit.division.slug).result().standings.as_dict())


ADDRESSES = [
    live_route("/", _tables, title="tables", template="public/tables.html", shared=True),
    live_route("/pairings", _pairings, title="pairings", template="public/list.html", shared=True),
    live_route("/standings", _standings, title="standings", template="public/list.html", shared=True),
    PageRoute("/event", _front_page),
    PageRoute("/game/{game}", _game),
    PageRoute("/event/{path:path}", _page),
    PageRoute("/publish/event.zip", _zip, Role.SIGNED_IN, back="/publish"),
    PageRoute("/openapi.json", _description),
    PageRoute("/hall.json", _hall),
    PageRoute("/event.json", _event_file),
    PageRoute("/tables.json", _tables_file),
    PageRoute("/standings.json", _standings_file),
]
