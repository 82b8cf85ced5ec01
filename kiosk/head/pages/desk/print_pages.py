"""Pages to print at the desk, with the names as entered, also where the published pages hide them."""

from __future__ import annotations

from importlib.resources import files as resources
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, RedirectResponse, Response

from kiosk.head.access.authentication import game_subject, player_subject
from kiosk.head.access.roles import Role
from kiosk.head.errors import NotFound
from kiosk.head.export.published_event_builder import staff_book
from kiosk.head.publish.labels_and_formatting import PRINTS
from kiosk.head.publish.print_sheets import KINDS, Badge, ResultSlip, sheet
from kiosk.head.publish.prizes_and_certificates import KINDS as CERTIFICATE_KINDS
from kiosk.head.web.form_player_and_result_parsing import number_in
from kiosk.head.web.head_url_on_hall_network import NO_ADDRESS
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext


def _checked_kind(kind: str) -> str:
    if kind not in KINDS:
        prints = tuple(PRINTS[kind] for kind in KINDS)
        raise NotFound.saying("there is no such print; choose one of {kinds}", kinds=prints)
    return kind


def _print(visit: RequestContext) -> Response:
    """Show a page to print. ``?division=`` chooses one division, ``?round=`` an earlier round, ``?lang=`` the other
    language, ``?player=`` one receipt, which ``?to=`` makes out to somebody else."""
    kind = _checked_kind(visit.path["kind"])
    if not visit.desk.state.divisions:
        raise NotFound.saying("no event was created yet")
    only = visit.query.get("division") or None
    if only is not None:
        visit.desk.state.division(only)
    wanted = tuple(name for name in CERTIFICATE_KINDS if name in visit.query.get("kinds", "").split(","))
    site = visit.site_in_the_hall
    page = sheet(
        staff_book(visit.desk),
        kind,
        visit.lang,
        style="/print/print.css",
        only=only,
        round_=number_in(visit.query.get("round", ""), None),
        tables=sorted(visit.desk.seating.known_tables()) if kind == "numbers" else visit.desk.tables,
        kinds=wanted or CERTIFICATE_KINDS,
        opens=lambda of: _qr_address(visit, site, of),
        missing=None if site else NO_ADDRESS,
        player=visit.query.get("player", "")[:60],
        holder=visit.query.get("to", "")[:60],
        paid={one.slug: one.paid for one in visit.desk.state.divisions.values()},
    )
    return HTMLResponse(page)


def _redirect_to_print(visit: RequestContext) -> Response:
    """Redirect to the page to print that a form chose."""
    kind = _checked_kind(visit.query.get("kind", ""))
    return RedirectResponse(f"/print/{kind}?{urlencode({'division': visit.query.get('division', '')})}", 303)


def _qr_address(visit: RequestContext, site: str, of: ResultSlip | Badge | str) -> str:
    """Return the URL of a QR code on paper for a phone in the hall; empty if there is none, as for a slip of an earlier
    round, or if this head has no address."""
    if not site:
        return ""
    token = visit.head.access.token
    match of:
        case Badge(division=division, player=player):
            return f"{site}/p/{token(player_subject(division.key, player.id))}"
        case ResultSlip(division=division, round=number, game=game):
            wanted, games = {game.black, game.white}, visit.desk.state.division(division.key).current
            found = (one for one in games if one.round == number and one.players == wanted)
            return next((f"{site}/g/{token(game_subject(one.id))}" for one in found if one.is_open), "")
        case path:
            return f"{site}{path}"


def _picture(visit: RequestContext) -> Response:
    """Send the organiser's seal or logo."""
    name = visit.path["name"].removesuffix(".jpg")
    if name not in (visit.desk.state.seal, visit.desk.state.logo):
        raise NotFound.saying("there is no such picture")
    return Response(visit.head.tables.photographs.picture(name), media_type="image/jpeg")


def _style(visit: RequestContext) -> Response:
    style = resources("kiosk.head.publish").joinpath("static/print.css").read_bytes()
    return Response(style, media_type="text/css")


ADDRESSES = [
    PageRoute("/print/print.css", _style),
    PageRoute("/organiser/{name}", _picture, Role.SIGNED_IN, back="/publish"),
    PageRoute("/print", _redirect_to_print, Role.SIGNED_IN, back="/publish"),
    PageRoute("/print/{kind}", _print, Role.SIGNED_IN, back="/publish"),
]
