"""Broadcast of one board or of all boards, as pages and as JSON, GGF and PGN."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from functools import partial

import msgspec
from starlette.responses import JSONResponse, Response

from engine.i18n import Text, say
from kiosk.head.errors import NotFound
from kiosk.head.event.tournament_state import TournamentState
from kiosk.head.publish.labels_and_formatting import grade_name
from kiosk.head.tables.live_game_json_and_document_cache import SCHEMA, BroadcastView, LiveGame, game_record
from kiosk.head.tables.public_and_arbiter_table_cards import public_cards
from kiosk.head.web.bilingual_labels import LABELS
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.locale import JAPANESE, Lang, render
from kiosk.records.game_file_formats import ggf_text, pgn_text

FORMATS = {"ggf": ggf_text, "pgn": pgn_text}


def slot_name(visit: RequestContext) -> str:
    return str(visit.path["slot"])


def shown_at(visit: RequestContext) -> dict[int, BroadcastView]:
    """Return the table that the address names, if there is one; without a name all tables in play."""
    broadcast = visit.head.outbound.stages.broadcast
    found = broadcast.documents()
    if "slot" not in visit.path:
        return {table: one for table, one in found.items() if one.document.state != "free"}
    table = broadcast.table_of(slot_name(visit))
    return {} if table is None or table not in found else {table: found[table]}


def initial_state(visit: RequestContext) -> dict[str, object]:
    """Return the first state of a page, in the form of its stream's messages."""
    shown = shown_at(visit)
    path = f"/stream/live/{slot_name(visit)}" if "slot" in visit.path else "/stream/live"
    return {
        "now": visit.head.tables.live.now_ms(),
        "tables": list(shown),
        "games": [msgspec.to_builtins(one.document) for one in shown.values()],
        "lang": visit.lang,
        "words": strings(visit.lang),
        "stream": path,
    }


def _one_board_page(visit: RequestContext) -> Response:
    shown = shown_at(visit)
    cards = [card for card in public_cards(visit.desk, visit.head.tables.live, hall=visit.hall) if card.number in shown]
    wall = visit.query.get("wall") == "1"
    return visit.show(
        "broadcast/board.html", title="live", initial=initial_state(visit), cards=cards, wall=wall, here=visit.here
    )


def _all(visit: RequestContext) -> Response:
    wall = visit.query.get("wall") == "1"
    return visit.show(
        "broadcast/boards.html", title="live", initial=initial_state(visit), wall=wall, slots=sorted(visit.hall.slots)
    )


def _stream(visit: RequestContext) -> AsyncIterator[str]:
    return visit.head.outbound.stages.stream(slot_name(visit) if "slot" in visit.path else None)


def _games_of_address(visit: RequestContext) -> list[LiveGame]:
    """Return the games of the address.

    :raises NotFound: there is no such table or slot.
    """
    shown = shown_at(visit)
    if "slot" in visit.path and not shown:
        raise NotFound(say("there is no board '{name}'; live.json names all of them", name=slot_name(visit)[:40]))
    return [one.document for one in shown.values()]


def _json(visit: RequestContext) -> Response:
    games, now_ms = _games_of_address(visit), visit.head.tables.live.now_ms()
    if "slot" in visit.path:
        return JSONResponse({"now_ms": now_ms, **msgspec.to_builtins(games[0])})
    all_games = msgspec.to_builtins(games)
    return JSONResponse({"schema": SCHEMA, "now_ms": now_ms, "slots": dict(visit.hall.slots), "games": all_games})


def _records(kind: str, visit: RequestContext) -> Response:
    return records_response(kind, _games_of_address(visit), visit.hall)


def records_response(kind: str, games: Sequence[LiveGame], state: TournamentState) -> Response:
    """Send the games as far as they may be seen, leaving out boards without a move."""
    records = [game_record(game, state.title, state.date) for game in games if game.moves]
    return Response(FORMATS[kind](records), media_type="text/plain; charset=utf-8")


ADDRESSES = [
    PageRoute("/live", _all, stream=_stream),
    PageRoute("/live.json", _json),
    PageRoute("/live/{slot}.json", _json),
    *(PageRoute(f"/live{one}.{kind}", partial(_records, kind)) for kind in FORMATS for one in ("", "/{slot}")),
    PageRoute("/live/{slot}", _one_board_page, stream=_stream, back="/live"),
]


# The strings that the broadcast script needs, in one language.

_WORDS = {
    "board": say("Board"),
    "black": say("Black"),
    "white": say("White"),
    "table": say("Table {n}"),
    "move": say("move {n}"),
    "pass": say("passes"),
    "right": say("draw right"),
    "free": say("Free"),
    "hidden": say("This game is shown later."),
    "exact": say("exact"),
}


#: grades as player lists write them
_GRADES = [*(f"{n}d" for n in range(1, 11)), *(f"{n}k" for n in range(1, 16))]


def strings(lang: Lang) -> dict[str, object]:
    texts: dict[str, object] = {name: render(text, lang, n="{n}") for name, text in _WORDS.items()}
    # the same names as on the head's other pages
    names = {held: grade_name(held) for held in _GRADES} if lang == JAPANESE else {}
    grades = {held: render(name, lang) for held, name in names.items() if isinstance(name, Text)}
    return texts | {"grades": grades, "phases": {phase: render(text, lang) for phase, text in LABELS["phase"].items()}}
