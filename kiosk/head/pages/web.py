"""The head's addresses, put together from the areas of pages.

The law: spectators read; only a signed-in operator acts, and only by a form of our own page. What cannot be done is
answered with one clear sentence and a 4xx status, never with a crash.
"""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Lifespan

from kiosk.head.errors import HeadError
from kiosk.head.pages import accounts, desk, devices, spectators
from kiosk.head.pages.headers import SafeHeaders
from kiosk.head.pages.visit import Parts, visit_of

#: every area of pages; each has a list ADDRESSES
AREAS: tuple[Any, ...] = (spectators, desk, devices, accounts)


def build_app(
    parts: Parts, link: list[BaseRoute] | None = None, lifespan: Lifespan[Starlette] | None = None
) -> Starlette:
    """The head's pages; ``link``: the routes that the tables connect to."""
    app = Starlette(
        routes=[
            *(route for area in AREAS for address in area.ADDRESSES for route in address.routes()),
            Mount("/static", StaticFiles(packages=[("kiosk.head.pages", "static")])),
            *(link or []),
        ],
        lifespan=lifespan,
        middleware=[Middleware(SafeHeaders)],
        exception_handlers={HeadError: _refused, HTTPException: _no_such_page},  # type: ignore[dict-item]
    )
    app.state.parts = parts
    return app


_SENTENCES = {
    404: "there is no such page on this head; go back and choose a page from the menu",
    405: "this address does not take that kind of request; use the buttons of the page",
}


async def _refused(request: Request, error: HeadError) -> Response:
    return _sentence(request, str(error), error.status, "/desk" if request.method == "POST" else "/")


async def _no_such_page(request: Request, error: HTTPException) -> Response:
    return _sentence(request, _SENTENCES.get(error.status_code, str(error.detail)), error.status_code, "/")


def _sentence(request: Request, sentence: str, status: int, back: str) -> Response:
    if request.url.path.endswith(".json"):
        return JSONResponse({"error": sentence}, status)
    return visit_of(request).show("common/refused.html", status, title="desk", sentence=sentence, back=back)
