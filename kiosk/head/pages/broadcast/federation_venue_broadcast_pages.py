"""The broadcast of a federation's venues: the relay's files under the venue's name, and the page that shows them.

The files of a venue are served as they were received. A venue that is not visible has no broadcast either.
"""

from __future__ import annotations

from functools import partial

from starlette.responses import Response

from engine.i18n import Text, say
from kiosk.head.errors import NotFound
from kiosk.head.export.broadcast_relay_sender_and_federation_target import INDEX
from kiosk.head.federation.live_venue_state_and_sender_checks import Venue
from kiosk.head.pages.broadcast.live_board_pages_and_files import FORMATS, records_response, strings
from kiosk.head.web.form_player_and_result_parsing import number_in
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext

_AT = "/venues/{venue}/live"
#: how long an intermediate cache may answer by itself
_CACHED = "public, max-age=1"


def _venue(visit: RequestContext) -> Venue:
    """Return the venue of the address.

    :raises NotFound: there is none, or it is not visible now.
    """
    collector, name = visit.head.remote.collector, str(visit.path["venue"])
    venue = collector.venue(name) if collector else None
    if collector is None or venue is None or not collector.is_shown(name):
        raise NotFound(say("there is no venue '{name}'; choose one of the list of venues", name=name[:40]))
    return venue


def _page(visit: RequestContext) -> Response:
    venue = _venue(visit)
    index = f"/venues/{venue.name}/live/{INDEX}"
    values = {"now": 0, "tables": [], "games": [], "lang": visit.lang, "words": strings(visit.lang), "index": index}
    return visit.show("broadcast/venue.html", title="venues", initial=values, venue=venue)


def _index(visit: RequestContext) -> Response:
    return _response(visit, None, say("this venue is not broadcasting now"))


def _game(visit: RequestContext) -> Response:
    table = str(visit.path["table"])
    missing = say("there is no board '{name}'; live.json names all of them", name=table[:40])
    return _response(visit, number_in(table, 0), missing)


def _response(visit: RequestContext, table: int | None, missing: Text) -> Response:
    venue, broadcasts = _venue(visit), visit.head.remote.broadcasts
    if broadcasts is None or (file := broadcasts.files(venue.name).get(table)) is None:
        raise NotFound(missing)
    return Response(file, media_type="application/json", headers={"cache-control": _CACHED})


def _records(kind: str, visit: RequestContext) -> Response:
    venue, broadcasts = _venue(visit), visit.head.remote.broadcasts
    return records_response(kind, broadcasts.games(venue.name) if broadcasts else [], venue.state)


ADDRESSES = [
    PageRoute(_AT, _page, back="/venues/{venue}"),
    *(PageRoute(f"{_AT}/games.{kind}", partial(_records, kind)) for kind in FORMATS),
    PageRoute(f"{_AT}/{INDEX}", _index),
    PageRoute(f"{_AT}/{{table}}.json", _game),
]
