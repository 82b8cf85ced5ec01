"""The desk's pages about what is published: settings, remote publishing, federation lists and the closing page."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import FileResponse, Response

from kiosk.head.access.roles import Role, has_role
from kiosk.head.errors import Conflict, NotFound
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.spectator_visibility import (
    MOST_DELAY,
    MOST_SECONDS,
    Boards,
    NameStyle,
    VisibilityRules,
    read_spectators,
)
from kiosk.head.export.event_archive import unfinished_items
from kiosk.head.export.published_event_builder import rating_list_files, rating_list_header, staff_book
from kiosk.head.publish.lists_for_national_federation import TITLES, sheet_of
from kiosk.head.publish.print_sheets import KINDS
from kiosk.head.tables.photograph_board_reading_and_storage import LONGEST
from kiosk.head.web.form_player_and_result_parsing import parse_int, parse_optional_int, was_fields, with_present_values
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.records import elo_result_file_writer as elo
from kiosk.records.elo_result_file_reader import EloError

# what is public: prints, published pages, hall screens, what spectators may see, and the target outside this head


def _page(visit: RequestContext) -> Response:
    state = visit.desk.state
    rated = []
    for one in state.divisions.values():  # whoever downloads the file types country and sender beside the button
        event, header = state.named_event(one), rating_list_header(state, one, "-", "-")
        rated.append((one, elo.rejection_reason(event), elo.missing_data(event, header)))
    return visit.show(
        "publishing/publish.html", title="publish", divisions=[(one, one.spectators) for one, *_ in rated], kinds=KINDS,
        boards=[choice.value for choice in Boards], styles=[style.value for style in NameStyle], lists=TITLES,
        shown_visibility=_shown_visibility, may_set=has_role(visit.session, Role.DESK), most_delay=MOST_DELAY,
        rated=rated,
    )  # fmt: skip


def _shown_visibility(rule: VisibilityRules) -> dict[str, str]:
    """Return the fields of the form with the present values."""
    return {
        "boards": rule.boards.value, "delay": str(rule.delay), "seconds": str(rule.seconds),
        "worth": "on" if rule.worth else "", "details": "on" if rule.details else "",
        "everybody": rule.naming.everybody.value, "minors": rule.naming.minors.value,
    }  # fmt: skip


def _set_visibility(visit: RequestContext) -> None:
    form = with_present_values(visit.form, _shown_visibility(visit.division.spectators))
    names = {"everybody": form["everybody"], "minors": form["minors"]}
    wished = {"boards": form["boards"], "delay": parse_int(form, "delay", 0, MOST_DELAY), "names": names}
    wished |= {"worth": form["worth"] == "on", "details": form["details"] == "on"}
    if (seconds := parse_optional_int(form, "seconds", 1, MOST_SECONDS)) is not None:
        wished["seconds"] = seconds
    visit.desk.divisions.change(DivisionChanged(visit.division.slug, spectators=read_spectators(wished)))


def _set_organiser(visit: RequestContext) -> None:
    """Save the organiser. A picture that was not sent is kept; one whose box is ticked is removed."""
    state = visit.desk.state
    form = with_present_values(visit.form, {"organiser": state.organiser})
    kept = {}
    for name, old in (("seal", state.seal), ("logo", state.logo)):
        sent = visit.files.get(name)
        kept[name] = visit.head.tables.photographs.keep_picture(sent) if sent else "" if form[f"no-{name}"] else old
    visit.desk.divisions.set_organiser(form["organiser"][:60], kept["seal"], kept["logo"])


def _elo(visit: RequestContext) -> Response:
    """Send the file for the rating list, with real names, whatever spectators are shown."""
    state = visit.desk.state
    division = state.division(visit.division.slug)  # with the names as they were entered
    event = state.named_event(division)
    country, sender = (visit.query.get(name, "").strip()[:60] or elo.UNTOLD for name in ("country", "sender"))
    try:
        header = rating_list_header(state, division, country, sender)
        text = elo.write_elo(event, header)
    except EloError as error:
        raise Conflict(error.text) from error
    named = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(rating_list_files(state)[division.slug])}"}
    return Response(text, media_type="text/plain; charset=us-ascii", headers=named)


def _remote_items(visit: RequestContext) -> dict[str, str]:
    publisher = visit.head.outbound.publisher
    return {"up": visit.draw("publishing/_publication_status.html", status=publisher and publisher.status)}


def _publish_to_remote(visit: RequestContext) -> None:
    if visit.head.outbound.publisher is None:
        raise Conflict.saying(
            "no place is configured; write [publish] into head.toml (docs/reference/configuration.md)"
        )
    visit.head.outbound.publisher.publish_soon()


# lists for a national federation: each as a page to copy from, and as CSV


def _list(visit: RequestContext) -> Response:
    """Show ``/lists/games`` or send ``/lists/games.csv``; names are as entered."""
    name = str(visit.path["kind"])
    kind = name.removesuffix(".csv")
    if kind not in TITLES:
        raise NotFound.saying("there is no such list; choose one of {kinds}", kinds=tuple(TITLES.values()))
    sheet = sheet_of(staff_book(visit.desk), kind, visit.lang)
    if kind == name:
        return visit.show("publishing/list.html", title="publish", sheet=sheet, kinds=TITLES)
    headers = {"Content-Disposition": f"attachment; filename={kind}-{visit.lang}.csv"}
    return Response(sheet.csv(), media_type="text/csv; charset=utf-8", headers=headers)


# closing (大会終了): what is still open, the button to close, and the zip with all files of the event


def _closing_items(visit: RequestContext) -> dict[str, str]:
    state, outbound = visit.desk.state, visit.head.outbound
    asked = []
    for division in state.divisions.values():
        event = state.named_event(division)
        if (refused := elo.rejection_reason(event)) is not None:
            asked.append((division, refused, "latin" if any(not one.latin for one in event.players) else ""))
            continue
        sending = rating_list_header(state, division, state.country or elo.UNTOLD, state.sender or elo.UNTOLD)
        header, newcomers = elo.missing_in_header(event, sending), elo.newcomers_in(event)
        asked += [(division, header, "header")] if header else []
        asked += [(division, newcomers, "numbers")] if newcomers else []
    progress, searched, proved = outbound.closing.progress, outbound.endings.progress, len(visit.desk.endings)
    return {
        "left": visit.draw("publishing/_unfinished.html", left=unfinished_items(state), asked=asked),
        "made": visit.draw("publishing/_archive_progress.html", progress=progress),
        "endings": visit.draw("publishing/_endgame_search.html", progress=searched, proved=proved),
    }


def _close(visit: RequestContext) -> None:
    state = visit.desk.state
    form = with_present_values(visit.form, {name: getattr(state, name) for name in _VENUE_FIELDS})
    visit.desk.divisions.set_venue(*(form[name][:60] for name in _VENUE_FIELDS))
    visit.head.outbound.closing.start()


def _zip(visit: RequestContext) -> Response:
    file = visit.head.outbound.closing.progress.file
    if file is None:
        raise NotFound.saying("the files have not been made yet; press the button of the page first")
    name = quote(f"othello-{staff_book(visit.desk).date}".rstrip("-") + ".zip")
    named = {"Content-Disposition": f"attachment; filename={name}"}
    return FileResponse(file, media_type="application/zip", headers=named)


_VENUE_FIELDS = ("place", "country", "sender")
_VISIBILITY_FIELDS = {"boards", "delay", "seconds", "worth", "details", "everybody", "minors"}

ADDRESSES = [
    PageRoute("/lists/{kind}", _list, Role.SIGNED_IN, back="/publish"),
    live_route("/close", _closing_items, title="publish", template="publishing/close.html", role=Role.CHIEF,
               back="/publish"),
    form_route("/close", _close, {*_VENUE_FIELDS, *was_fields(_VENUE_FIELDS)}, role=Role.CHIEF, back="/close",
               again=True),
    form_route("/close/endings", lambda visit: visit.head.outbound.endings.start(), back="/close"),
    form_route("/close/endings/stop", lambda visit: visit.head.outbound.endings.stop(), back="/close"),
    PageRoute("/close/event.zip", _zip, Role.CHIEF, back="/close"),
    PageRoute("/publish", _page, Role.SIGNED_IN),
    PageRoute("/publish/elo", _elo, Role.SIGNED_IN, back="/publish"),
    form_route("/publish/organiser", _set_organiser, {"organiser", "was-organiser", "no-seal", "no-logo"},
               back="/publish", uploads={"seal", "logo"}, limit=2 * LONGEST),
    form_route("/publish/spectators", _set_visibility,
               {"division", *_VISIBILITY_FIELDS, *was_fields(_VISIBILITY_FIELDS)}, back="/publish"),
    live_route("/publish/elsewhere", _remote_items, title="publish", template="publishing/remote_publication.html",
               role=Role.SIGNED_IN, values=lambda visit: {"configured": visit.head.outbound.publisher is not None},
               back="/publish"),
    form_route("/publish/elsewhere", _publish_to_remote, back="/publish/elsewhere"),
]  # fmt: skip
