"""The guide for the people of a tournament, in the visitor's language. Anybody may read it, without the internet."""

from __future__ import annotations

from starlette.responses import Response

from engine.i18n import say
from kiosk.head.errors import NotFound
from kiosk.head.web import guide_text
from kiosk.head.web.request_context import RequestContext
from kiosk.head.web.routes import PageRoute


def _page(visit: RequestContext) -> Response:
    page = guide_text.page(visit.path.get("page", "index"), visit.lang)
    if page is None:
        raise NotFound(say("the guide has no such page; choose one of its list"))
    pages = [found for name in guide_text.PAGES if (found := guide_text.page(name, visit.lang))]
    return visit.show("guide/guide.html", title="help", page=page, pages=pages)


def _picture(visit: RequestContext) -> Response:
    found = guide_text.picture(visit.path["name"])
    if found is None:
        raise NotFound(say("the guide has no such picture"))
    return Response(found, media_type="image/png")


ADDRESSES = [
    PageRoute("/help", _page),
    PageRoute("/help/{page}", _page, back="/help"),
    PageRoute("/help/pictures/{name}", _picture),
]
