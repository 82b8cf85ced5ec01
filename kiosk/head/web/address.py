"""An address of the head: path, what it needs, what it answers. Each area of pages exports a list of them, ADDRESSES.

Rules:

- The role is checked before anything is read. A page that needs no role gets the tournament as it may be public
  (``Visit.hall``).
- A form is read strictly and must come from the head's own page.
- Whatever an address does runs in a thread, so that no page delays a table's acknowledgement. Forms have threads of their
  own, and forms with files others: pages are drawn while forms wait for the disk, and forms act while files are read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlsplit

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from engine.text import say
from kiosk.head.access.access import COOKIE
from kiosk.head.access.rights import Role, admits
from kiosk.head.acting import HEAD, acting_as
from kiosk.head.errors import Forbidden, HeadError
from kiosk.head.web.again import OwnForm, password_again
from kiosk.head.web.forms import SMALL, read_form
from kiosk.head.web.labels import label
from kiosk.head.web.render import Item
from kiosk.head.web.streams import updates
from kiosk.head.web.visit import Head, Visit, cookie, visit_of

Answer = Callable[[Visit], Response]
Items = Callable[[Visit], list[Item]]
#: addresses that end so are read by programs, which get a refusal as JSON
FOR_PROGRAMS = (".json", ".pgn", ".ggf")


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
    #: instead of ``items``: what the page is told, where it draws itself
    stream: Callable[[Visit], AsyncIterator[str]] | None = None
    #: whether the form is from a device that is not signed in yet
    open_form: bool = False
    #: whether it is a player's, who never signs in: what he may do hangs on the token in the path
    players: bool = False
    #: whether the password is asked for again, unless it was given a short time ago
    again: bool = False
    #: what is refused before the password is asked for: a form that could not be done anyway
    check: Callable[[Visit], object] | None = None
    #: the page that asks for it, where what was typed is secret and must not go along
    own_form: OwnForm | None = None
    #: whether somebody who may not is shown the door of ``answer`` itself (the desk's sign-in form)
    stranger: Answer | None = None

    def routes(self) -> list[Route]:
        if self.method == "POST":
            return [Route(self.path, self._post, methods=["POST"])]
        found = [Route(self.path, self._get)]
        if self.items is not None or self.stream is not None:
            found.append(Route("/stream" + self.path, self._stream))
        return found

    async def _get(self, request: Request) -> Response:
        if safe := self._elsewhere(request):
            return safe
        visit = self._visit(request)
        return await self._answered(visit, filled(self.back, visit), None)

    def _visit(
        self, request: Request, form: Mapping[str, str] | None = None, files: Mapping[str, bytes] | None = None
    ) -> Visit:
        visit = visit_of(request, form, files)
        return replace(visit, staff=self.role is not Role.ANYBODY and visit.session is not None)

    def _elsewhere(self, request: Request) -> Response | None:
        """Where this head has a certificate, nothing of the staff's goes over the open port."""
        head: Head = request.app.state.head
        ours = self.role is not Role.ANYBODY or self.open_form or self.path.startswith("/sign-in")
        if head.https_port is None or request.url.scheme == "https" or not ours:
            return None
        return RedirectResponse(request.url.replace(scheme="https", port=head.https_port), 303)

    async def _post(self, request: Request) -> Response:
        if safe := self._elsewhere(request):
            return safe
        visit = self._visit(request)
        self._admit(visit)
        _refuse_foreign(request)
        fields = self.fields | {"password"} if self.again else self.fields
        form, files = await read_form(request, fields, self.limit, self.uploads)
        if not (self.open_form or self.players):
            visit.head.access.require(cookie(request, COOKIE), form["csrf"])
        visit = self._visit(request, form, files)
        back = filled(self.back, visit)
        if self.check is not None:
            try:
                await run_sync(self.check, visit, limiter=request.app.state.forms)
            except HeadError as error:
                return await run_in_threadpool(visit.refuse, error, back)
        asked = (visit, self.path_of(visit), back, self.own_form)
        if self.again and (page := await run_sync(password_again, *asked, limiter=request.app.state.forms)):
            return page
        threads = request.app.state.uploads if self.uploads else request.app.state.forms
        return await self._answered(visit, back, threads)

    def path_of(self, visit: Visit) -> str:
        """This address with its parts filled in."""
        return filled(self.path, visit)

    def _is_a_staff_page(self) -> bool:
        return self.method == "GET" and self.role is not Role.ANYBODY and not self.path.endswith(".json")

    def _admit(self, visit: Visit) -> None:
        if visit.session is None and self.role is not Role.ANYBODY:
            raise Forbidden(say("sign in first"))
        if not admits(visit.session, self.role):
            raise Forbidden(say("this needs the role '{role}'; ask the chief arbiter", role=label("role", self.role)))

    async def _answered(self, visit: Visit, back: str, threads: CapacityLimiter | None) -> Response:
        if visit.session is None and self.stranger is not None:
            return await run_in_threadpool(self.stranger, visit)
        if visit.session is None and self._is_a_staff_page():
            return RedirectResponse(f"/sign-in?next={quote(self.path_of(visit))}", 303)
        try:
            self._admit(visit)
            with acting_as(visit.session.name if visit.session else HEAD):
                return await run_sync(self.answer, visit, limiter=threads)
        except HeadError as error:
            if self.path.endswith(FOR_PROGRAMS):
                raise
            return await run_in_threadpool(visit.refuse, error, back)

    async def _stream(self, request: Request) -> Response:
        visit = self._visit(request)
        if self._elsewhere(request):
            raise Forbidden(say("this page is read over https only; open it again"))
        self._admit(visit)

        def allowed() -> bool:
            return admits(visit_of(request).session, self.role)

        if self.stream is not None:
            events = self.stream(visit)
        else:
            assert self.items is not None, "an address without either has no stream"
            items = self.items
            first = [await run_in_threadpool(items, visit)]  # refused before anything is sent: nobody asks again

            def draw() -> list[Item]:
                return first.pop() if first else items(visit)

            events = updates(visit.head.changes, draw, visit.head.live.now_ms, allowed)
        return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def _refuse_foreign(request: Request) -> None:
    """A browser says where a form is from; a form of another site is refused before it is read, also at the sign-in.

    :raises Forbidden: it is not from this head.
    """
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Forbidden(say("the form did not come from this head; open its page"))


def filled(path: str, visit: Visit) -> str:
    """A path with the visit's parts in its places."""
    for name, value in visit.path.items():
        path = path.replace(f"{{{name}}}", str(value)).replace(f"{{{name}:int}}", str(value))
    return path


def live(
    path: str,
    items: Items,
    *,
    title: str,
    template: str = "common/live.html",
    style: str = "",
    role: Role = Role.ANYBODY,
    values: Callable[[Visit], Mapping[str, object]] = lambda visit: {},
    **more: Any,
) -> Address:
    """A page that keeps itself current: ``template`` shows ``items``, within what ``values`` gives. ``style``: its own
    style sheet beside those of every page, where it has no template of its own."""

    def answer(visit: Visit) -> Response:
        page_values = {"title": title, "style": style, **values(visit)}
        return visit.show(template, live=page.path_of(visit), items=items(visit), **page_values)

    page = Address(path, answer, role, items=items, **more)
    return page


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
        return RedirectResponse(do(visit) or filled(back, visit), 303)

    return Address(path, answer, role, "POST", fields=frozenset(fields), back=back, **more)
