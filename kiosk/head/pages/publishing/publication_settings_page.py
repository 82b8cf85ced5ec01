"""The desk's pages of what is public: prints, published pages, hall screens, what spectators may see, and the target
outside this head to which all of it is published."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import Response

from engine.i18n import say
from kiosk.head.access.roles import Role, has_role
from kiosk.head.errors import Conflict
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.spectator_visibility import MOST_DELAY, MOST_SECONDS, Boards, NameStyle, read_spectators
from kiosk.head.export.published_event_builder import rating_list_header
from kiosk.head.publish.lists_for_national_federation import TITLES
from kiosk.head.publish.print_sheets import KINDS
from kiosk.head.tables.photograph_board_reading_and_storage import LONGEST
from kiosk.head.web.form_player_and_result_parsing import parse_int, parse_optional_int
from kiosk.head.web.html_renderer import Item
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.records.elo_result_file_reader import EloError
from kiosk.records.elo_result_file_writer import UNTOLD, file_name, missing_data, rejection_reason, write_elo


def _page(visit: RequestContext) -> Response:
    state = visit.desk.state
    divisions = [(one, one.spectators) for one in state.divisions.values()]
    rated = []
    for one, _ in divisions:  # whoever downloads the file types country and sender beside the button
        event, header = state.named_event(one), rating_list_header(state, one, "-", "-")
        rated.append((one, rejection_reason(event), missing_data(event, header)))
    return visit.show(
        "publishing/publish.html",
        title="publish",
        divisions=divisions,
        kinds=KINDS,
        boards=[choice.value for choice in Boards],
        styles=[style.value for style in NameStyle],
        lists=TITLES,
        may_set=has_role(visit.session, Role.DESK),
        most_delay=MOST_DELAY,
        rated=rated,
    )


def _set_visibility(visit: RequestContext) -> None:
    form, division = visit.form, visit.division
    names = {"everybody": form["everybody"], "minors": form["minors"]}
    wished = {"boards": form["boards"], "delay": parse_int(form, "delay", 0, MOST_DELAY), "names": names}
    seconds = parse_optional_int(form, "seconds", 1, MOST_SECONDS)
    wished |= {"worth": form["worth"] == "on", "details": form["details"] == "on"} | (
        {} if seconds is None else {"seconds": seconds}
    )
    visit.desk.divisions.change(DivisionChanged(division.slug, spectators=read_spectators(wished)))


def _set_organiser(visit: RequestContext) -> None:
    """Save the organiser. A picture that was not sent is kept; one whose box is ticked is removed."""
    state, form = visit.desk.state, visit.form
    kept = {}
    for name, old in (("seal", state.seal), ("logo", state.logo)):
        sent = visit.files.get(name)
        kept[name] = visit.head.tables.photographs.keep_picture(sent) if sent else "" if form[f"no-{name}"] else old
    visit.desk.divisions.set_organiser(form["organiser"][:60], kept["seal"], kept["logo"])


def _elo(visit: RequestContext) -> Response:
    """Send the file for the rating list, with real names, whatever spectators are shown."""
    state, event = visit.desk.state, visit.desk.state.named_event(visit.division)
    country, sender = (visit.query.get(name, "").strip()[:60] or UNTOLD for name in ("country", "sender"))
    try:
        header = rating_list_header(state, visit.division, country, sender)
        text = write_elo(event, header)
    except EloError as error:
        raise Conflict(error.text) from error
    name = quote(file_name(event, header.title))
    return Response(
        text,
        media_type="text/plain; charset=us-ascii",
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{name}"},
    )


_VISIBILITY_FIELDS = {"division", "boards", "delay", "seconds", "worth", "details", "everybody", "minors"}


def _remote_items(visit: RequestContext) -> list[Item]:
    publisher = visit.head.outbound.publisher
    status = None if publisher is None else publisher.status
    return [("up", visit.draw("publishing/_publication_status.html", status=status))]


def _publish_to_remote(visit: RequestContext) -> None:
    if visit.head.outbound.publisher is None:
        raise Conflict(say("no place is configured; write [publish] into head.toml (docs/reference/configuration.md)"))
    visit.head.outbound.publisher.publish_soon()


ADDRESSES = [
    PageRoute("/publish", _page, Role.SIGNED_IN),
    PageRoute("/publish/elo", _elo, Role.SIGNED_IN, back="/publish"),
    form_route(
        "/publish/organiser",
        _set_organiser,
        {"organiser", "no-seal", "no-logo"},
        back="/publish",
        uploads=frozenset({"seal", "logo"}),
        limit=2 * LONGEST,
    ),
    form_route("/publish/spectators", _set_visibility, _VISIBILITY_FIELDS, back="/publish"),
    live_route(
        "/publish/elsewhere",
        _remote_items,
        title="publish",
        template="publishing/remote_publication.html",
        role=Role.SIGNED_IN,
        values=lambda visit: {"configured": visit.head.outbound.publisher is not None},
        back="/publish",
    ),
    form_route("/publish/elsewhere", _publish_to_remote, set(), back="/publish/elsewhere"),
]
