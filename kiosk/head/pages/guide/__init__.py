"""The guide for the people of a tournament, in the visitor's language. Anybody may read it, without the internet."""

from __future__ import annotations

from starlette.responses import Response

from kiosk.head.errors import NotFound
from kiosk.head.web import help_guide
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext


def _page(visit: RequestContext) -> Response:
    page = help_guide.page(visit.path.get("page", "index"), visit.lang)
    if page is None:
        raise NotFound.saying("the guide has no such page; choose one of its list")
    pages = [found for name in help_guide.PAGES if (found := help_guide.page(name, visit.lang))]
    return visit.show("guide/guide.html", title="help", page=page, pages=pages)


def _picture(visit: RequestContext) -> Response:
    found = help_guide.picture(visit.path["name"])
    if found is None:
        raise NotFound.saying("the guide has no such picture")
    return Response(found, media_type="image/png")


ADDRESSES = [
    PageRoute("/help", _page),
    PageRoute("/help/{page}", _page, back="/help"),
    PageRoute("/help/pictures/{name}", _picture),
]
