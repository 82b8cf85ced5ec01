"""The closing page (大会終了): what is still open, the button to close, and the zip with all files of the event."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import FileResponse, Response

from engine.i18n import say
from kiosk.head.access.roles import Role
from kiosk.head.errors import NotFound
from kiosk.head.export.event_archive import unfinished_items
from kiosk.head.export.published_event_builder import rating_list_header, staff_book
from kiosk.head.web.html_renderer import Item
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.records.elo_result_file_writer import UNTOLD, missing_in_header, newcomers_in, rejection_reason


def _items(visit: RequestContext) -> list[Item]:
    state, outbound = visit.desk.state, visit.head.outbound
    progress = outbound.closing.progress
    asked = []
    for division in state.divisions.values():
        event = state.named_event(division)
        sending = rating_list_header(state, division, state.country or UNTOLD, state.sender or UNTOLD)
        if (refused := rejection_reason(event)) is not None:
            asked.append((division, refused, "latin" if any(not one.latin for one in event.players) else ""))
            continue
        header, newcomers = missing_in_header(event, sending), newcomers_in(event)
        asked += [(division, header, "header")] if header else []
        asked += [(division, newcomers, "numbers")] if newcomers else []
    searched = outbound.endings.progress
    return [
        ("left", visit.draw("publishing/_unfinished.html", left=unfinished_items(state), asked=asked)),
        ("made", visit.draw("publishing/_archive_progress.html", progress=progress)),
        ("endings", visit.draw("publishing/_endgame_search.html", progress=searched, proved=len(visit.desk.endings))),
    ]


def _close(visit: RequestContext) -> None:
    form = visit.form
    visit.desk.divisions.set_venue(*(form[name].strip()[:60] for name in ("place", "country", "sender")))
    visit.head.outbound.closing.start()


def _search(visit: RequestContext) -> None:
    visit.head.outbound.endings.start()


def _stop(visit: RequestContext) -> None:
    visit.head.outbound.endings.stop()


def _zip(visit: RequestContext) -> Response:
    file = visit.head.outbound.closing.progress.file
    if file is None:
        raise NotFound(say("the files have not been made yet; press the button of the page first"))
    name = quote(f"othello-{staff_book(visit.desk).date}".rstrip("-") + ".zip")
    return FileResponse(
        file, media_type="application/zip", headers={"Content-Disposition": f"attachment; filename={name}"}
    )


ADDRESSES = [
    live_route("/close", _items, title="publish", template="publishing/close.html", role=Role.CHIEF, back="/publish"),
    form_route("/close", _close, {"place", "country", "sender"}, role=Role.CHIEF, back="/close", again=True),
    form_route("/close/endings", _search, set(), back="/close"),
    form_route("/close/endings/stop", _stop, set(), back="/close"),
    PageRoute("/close/event.zip", _zip, Role.CHIEF, back="/close"),
]
