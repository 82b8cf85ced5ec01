"""Responses with a page or file of a tournament record: of this head's tournament, or of one that a federation
collected."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote

from starlette.responses import Response

from kiosk.head.errors import Conflict, NotFound
from kiosk.head.publish.export_files import ExportError, ExportFile
from kiosk.head.publish.published_event import Book
from kiosk.head.publish.static_site import Site


def record_page(book: Book, path: str, home: str) -> Response:
    """Return a page or file of the record.

    :raises NotFound: the record has no such page. :raises Conflict: a format cannot hold the event.
    """
    try:
        file = _file(book, path, home)
    except ExportError as error:
        raise Conflict.saying("this format cannot hold the event: {error}", error=error) from error
    if file is None:
        raise NotFound.saying("there is no such page of the event; choose one from its menu")
    headers = {}
    if path.startswith("files/"):
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(file.name)}"
    return Response(file.data, media_type=file.media, headers=headers)


@lru_cache(maxsize=64)
def _file(book: Book, path: str, home: str) -> ExportFile | None:
    """Return a page. It is drawn once for each state of the event, because many phones ask for the same pages."""
    make = _site(book, home).files.get(path)
    return None if make is None else make()


@lru_cache(maxsize=4)
def _site(book: Book, home: str) -> Site:
    """Return the site, whose addresses are found once for each state of the event."""
    return Site(book, home=home)
