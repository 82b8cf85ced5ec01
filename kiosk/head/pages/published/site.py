"""The published pages while the head runs: the same pages that are published afterwards, and all of them in a zip."""

from __future__ import annotations

import re

from starlette.responses import RedirectResponse, Response

from engine.text import say
from kiosk.head.access.rights import Role
from kiosk.head.errors import NotFound
from kiosk.head.outgoing.books import public_book
from kiosk.head.publish.site import zipped
from kiosk.head.web.address import Address
from kiosk.head.web.record import record_page
from kiosk.head.web.visit import Visit


def _entry(visit: Visit) -> Response:
    return RedirectResponse(f"/event/{visit.lang}/index.html", 302)


def _page(visit: Visit) -> Response:
    if not visit.desk.state.divisions:
        raise NotFound(say("no event was created yet"))
    return record_page(public_book(visit.desk), visit.path["path"], "/")


def _zip(visit: Visit) -> Response:
    """Send all pages as a zip. For a large tournament this takes seconds, during which no table and no page waits."""
    book = public_book(visit.desk)
    name = re.sub(r"[^a-z0-9]+", "-", f"othello {book.date}".lower()).strip("-")
    weight = sum(len(division.event.players) for division in book.divisions)
    packed = visit.desk.calculations.once(zipped, book, name, weight=weight)
    return Response(
        packed, media_type="application/zip", headers={"Content-Disposition": f"attachment; filename={name}.zip"}
    )


ADDRESSES = [
    Address("/event", _entry),
    Address("/event/{path:path}", _page),
    Address("/publish/event.zip", _zip, Role.SIGNED_IN, back="/publish"),
]
