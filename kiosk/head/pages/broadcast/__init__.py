"""The broadcast pages: each board large at a permanent address, all boards on one page, overlays, and the same for
programs.

All content was filtered for spectators by ``public_and_arbiter_table_cards.public_cards``. A page contains its first
state, and its stream sends the changes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from functools import partial

import msgspec
from starlette.responses import JSONResponse, Response

from engine.i18n import Text, say
from kiosk.head.access.roles import Role, has_role
from kiosk.head.errors import NotFound
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.head.export.broadcast_relay_sender_and_federation_target import INDEX
from kiosk.head.publish.labels_and_formatting import grade_name
from kiosk.head.tables.live_game_json_and_document_cache import SCHEMA, BroadcastView, LiveGame, game_record
from kiosk.head.tables.public_and_arbiter_table_cards import public_cards
from kiosk.head.web.bilingual_labels import LABELS
from kiosk.head.web.form_player_and_result_parsing import number_in, parse_optional_int
from kiosk.head.web.head_url_on_hall_network import NO_ADDRESS
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.link.message_macs_versions_handshake import MAX_TABLE
from kiosk.locale import JAPANESE, Lang, render
from kiosk.records.game_file_formats import ggf_text, pgn_text

_FORMATS = {"ggf": ggf_text, "pgn": pgn_text}
PARTS = ("all", "board", "clocks", "names", "score", "moves")
LISTS = ("pairings", "standings")
_VENUE = "/venues/{venue}/live"
#: how long an intermediate cache may answer by itself
_CACHED = "public, max-age=1"
#: the strings that the broadcast script needs
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


# one board, or all boards, as pages and as JSON, GGF and PGN


def _slot_name(visit: RequestContext) -> str:
    return str(visit.path["slot"])


def _shown_at(visit: RequestContext) -> dict[int, BroadcastView]:
    """Return the table that the address names, if there is one; without a name all tables in play."""
    broadcast = visit.head.outbound.stages.broadcast
    found = broadcast.documents()
    if "slot" not in visit.path:
        return {table: one for table, one in found.items() if one.document.state != "free"}
    table = broadcast.table_of(_slot_name(visit))
    return {} if table is None or table not in found else {table: found[table]}


def _initial_state(visit: RequestContext) -> dict[str, object]:
    """Return the first state of a page, in the form of its stream's messages."""
    shown = _shown_at(visit)
    return {
        "now": visit.head.tables.live.now_ms(),
        "tables": list(shown),
        "games": [msgspec.to_builtins(one.document) for one in shown.values()],
        "lang": visit.lang,
        "words": strings(visit.lang),
        "stream": f"/stream/live/{_slot_name(visit)}" if "slot" in visit.path else "/stream/live",
    }


def _one_board_page(visit: RequestContext) -> Response:
    shown = _shown_at(visit)
    cards = [card for card in public_cards(visit.desk, visit.head.tables.live, hall=visit.hall) if card.number in shown]
    wall = visit.query.get("wall") == "1"
    return visit.show(
        "broadcast/board.html", title="live", initial=_initial_state(visit), cards=cards, wall=wall, here=visit.here
    )


def _all(visit: RequestContext) -> Response:
    wall = visit.query.get("wall") == "1"
    return visit.show(
        "broadcast/boards.html", title="live", initial=_initial_state(visit), wall=wall, slots=sorted(visit.hall.slots)
    )


def _stream(visit: RequestContext) -> AsyncIterator[str]:
    return visit.head.outbound.stages.stream(_slot_name(visit) if "slot" in visit.path else None)


def _games_of_address(visit: RequestContext) -> list[LiveGame]:
    """Return the games of the address.

    :raises NotFound: there is no such table or slot.
    """
    shown = _shown_at(visit)
    if "slot" in visit.path and not shown:
        raise NotFound.saying("there is no board '{name}'; live.json names all of them", name=_slot_name(visit)[:40])
    return [one.document for one in shown.values()]


def _json(visit: RequestContext) -> Response:
    games, now_ms = _games_of_address(visit), visit.head.tables.live.now_ms()
    if "slot" in visit.path:
        return JSONResponse({"now_ms": now_ms, **msgspec.to_builtins(games[0])})
    all_games = msgspec.to_builtins(games)
    return JSONResponse({"schema": SCHEMA, "now_ms": now_ms, "slots": dict(visit.hall.slots), "games": all_games})


def _records(kind: str, visit: RequestContext) -> Response:
    return _records_response(kind, _games_of_address(visit), visit.hall)


def _records_response(kind: str, games: Sequence[LiveGame], state: TournamentState) -> Response:
    """Send the games as far as they may be seen, leaving out boards without a move."""
    records = [game_record(game, state.title, state.date) for game in games if game.moves]
    return Response(_FORMATS[kind](records), media_type="text/plain; charset=utf-8")


# Overlays for a video stream, the commentator's board, and the desk's page of all overlays.
#
# An overlay is a part of a 1920×1080 picture on a transparent background, which OBS lays over its cameras. It shows
# nothing but the game: no menu, no notice, no scroll bar. While it is disconnected it keeps what it showed. Its address
# names a slot, so it follows when the desk puts another table there.


