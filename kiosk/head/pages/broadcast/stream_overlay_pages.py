"""Overlays for a video stream, the commentator's board, and the desk's page of all overlays.

An overlay is a part of a 1920×1080 picture on a transparent background, which OBS lays over its cameras. It shows
nothing but the game: no menu, no notice, no scroll bar. While it is disconnected it keeps what it showed. Its address
names a slot, so it follows when the desk puts another table there.
"""

from __future__ import annotations

from starlette.responses import Response

from kiosk.head.access.roles import Role, has_role
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.pages.broadcast.live_board_pages_and_files import initial_state, shown_at
from kiosk.head.web.form_player_and_result_parsing import parse_optional_int
from kiosk.head.web.head_url_on_hall_network import NO_ADDRESS
from kiosk.head.web.html_renderer import Item
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.link.message_macs_versions_handshake import MAX_TABLE

PARTS = ("all", "board", "clocks", "names", "score", "moves")
LISTS = ("pairings", "standings")


def _overlay(visit: RequestContext) -> Response:
    part = visit.query.get("part", "all")
    part = part if part in PARTS else "all"
    return visit.show("broadcast/overlay.html", part=part, initial=initial_state(visit))


def _division(visit: RequestContext) -> DivisionState | None:
    """Return the division that plays at the slot, else the one that the address names, else the first."""
    slug = next((one.document.division for one in shown_at(visit).values()), "")
    divisions = visit.hall.divisions
    return divisions.get(slug or visit.query.get("division", "")) or next(iter(divisions.values()), None)


def _pairings(visit: RequestContext) -> list[Item]:
    return [("pairings", visit.draw("broadcast/_pairings.html", division=_division(visit)))]


def _standings(visit: RequestContext) -> list[Item]:
    division = _division(visit)
    asked = None if division is None or not division.rounds else visit.desk.ask_ranking(division.slug)
    ranking = asked.result() if asked is not None and asked.done() else None
    return [("standings", visit.draw("broadcast/_standings.html", division=division, ranking=ranking))]


def _page(visit: RequestContext) -> Response:
    slots = visit.desk.state.slots
    tables = sorted({*visit.desk.tables, *(game.table for game in visit.desk.state.current if game.table)})
    chosen = visit.query.get("slot", "")
    slot = chosen if chosen in slots else next(iter(slots), str(tables[0] if tables else 1))
    preview = initial_state(RequestContext(visit.head, visit.lang, visit.session, {"slot": slot}, {}))
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
    return visit.show("broadcast/commentary.html", title="live", initial=initial_state(visit), show=show)


ADDRESSES = [
    PageRoute("/commentary/{slot}", _commentary),
    PageRoute("/overlay/{slot}", _overlay),
    live_route("/overlay/{slot}/pairings", _pairings, title="live", template="broadcast/overlay_list.html"),
    live_route("/overlay/{slot}/standings", _standings, title="live", template="broadcast/overlay_list.html"),
    PageRoute("/overlays", _page, Role.SIGNED_IN),
    form_route("/overlays", _set_slot, {"slot", "table"}, back="/overlays"),
]
