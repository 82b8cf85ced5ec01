"""A page or file of an event's record as an answer: this head's event, or one that a federation collected."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote

from starlette.responses import Response

from engine.text import say
from kiosk.head.errors import Conflict, NotFound
from kiosk.head.publish.book import Book
from kiosk.head.publish.files import CannotWrite, File
from kiosk.head.publish.site import Site


def record_page(book: Book, path: str, home: str) -> Response:
    """:raises NotFound: the record has no such page. :raises Conflict: a format cannot hold the event."""
    try:
        file = _file(book, path, home)
    except CannotWrite as error:
        raise Conflict(say("this format cannot hold the event: {error}", error=error)) from error
    if file is None:
        raise NotFound(say("there is no such page of the event; choose one from its menu"))
    headers = {}
    if path.startswith("files/"):
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(file.name)}"
    return Response(file.data, media_type=file.media, headers=headers)


@lru_cache(maxsize=64)
def _file(book: Book, path: str, home: str) -> File | None:
    """A page is drawn once for each state of the event; a hall of phones asks for the same ones."""
    return Site(book, home=home).file(path)
