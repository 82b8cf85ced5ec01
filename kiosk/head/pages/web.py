"""The head's addresses.

The law: spectators read; only a signed-in operator acts, and only by a form of our own page. What cannot be done is
answered with one clear sentence and a 4xx status, never with a crash.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Lifespan

from kiosk.head.config import TableRules
from kiosk.head.desk import Desk
from kiosk.head.errors import HeadError
from kiosk.head.live import Live
from kiosk.head.pages.access import COOKIE, Access, Session
from kiosk.head.pages.actions import ACTIONS
from kiosk.head.pages.forms import read_form
from kiosk.head.pages.hall import public_cards
from kiosk.head.pages.headers import SafeHeaders
from kiosk.head.pages.render import PAGES, Renderer
from kiosk.head.pages.streams import Changes, updates
from kiosk.head.pages.texts import LANGUAGES, Lang
from kiosk.head.pairing import normal_form, standings_of

LANGUAGE_COOKIE = "kiosk_lang"


@dataclass(frozen=True, slots=True)
class Parts:
    """What the pages are made of."""

    desk: Desk
    live: Live
    access: Access
    changes: Changes
    renderer: Renderer
    table_rules: TableRules


def build_app(
    parts: Parts, link: list[BaseRoute] | None = None, lifespan: Lifespan[Starlette] | None = None
) -> Starlette:
    """The head's pages; ``link``: the routes that the tables connect to."""
    routes: list[BaseRoute] = [
        Route("/", _page("tables"), name="tables"),
        Route("/pairings", _page("pairings")),
        Route("/standings", _page("standings")),
        Route("/desk", _desk),
        Route("/login", _login, methods=["POST"]),
        Route("/logout", _logout, methods=["POST"]),
        Route("/desk/code", _new_code, methods=["POST"]),
        *(Route(f"/desk/{name}", _action(name), methods=["POST"]) for name in ACTIONS),
        Route("/stream/{page}", _stream),
        Route("/event.json", _event_file),
        Route("/tables.json", _tables_file),
        Route("/standings.json", _standings_file),
        Mount("/static", StaticFiles(packages=[("kiosk.head.pages", "static")])),
        *(link or []),
    ]
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(SafeHeaders)],
        exception_handlers={HeadError: _refused, HTTPException: _no_such_page},  # type: ignore[dict-item]
    )
    app.state.parts = parts
    return app


def _parts(request: Request) -> Parts:
    parts: Parts = request.app.state.parts
    return parts


def language(request: Request) -> Lang:
    """The language of the address, else of the cookie, else of the browser, else Japanese."""
    for wished in (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
        for known in LANGUAGES:
            if wished == known:
                return known
    accepted = request.headers.get("accept-language", "").lower()
    return "en" if "en" in accepted and "ja" not in accepted else "ja"


def _session(request: Request) -> Session | None:
    return _parts(request).access.session(request.cookies.get(COOKIE))


def _show(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    lang = language(request)
    defaults = {"live": None} | values
    response = HTMLResponse(_parts(request).renderer.page(template, lang, _session(request), **defaults), status)
    if request.query_params.get("lang") == lang:
        response.set_cookie(LANGUAGE_COOKIE, lang, max_age=365 * 24 * 3600, samesite="lax", httponly=True)
    return response


def _page(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def show(request: Request) -> Response:
        def draw() -> Response:
            items = _parts(request).renderer.items(name, language(request))
            return _show(request, f"{name}.html", title=name, live=name, items=items)

        return await run_in_threadpool(draw)

    return show


async def _desk(request: Request, new_code: str = "") -> Response:
    session = _session(request)
    if session is None:
        return _show(request, "login.html", title="desk")

    def draw() -> Response:
        items = _parts(request).renderer.items("desk", language(request), session)
        return _show(request, "desk.html", title="desk", live="desk", items=items, new_code=new_code)

    return await run_in_threadpool(draw)


async def _login(request: Request) -> Response:
    form = await read_form(request, {"code"})
    session = _parts(request).access.sign_in(form["code"])
    response = RedirectResponse("/desk", 303)
    response.set_cookie(COOKIE, session.key, max_age=24 * 3600, httponly=True, samesite="strict")
    return response


async def _required(request: Request, form: dict[str, str]) -> Session:
    return _parts(request).access.require(request.cookies.get(COOKIE), form["csrf"])


async def _logout(request: Request) -> Response:
    session = await _required(request, await read_form(request, set()))
    _parts(request).access.sign_out(session)
    response = RedirectResponse("/desk", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response


async def _new_code(request: Request) -> Response:
    await _required(request, await read_form(request, set()))
    return await _desk(request, new_code=_parts(request).access.new_code())


def _action(name: str) -> Callable[[Request], Awaitable[Response]]:
    fields, limit, act = ACTIONS[name]

    async def run(request: Request) -> Response:
        parts = _parts(request)
        if _session(request) is None:
            await _required(request, {"csrf": ""})
        form = await read_form(request, fields, limit)
        await _required(request, form)
        await run_in_threadpool(act, parts.desk, parts.table_rules, form)
        return RedirectResponse("/desk", 303)

    return run


async def _stream(request: Request) -> Response:
    page = request.path_params["page"]
    parts, lang, key = _parts(request), language(request), request.cookies.get(COOKIE)
    if page not in PAGES:
        raise HTTPException(404)
    session = _session(request)
    if page == "desk":
        if session is None:
            raise HTTPException(403)

        def allowed() -> bool:
            return parts.access.session(key) is not None
    else:

        def allowed() -> bool:
            return True

    def draw() -> list[tuple[str, str]]:
        return parts.renderer.items(page, lang, session if page == "desk" else None)

    events = updates(parts.changes, draw, parts.live.now_ms, allowed)
    return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _event_file(request: Request) -> Response:
    return JSONResponse(await run_in_threadpool(normal_form, _parts(request).desk.state.event_file()))


async def _tables_file(request: Request) -> Response:
    """What the tables page shows, for other programs in the hall."""
    parts = _parts(request)
    cards = await run_in_threadpool(public_cards, parts.desk, parts.live)
    return JSONResponse({"now_ms": parts.live.now_ms(), "tables": [card.as_dict() for card in cards]})


async def _standings_file(request: Request) -> Response:
    event = _parts(request).desk.state.event_file()
    return JSONResponse((await run_in_threadpool(standings_of, event)).as_dict())


async def _refused(request: Request, error: HeadError) -> Response:
    if request.url.path.endswith(".json"):
        return JSONResponse({"error": str(error)}, error.status)
    back = "/desk" if request.method == "POST" else "/"
    return _show(request, "refused.html", error.status, title="desk", sentence=str(error), back=back)


_SENTENCES = {
    403: "sign in at the desk page first",
    404: "there is no such page on this head; go back and choose a page from the menu",
    405: "this address does not take that kind of request; use the buttons of the page",
}


async def _no_such_page(request: Request, error: HTTPException) -> Response:
    sentence = _SENTENCES.get(error.status_code, str(error.detail))
    if urlsplit(str(request.url)).path.endswith(".json"):
        return JSONResponse({"error": sentence}, error.status_code)
    return _show(request, "refused.html", error.status_code, title="desk", sentence=sentence, back="/")
