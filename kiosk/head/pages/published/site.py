"""The event's own pages while the head runs: the very pages that are published afterwards, and all of them in a zip."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from tempfile import SpooledTemporaryFile
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response, StreamingResponse

from engine.text import say
from kiosk.head.access.rights import Role
from kiosk.head.errors import Conflict, NotFound
from kiosk.head.outgoing.books import public_book
from kiosk.head.publish.book import Book
from kiosk.head.publish.files import CannotWrite, File
from kiosk.head.publish.site import Site, write_zip
from kiosk.head.web.address import Address
from kiosk.head.web.visit import Visit

#: an archive up to this size stays in memory, a larger one goes to a temporary file
_IN_MEMORY = 8 * 1024 * 1024
_CHUNK = 256 * 1024


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
    """Everything, to publish anywhere."""
    book = public_book(visit.desk)
    name = re.sub(r"[^a-z0-9]+", "-", f"othello {book.date}".lower()).strip("-")
    packed = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - the answer closes it
    write_zip(book, packed, name)
    packed.seek(0)

    def chunks() -> Iterator[bytes]:
        with packed:
            while chunk := packed.read(_CHUNK):
                yield chunk

    headers = {"Content-Disposition": f"attachment; filename={name}.zip"}
    return StreamingResponse(chunks(), media_type="application/zip", headers=headers)


ADDRESSES = [
    Address("/event", _entry),
    Address("/event/{path:path}", _page),
    Address("/publish/event.zip", _zip, Role.SIGNED_IN, back="/publish"),
]
