"""An address of the head: path, what it needs, what it answers. Each area of pages exports a list of them, ADDRESSES.

The law: the role is asked before anything is read; a form is read strictly and must come from our own page; whatever
an address does runs in a thread, so that no page holds up a table's acknowledgement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from kiosk.head.errors import Forbidden, HeadError
from kiosk.head.pages.access import COOKIE
from kiosk.head.pages.forms import SMALL, read_form
from kiosk.head.pages.render import Item
from kiosk.head.pages.roles import Role, admits
from kiosk.head.pages.streams import updates
from kiosk.head.pages.visit import Visit, visit_of

Answer = Callable[[Visit], Response]
Items = Callable[[Visit], list[Item]]


@dataclass(frozen=True, slots=True)
class Address:
    """``items``: the parts that a page replaces by itself while it is open; its stream is at ``/stream`` + path.
    ``fields``: what its form may send, besides the token. ``back``: where somebody goes whose form was refused."""

    path: str
    answer: Answer
    role: Role = Role.ANYBODY
    method: str = "GET"
    items: Items | None = None
    fields: frozenset[str] = frozenset()
    uploads: frozenset[str] = frozenset()
    limit: int = SMALL
    back: str = "/"
    #: whether the form is from a device that is not signed in yet
    open_form: bool = False
    #: whether somebody who may not is shown the door of ``answer`` itself (the desk's sign-in form)
    stranger: Answer | None = None

    def routes(self) -> list[Route]:
        if self.method == "POST":
            return [Route(self.path, self._post, methods=["POST"])]
        found = [Route(self.path, self._get)]
        if self.items is not None:
            found.append(Route("/stream" + self.path, self._stream))
        return found

    async def _get(self, request: Request) -> Response:
        return await self._answered(visit_of(request), self.back)

    async def _post(self, request: Request) -> Response:
        visit = visit_of(request)
        if not admits(visit.session, self.role):
            raise Forbidden("sign in at the desk page first")
        form, files = await read_form(request, self.fields, self.limit, self.uploads)
        if not self.open_form:
            visit.parts.access.require(request.cookies.get(COOKIE), form["csrf"])
        return await self._answered(visit_of(request, form, files), self.back)

    async def _answered(self, visit: Visit, back: str) -> Response:
        if not admits(visit.session, self.role):
            if self.stranger is not None:
                return await run_in_threadpool(self.stranger, visit)
            raise Forbidden("sign in at the desk page first")
        try:
            return await run_in_threadpool(self.answer, visit)
        except HeadError as error:
            if self.path.endswith(".json"):
                raise
            return visit.show("common/refused.html", error.status, title="desk", sentence=str(error), back=back)

    async def _stream(self, request: Request) -> Response:
        visit, items = visit_of(request), self.items
        assert items is not None
        if not admits(visit.session, self.role):
            raise Forbidden("sign in at the desk page first")

        def allowed() -> bool:
            return admits(visit_of(request).session, self.role)

        events = updates(visit.parts.changes, lambda: items(visit), visit.parts.live.now_ms, allowed)
        return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def live(path: str, template: str, items: Items, *, title: str, role: Role = Role.ANYBODY, **more: Any) -> Address:
    """A page that keeps itself current: ``template`` shows ``items``."""

    def answer(visit: Visit) -> Response:
        return visit.show(template, title=title, live=_here(path, visit), items=items(visit))

    return Address(path, answer, role, items=items, **more)


def action(
    path: str,
    do: Callable[[Visit], str | None],
    fields: set[str],
    *,
    role: Role = Role.DESK,
    back: str = "/desk",
    **more: Any,
) -> Address:
    """What a form does; ``do`` gives the address to go on at, by default ``back``."""

    def answer(visit: Visit) -> Response:
        return RedirectResponse(do(visit) or back, 303)

    return Address(path, answer, role, "POST", fields=frozenset(fields), back=back, **more)


def _here(path: str, visit: Visit) -> str:
    """The page's own address with its parts filled in, for its stream."""
    for name, value in visit.path.items():
        path = path.replace(f"{{{name}}}", str(value))
    return path
