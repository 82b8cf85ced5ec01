"""Broadcast of one board or of all boards, as pages and as JSON, GGF and PGN."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from functools import partial

import msgspec
from starlette.responses import JSONResponse, Response

from engine.text import say
from kiosk.head.errors import NotFound
from kiosk.head.event.state import HallState
from kiosk.head.pages.live.words import words
from kiosk.head.tables.broadcast import Shown
from kiosk.head.tables.document import SCHEMA, Game, game_record
from kiosk.head.tables.hall import public_cards
from kiosk.head.web.address import Address
from kiosk.head.web.visit import Visit
from kiosk.records.games import ggf_text, pgn_text

FORMATS = {"ggf": ggf_text, "pgn": pgn_text}


def name_of(visit: Visit) -> str:
    return str(visit.path["slot"])


def shown_at(visit: Visit) -> dict[int, Shown]:
    """Return the table that the address names, if there is one; without a name all tables in play."""
    broadcast = visit.head.stages.broadcast
    found = broadcast.look()
    if "slot" not in visit.path:
        return {table: one for table, one in found.items() if one.document.state != "free"}
    table = broadcast.table_of(name_of(visit))
    return {} if table is None or table not in found else {table: found[table]}


def told(visit: Visit) -> dict[str, object]:
    """Return the first state of a page, in the form of its stream's messages."""
    shown = shown_at(visit)
    path = f"/stream/live/{name_of(visit)}" if "slot" in visit.path else "/stream/live"
    return {
        "now": visit.head.live.now_ms(),
        "tables": list(shown),
        "games": [msgspec.to_builtins(one.document) for one in shown.values()],
        "lang": visit.lang,
        "words": words(visit.lang),
        "stream": path,
    }


def _one(visit: Visit) -> Response:
    shown = shown_at(visit)
    cards = [card for card in public_cards(visit.desk, visit.head.live) if card.number in shown]
    wall = visit.query.get("wall") == "1"
    return visit.show("live/one.html", title="live", told=told(visit), cards=cards, wall=wall, here=visit.here)


def _all(visit: Visit) -> Response:
    wall = visit.query.get("wall") == "1"
    return visit.show("live/hall.html", title="live", told=told(visit), wall=wall, slots=sorted(visit.hall.slots))


def _stream(visit: Visit) -> AsyncIterator[str]:
    return visit.head.stages.stream(name_of(visit) if "slot" in visit.path else None)


def _known(visit: Visit) -> list[Game]:
    """Return the games of the address.

    :raises NotFound: there is no such table or slot.
    """
    shown = shown_at(visit)
    if "slot" in visit.path and not shown:
        raise NotFound(say("there is no board '{name}'; live.json names all of them", name=name_of(visit)[:40]))
    return [one.document for one in shown.values()]


def _json(visit: Visit) -> Response:
    games, now_ms = _known(visit), visit.head.live.now_ms()
    if "slot" in visit.path:
        return JSONResponse({"now_ms": now_ms, **msgspec.to_builtins(games[0])})
    all_games = msgspec.to_builtins(games)
    return JSONResponse({"schema": SCHEMA, "now_ms": now_ms, "slots": dict(visit.hall.slots), "games": all_games})


def _records(kind: str, visit: Visit) -> Response:
    return as_records(kind, _known(visit), visit.hall)


def as_records(kind: str, games: Sequence[Game], state: HallState) -> Response:
    """Send the games as far as they may be seen, leaving out boards without a move."""
    records = [game_record(game, state.title, state.date) for game in games if game.moves]
    return Response(FORMATS[kind](records), media_type="text/plain; charset=utf-8")


ADDRESSES = [
    Address("/live", _all, stream=_stream),
    Address("/live.json", _json),
    Address("/live/{slot}.json", _json),
    *(Address(f"/live{one}.{kind}", partial(_records, kind)) for kind in FORMATS for one in ("", "/{slot}")),
    Address("/live/{slot}", _one, stream=_stream, back="/live"),
]
