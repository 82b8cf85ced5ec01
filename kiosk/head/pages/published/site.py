"""The event's own pages while the head runs: the very pages that are published afterwards, and all of them in a zip."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from engine.text import say
from kiosk.head.access.rights import Role
from kiosk.head.errors import Conflict, NotFound
from kiosk.head.outgoing.books import public_book
from kiosk.head.publish.book import Book
from kiosk.head.publish.files import CannotWrite, File
from kiosk.head.publish.site import Site, zipped
from kiosk.head.web.address import Address
from kiosk.head.web.visit import Visit


def _entry(visit: Visit) -> Response:
    return RedirectResponse(f"/event/{visit.lang}/index.html", 302)


def _page(visit: Visit) -> Response:
    if not visit.desk.state.divisions:
        raise NotFound(say("no event was created yet"))
    try:
        file = _file(public_book(visit.desk), visit.path["path"])
    except CannotWrite as error:
        raise Conflict(say("this format cannot hold the event: {error}", error=error)) from error
    if file is None:
        raise NotFound(say("there is no such page of the event; choose one from its menu"))
    headers = {}
    if visit.path["path"].startswith("files/"):
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(file.name)}"
    return Response(file.data, media_type=file.media, headers=headers)


@lru_cache(maxsize=64)
def _file(book: Book, path: str) -> File | None:
    """A page is drawn once for each state of the event; a hall of phones asks for the same ones."""
    return Site(book, home="/").file(path)


def _zip(visit: Visit) -> Response:
    """Everything, to publish anywhere. Of a large event it takes seconds, and no table and no page waits for it."""
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
