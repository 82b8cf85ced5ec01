"""The broadcast of a federation's venues: the relay's files under the venue's name, and the page that shows them.

The files of a venue are served as they were received. A venue that is not visible has no broadcast either.
"""

from __future__ import annotations

from functools import partial

from starlette.responses import Response

from engine.text import say
from kiosk.head.errors import NotFound
from kiosk.head.federation.broadcast import File
from kiosk.head.federation.venue import Venue
from kiosk.head.outgoing.relay import INDEX
from kiosk.head.pages.live.boards import FORMATS, as_records
from kiosk.head.pages.live.words import words
from kiosk.head.web.address import Address
from kiosk.head.web.visit import Visit

_AT = "/venues/{venue}/live"
#: how long an intermediate cache may answer by itself
_CACHED = "public, max-age=1"


def _venue(visit: Visit) -> Venue:
    """Return the venue of the address.

    :raises NotFound: there is none, or it is not visible now.
    """
    collector, name = visit.head.collector, str(visit.path["venue"])
    venue = collector.venue(name) if collector else None
    if collector is None or venue is None or not collector.is_shown(name):
        raise NotFound(say("there is no venue '{name}'; choose one of the list of venues", name=name[:40]))
    return venue


def _page(visit: Visit) -> Response:
    venue = _venue(visit)
    index = f"/venues/{venue.name}/live/{INDEX}"
    told = {"now": 0, "tables": [], "games": [], "lang": visit.lang, "words": words(visit.lang), "index": index}
    return visit.show("live/venue.html", title="venues", told=told, venue=venue)


def _index(visit: Visit) -> Response:
    venue, broadcasts = _venue(visit), visit.head.broadcasts
    if broadcasts is None or (found := broadcasts.index(venue.name)) is None:
        raise NotFound(say("this venue is not broadcasting now"))
    return _said(found)


def _game(visit: Visit) -> Response:
    venue, table, broadcasts = _venue(visit), str(visit.path["table"]), visit.head.broadcasts
    number = int(table) if table.isascii() and table.isdigit() and len(table) < 6 else 0
    if broadcasts is None or (found := broadcasts.game(venue.name, number)) is None:
        raise NotFound(say("there is no board '{name}'; live.json names all of them", name=table[:40]))
    return _said(found)


def _said(file: File) -> Response:
    return Response(file.data, media_type="application/json", headers={"cache-control": _CACHED})


def _records(kind: str, visit: Visit) -> Response:
    venue, broadcasts = _venue(visit), visit.head.broadcasts
    return as_records(kind, broadcasts.games(venue.name) if broadcasts else [], venue.state)


ADDRESSES = [
    Address(_AT, _page, back="/venues/{venue}"),
    *(Address(f"{_AT}/games.{kind}", partial(_records, kind)) for kind in FORMATS),
    Address(f"{_AT}/{INDEX}", _index),
    Address(f"{_AT}/{{table}}.json", _game),
]
