"""The published site, served while the head runs; all of it as a zip; and the address of one game."""

from __future__ import annotations

import re

from starlette.responses import RedirectResponse, Response

from engine.i18n import say
from kiosk.head.access.roles import Role
from kiosk.head.errors import NotFound
from kiosk.head.export.published_event_builder import public_book
from kiosk.head.publish.static_site import zipped
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.published_site_responses import record_page
from kiosk.head.web.request_context_and_page_rendering import RequestContext


def _front_page(visit: RequestContext) -> Response:
    return RedirectResponse(f"/event/{visit.lang}/index.html", 302)


def _game(visit: RequestContext) -> Response:
    """Send a phone to the game whose code a table shows: to its page, or to its round while it has none."""
    state, wanted = visit.desk.state, visit.path["game"]
    division, game = state.division_of(wanted), state.game(wanted)
    if division is None or game is None or game.is_bye:
        raise NotFound(say("that game no longer exists; choose a game of a published round"))
    games = [one for one in division.rounds[game.round - 1] if not one.is_bye]
    key, published = f"r{game.round}g{games.index(game) + 1}", public_book(visit.desk).division(division.slug)
    shown = published is not None and any(played.key == key for played in published.recorded)
    page = f"games/{key}" if shown else "rounds"
    return RedirectResponse(f"/event/{visit.lang}/{division.slug}/{page}.html", 302)


def _page(visit: RequestContext) -> Response:
    if not visit.desk.state.divisions:
        raise NotFound(say("no event was created yet"))
    return record_page(public_book(visit.desk), visit.path["path"], "/")


def _zip(visit: RequestContext) -> Response:
    """Send all pages as a zip. For a large tournament this takes seconds, during which no table and no page waits."""
    book = public_book(visit.desk)
    name = re.sub(r"[^a-z0-9]+", "-", f"othello {book.date}".lower()).strip("-")
    weight = sum(len(division.event.players) for division in book.divisions)
    packed = visit.desk.calculations.compute(zipped, book, name, weight=weight)
    return Response(
        packed, media_type="application/zip", headers={"Content-Disposition": f"attachment; filename={name}.zip"}
    )


ADDRESSES = [
    PageRoute("/event", _front_page),
    PageRoute("/game/{game}", _game),
    PageRoute("/event/{path:path}", _page),
    PageRoute("/publish/event.zip", _zip, Role.SIGNED_IN, back="/publish"),
]