def _overlay(visit: RequestContext) -> Response:
    part = visit.query.get("part", "all")
    part = part if part in PARTS else "all"
    return visit.show("broadcast/overlay.html", part=part, initial=_initial_state(visit))


def _division(visit: RequestContext) -> DivisionState | None:
    """Return the division that plays at the slot, else the one that the address names, else the first."""
    slug = next((one.document.division for one in _shown_at(visit).values()), "")
    divisions = visit.hall.divisions
    return divisions.get(slug or visit.query.get("division", "")) or next(iter(divisions.values()), None)


def _pairings(visit: RequestContext) -> dict[str, str]:
    return {"pairings": visit.draw("broadcast/_pairings.html", division=_division(visit))}


def _standings(visit: RequestContext) -> dict[str, str]:
    division = _division(visit)
    ranking = None if division is None else visit.computed_ranking(division)
    return {"standings": visit.draw("broadcast/_standings.html", division=division, ranking=ranking)}


def _overlays(visit: RequestContext) -> Response:
    slots = visit.desk.state.slots
    tables = sorted({*visit.desk.tables, *(game.table for game in visit.desk.state.current if game.table)})
    chosen = visit.query.get("slot", "")
    slot = chosen if chosen in slots else next(iter(slots), str(tables[0] if tables else 1))
    preview = _initial_state(RequestContext(visit.head, visit.lang, visit.session, {"slot": slot}, {}))
    may = has_role(visit.session, Role.DESK)
    return visit.show(
        "broadcast/overlays.html", title="overlays", slots=slots, slot=slot, tables=tables, initial=preview,
        parts=PARTS, lists=LISTS, site=visit.site_in_the_hall, missing=NO_ADDRESS, may_set=may,
        relay=visit.head.outbound.relay and visit.head.outbound.relay.status,
    )  # fmt: skip


def _set_slot(visit: RequestContext) -> str:
    slot = visit.form["slot"]
    visit.desk.divisions.set_slot(slot, parse_optional_int(visit.form, "table", 1, MAX_TABLE))
    return f"/overlays?slot={slot}"


def _commentary(visit: RequestContext) -> Response:
    show = visit.query.get("show") == "1"
    return visit.show("broadcast/commentary.html", title="live", initial=_initial_state(visit), show=show)


# The broadcast of a federation's venues: the relay's files under the venue's name, and the page that shows them.
#
# The files of a venue are served as they were received. A venue that is not visible has no broadcast either.


def _venue_page(visit: RequestContext) -> Response:
    _, venue = visit.head.remote.venue(visit.path["venue"], also_banned=False)
    index = f"/venues/{venue.name}/live/{INDEX}"
    values = {"now": 0, "tables": [], "games": [], "lang": visit.lang, "words": strings(visit.lang), "index": index}
    return visit.show("broadcast/venue.html", title="venues", initial=values, venue=venue)


def _venue_index(visit: RequestContext) -> Response:
    return _venue_file(visit, None, say("this venue is not broadcasting now"))


def _venue_game(visit: RequestContext) -> Response:
    table = str(visit.path["table"])
    missing = say("there is no board '{name}'; live.json names all of them", name=table[:40])
    return _venue_file(visit, number_in(table, 0), missing)


def _venue_file(visit: RequestContext, table: int | None, missing: Text) -> Response:
    services, venue = visit.head.remote.venue(visit.path["venue"], also_banned=False)
    if (file := services.broadcasts.files(venue.name).get(table)) is None:
        raise NotFound(missing)
    return Response(file, media_type="application/json", headers={"cache-control": _CACHED})


def _venue_records(kind: str, visit: RequestContext) -> Response:
    services, venue = visit.head.remote.venue(visit.path["venue"], also_banned=False)
    return _records_response(kind, services.broadcasts.games(venue.name), venue.state)


ADDRESSES = [
    PageRoute("/live", _all, stream=_stream),
    PageRoute("/live.json", _json),
    PageRoute("/live/{slot}.json", _json),
    *(PageRoute(f"/live{one}.{kind}", partial(_records, kind)) for kind in _FORMATS for one in ("", "/{slot}")),
    PageRoute("/live/{slot}", _one_board_page, stream=_stream, back="/live"),
    PageRoute("/commentary/{slot}", _commentary),
    PageRoute("/overlay/{slot}", _overlay),
    live_route("/overlay/{slot}/pairings", _pairings, title="live", template="broadcast/overlay_list.html"),
    live_route("/overlay/{slot}/standings", _standings, title="live", template="broadcast/overlay_list.html"),
    PageRoute("/overlays", _overlays, Role.SIGNED_IN),
    form_route("/overlays", _set_slot, {"slot", "table"}, back="/overlays"),
    PageRoute(_VENUE, _venue_page, back="/venues/{venue}"),
    *(PageRoute(f"{_VENUE}/games.{kind}", partial(_venue_records, kind)) for kind in _FORMATS),
    PageRoute(f"{_VENUE}/{INDEX}", _venue_index),
    PageRoute(f"{_VENUE}/{{table}}.json", _venue_game),
]
