"""The Starlette application of the head: the routes of all areas of pages, and the security headers of every answer.

Spectators read. Only a signed-in operator acts, and only by a form of the head's own pages. A request that cannot be
fulfilled is answered with one clear sentence and a 4xx status, never with a crash.
"""

from __future__ import annotations

from types import ModuleType

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Lifespan, Message, Receive, Scope, Send

from engine.i18n import say
from kiosk.head.errors import HeadError
from kiosk.head.pages import (
    accounts,
    arbiter,
    audit,
    broadcast,
    desk,
    devices,
    federation,
    guide,
    hall_screens,
    public,
    publishing,
    venues,
)
from kiosk.head.web.page_routes_and_password_reentry import FOR_PROGRAMS
from kiosk.head.web.request_context_and_page_rendering import context_of
from kiosk.head.web.services_for_pages import AppServices

#: forms answered at the same time
FORMS = 24
#: forms with files answered at the same time; a limit of their own, so that reading a file delays no other form
UPLOADS = 4
#: pages drawn at the same time for readers who are not signed in
SPECTATORS = 8
#: every area of pages; each has a list ADDRESSES
AREAS: tuple[ModuleType, ...] = (
    public, broadcast, hall_screens, publishing, arbiter, desk, devices, accounts, audit, venues, federation, guide,
)  # fmt: skip
_ROUTES = [route for area in AREAS for address in area.ADDRESSES for route in address.routes()]


def build_app(head: AppServices, link: list[BaseRoute], lifespan: Lifespan[Starlette]) -> Starlette:
    """Return the application; ``link``: the routes that the tables connect to."""
    app = Starlette(
        routes=[
            *_ROUTES,
            Mount("/static", StaticFiles(packages=[("kiosk.head.web", "static")])),
            *link,
        ],
        lifespan=lifespan,
        middleware=[Middleware(SafeHeaders)],
        exception_handlers={HeadError: _error_response, HTTPException: _no_such_page},  # type: ignore[dict-item]
    )
    app.state.head = head
    app.state.forms, app.state.uploads = CapacityLimiter(FORMS), CapacityLimiter(UPLOADS)
    app.state.spectators = CapacityLimiter(SPECTATORS)
    return app


_SENTENCES = {
    404: say("there is no such page on this head; go back and choose a page from the menu"),
    405: say("this address does not take that kind of request; use the buttons of the page"),
}


async def _error_response(request: Request, error: HeadError) -> Response:
    if request.url.path.endswith(FOR_PROGRAMS):
        return JSONResponse({"error": str(error)}, error.status)
    visit, back = context_of(request), "/desk" if request.method == "POST" else "/"
    threads = None if visit.session is not None else request.app.state.spectators
    return await run_sync(visit.refuse, error, back, limiter=threads)


async def _no_such_page(request: Request, error: HTTPException) -> Response:
    refusal = HeadError(_SENTENCES.get(error.status_code) or say("{error}", error=str(error.detail)))
    refusal.status = error.status_code
    return await _error_response(request, refusal)


# HTTP security headers of every answer: content only from this head, no framing, no content sniffing.
#
# An answer over TLS also makes the browser use only TLS for as long as an event may last. Browsers keep that for a
# host name, never for a bare IP address.

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
#: a week
TLS_ONLY_S = 7 * 24 * 3600


class SafeHeaders:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = _POLICY
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"  # with "no-referrer" browsers send no origin with a form
                headers.setdefault("Cache-Control", "no-cache")
                if scope["scheme"] == "https":
                    headers["Strict-Transport-Security"] = f"max-age={TLS_ONLY_S}"
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)
