"""The closing page (大会終了): what is still open, the button to close, and the zip with all files of the event."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import FileResponse, Response

from engine.text import say
from kiosk.head.access.rights import Role
from kiosk.head.errors import NotFound
from kiosk.head.outgoing.books import staff_book
from kiosk.head.outgoing.closing import still_open
from kiosk.head.web.address import Address, action, live
from kiosk.head.web.render import Item
from kiosk.head.web.visit import Visit
from kiosk.records.elo_writing import Sending, lacking, refusal


def _items(visit: Visit) -> list[Item]:
    state, progress = visit.desk.state, visit.head.closing.progress
    sending = Sending(state.country or "??", state.sender or "??", "-")
    asked = []
    for division in state.divisions.values():
        event = division.whole()
        refused = refusal(event)
        asked += [(division, one) for one in ((refused,) if refused else lacking(event, sending))]
    return [
        ("left", visit.draw("published/_left.html", left=still_open(state), asked=asked)),
        ("made", visit.draw("published/_made.html", progress=progress)),
        (
            "endings",
            visit.draw("published/_endings.html", progress=visit.head.endings.progress, proved=len(visit.desk.endings)),
        ),
    ]


def _close(visit: Visit) -> None:
    form = visit.form
    visit.desk.divisions.say_where(*(form[name].strip()[:60] for name in ("place", "country", "sender")))
    visit.head.closing.start()


def _search(visit: Visit) -> None:
    visit.head.endings.start()


def _stop(visit: Visit) -> None:
    visit.head.endings.stop()


def _zip(visit: Visit) -> Response:
    file = visit.head.closing.progress.file
    if file is None:
        raise NotFound(say("the files have not been made yet; press the button of the page first"))
    name = quote(f"othello-{staff_book(visit.desk).date}".rstrip("-") + ".zip")
    return FileResponse(
        file, media_type="application/zip", headers={"Content-Disposition": f"attachment; filename={name}"}
    )


ADDRESSES = [
    live("/close", _items, title="publish", template="published/close.html", role=Role.CHIEF, back="/publish"),
    action("/close", _close, {"place", "country", "sender"}, role=Role.CHIEF, back="/close", again=True),
    action("/close/endings", _search, set(), back="/close"),
    action("/close/endings/stop", _stop, set(), back="/close"),
    Address("/close/event.zip", _zip, Role.CHIEF, back="/close"),
]
