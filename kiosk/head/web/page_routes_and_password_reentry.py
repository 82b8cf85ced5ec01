"""Routes of the head: path, required role, and answer; and the re-entry of a password before a form or in the middle of
one. Each package of pages exports a list of routes, ADDRESSES.

- The role is checked before anything is read, but for a form of somebody whose session has ended: what was typed is
  kept, within limits, on the page that asks to sign in again. A page that needs no role gets the public view of the
  tournament (``RequestContext.hall``).
- A form is read strictly and must come from the head's own page.
- Whatever an address does runs in a thread, so that no page delays a table's acknowledgement.
- Forms have threads of their own, and forms with files others: pages are drawn while forms wait for the disk, and forms
  act while files are read. Spectators' pages have a few threads of their own, so that staff never wait behind them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlsplit

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from kiosk.head.access.authentication import COOKIE, DEVICE_COOKIE
from kiosk.head.access.roles import Role, has_role
from kiosk.head.access.sessions_and_device_marks import LASTS_S
from kiosk.head.current_user import HEAD, as_user
from kiosk.head.errors import Forbidden, HeadError, RateLimited
from kiosk.head.web.bilingual_labels import label
from kiosk.head.web.cached_public_pages import SharedPage
from kiosk.head.web.change_notifier_and_live_updates import updates
from kiosk.head.web.form_player_and_result_parsing import SMALL, BadForm, read_form
from kiosk.head.web.request_context_and_page_rendering import YEAR_S, RequestContext, context_of, cookie
from kiosk.head.web.services_for_pages import AppServices

# Re-entry of the password before an important form, and sign-in in the middle of a form whose session has ended: the
# typed fields are carried along, unless they are secret.

#: a page that shows its form again, with the reason if it was refused
OwnForm = Callable[[RequestContext, HeadError | None], Response]

#: fields of the page that asks to sign in again, and the longest form that it keeps
_NAME, _PASSWORD = "sign-in-name", "sign-in-password"
CREDENTIALS = frozenset({_NAME, _PASSWORD})
MOST_KEPT = 256 * 1024


def confirm_password(visit: RequestContext, path: str, back: str, own: OwnForm | None = None) -> Response | None:
    """Return the page that asks for the password; None if it was given recently, or with this form."""
    access, session = visit.head.access, visit.session
    assert session is not None
    if access.gave_password(session):
        return None
    refused: Forbidden | RateLimited | None = None
    if visit.form["password"]:
        try:
            access.give_password(session, visit.form["password"])
            return None
        except (Forbidden, RateLimited) as error:
            refused = error
    if own is not None:
        return own(visit, refused)
    fields = {name: value for name, value in visit.form.items() if name not in ("csrf", "password")}
    return visit.show("common/again.html", title="again", path=path, kept=fields, refused=refused, back=back)


def sign_in_again(visit: RequestContext, path: str, uploads: Collection[str]) -> Response | str:
    """Return the page that keeps a form and asks to sign in; the key of the new session if the form came from there.
    ``path``: of the form; ``uploads``: its files, which have to be chosen again."""
    form, refused = visit.form, None
    if form[_NAME]:
        try:
            return visit.head.access.sign_in(form[_NAME], form[_PASSWORD], visit.caller)
        except HeadError as error:
            refused = error
    fields = {name: value for name, value in form.items() if value and name not in {"csrf", "password", *CREDENTIALS}}
    name = form[_NAME] or (visit.session.name if visit.session else "")
    values = {"path": path, "kept": fields, "name": name, "uploads": uploads, "refused": refused}
    return replace(visit, session=None).show("common/sign_in_again.html", 403, title="sign_in", **values)


def with_session_cookies(visit: RequestContext, response: Response, key: str) -> Response:
    """Return the response with the cookies of a session that has begun."""
    access, secure = visit.head.access, visit.site.startswith("https:")
    response.set_cookie(COOKIE, key, max_age=LASTS_S, httponly=True, samesite="strict", secure=secure)
    if (session := access.session(key)) is not None:
        mark = access.device_mark(session.name)
        response.set_cookie(
            DEVICE_COOKIE, mark, max_age=YEAR_S, path="/sign-in", httponly=True, samesite="strict", secure=secure
        )
    return response


Answer = Callable[[RequestContext], Response]
#: runs a form, and returns its answer or the address to go on at, or None
Act = Callable[[RequestContext], Response | str | None]
#: draws the parts of a page that are replaced by themselves, each under a key of its own
Items = Callable[[RequestContext], dict[str, str]]
#: paths with these endings are read by programs, which get errors as JSON
FOR_PROGRAMS = (".json", ".pgn", ".ggf")


@dataclass(frozen=True, slots=True)
class PageRoute:
    """One route. ``items``: the parts that an open page replaces by itself; its stream is at ``/stream`` + path.
    ``fields``: what its form may send, besides the token. ``back``: the page that is linked when the form is
    refused."""

    path: str
    answer: Answer
    role: Role = Role.ANYBODY
    method: str = "GET"
    items: Items | None = None
    #: draws the page around its items
    whole: Callable[[RequestContext, dict[str, str]], Response] | None = None
    #: whether the page is the same for everybody who is not signed in. It is drawn once for all, so it may read nothing
    #: of the request but the language and the division in the address.
    shared: bool = False
    fields: frozenset[str] = frozenset()
    uploads: frozenset[str] = frozenset()
    limit: int = SMALL
    back: str = "/"
    #: instead of ``items``: the messages of the stream, for a page that is drawn by its script
    stream: Callable[[RequestContext], AsyncIterator[str]] | None = None
    #: whether the password is asked for again, unless it was given recently
    again: bool = False
    #: check that runs before the password is asked for, to refuse a form that cannot succeed
    check: Callable[[RequestContext], object] | None = None
    #: the page that shows the form again if it was refused, and asks for the password itself
    own_form: OwnForm | None = None
    #: whether the form holds passwords, which no page repeats
    secret: bool = False
    #: the answer for a reader who is not signed in (the desk's sign-in form)
    stranger: Answer | None = None

    def routes(self) -> list[Route]:
        if self.method == "POST":
            return [Route(self.path, self._post, methods=["POST"])]
        found = [Route(self.path, self._get)]
        if self.items is not None or self.stream is not None:
            found.append(Route("/stream" + self.path, self._stream))
        return found

    async def _get(self, request: Request) -> Response:
        if safe := self._https_redirect(request):
            return safe
        visit = self._visit(request)
        back = fill_path(self.back, visit)
        if (page := self._shared_page(visit)) is not None:
            try:
                return visit.with_language_cookie(HTMLResponse(await visit.head.pages.shared.html(page)))
            except HeadError as error:
                return await run_sync(visit.refuse, error, back, limiter=request.app.state.spectators)
        return await self._respond(visit, back, self._threads(request, visit))

    def _threads(self, request: Request, visit: RequestContext) -> CapacityLimiter | None:
        """Return the threads in which a page is drawn: spectators and players have a few of their own."""
        return None if visit.session is not None or self._is_for_staff() else request.app.state.spectators

    def _shared_page(self, visit: RequestContext) -> SharedPage | None:
        """Return the page that is drawn once for all readers; None if it is drawn for this reader."""
        slug = visit.query.get("division", "")
        if not self.shared or visit.session is not None or (slug and slug not in visit.desk.state.divisions):
            return None
        items, whole = self.items, self.whole
        assert items is not None and whole is not None, "only a page of items is shared"
        everybody = RequestContext(visit.head, visit.lang, None, {}, {"division": slug} if slug else {}, here=self.path)
        return visit.head.pages.shared.page(
            (self.path, visit.lang, slug),
            lambda: SharedPage(lambda: items(everybody), lambda drawn: bytes(whole(everybody, drawn).body)),
        )

    def _is_for_staff(self) -> bool:
        return self.role is not Role.ANYBODY or self.path.startswith("/sign-in")

    def _visit(
        self, request: Request, form: Mapping[str, str] | None = None, files: Mapping[str, bytes] | None = None
    ) -> RequestContext:
        visit = context_of(request, form, files)
        return replace(visit, staff=self.role is not Role.ANYBODY and visit.session is not None)

    def _https_redirect(self, request: Request) -> Response | None:
        """Return a redirect to https if this head has a certificate and the request is for staff over the open port."""
        head: AppServices = request.app.state.head
        if head.https_port is None or request.url.scheme == "https" or not self._is_for_staff():
            return None
        return RedirectResponse(request.url.replace(scheme="https", port=head.https_port), 303)

    async def _post(self, request: Request) -> Response:
        if safe := self._https_redirect(request):
            return safe
        visit = self._visit(request)
        back, state = fill_path(self.back, visit), request.app.state
        if visit.session is None and self.stranger is not None:
            return await self._respond(visit, back, state.spectators)
        # a form of somebody who was signed out is read, within limits, to be kept
        signed_out = visit.session is None and self.role is not Role.ANYBODY
        if not (signed_out and self._is_kept(request)):
            self._admit(visit)
        _refuse_foreign(request)
        fields = self.fields | {"password"} if self.again else self.fields
        for_spectators = signed_out or not self._is_for_staff()
        threads = state.spectators if for_spectators else state.uploads if self.uploads else state.forms
        limit = min(self.limit, MOST_KEPT) if signed_out else self.limit
        try:
            form, files = await read_form(request, fields | CREDENTIALS, limit, self.uploads, threads)
        except BadForm as error:
            if signed_out:
                raise Forbidden.saying("sign in first, then go back in the browser and send the form again") from error
            raise
        visit, key = self._visit(request, form, files), cookie(request, COOKIE)
        # players never sign in: what they may do is in the path, or open to everybody
        if self.role is Role.ANYBODY or visit.head.access.is_own_form(key, form["csrf"]):
            return await self._carried_out(visit, back, threads)
        if not self._is_kept(request):
            raise Forbidden.saying("the form is too old or did not come from this head; open the page again")
        signed_in = await run_sync(sign_in_again, visit, self.path_of(visit), self.uploads, limiter=state.forms)
        if isinstance(signed_in, Response):
            return signed_in
        visit = replace(visit, session=visit.head.access.session(signed_in), staff=True)
        return with_session_cookies(visit, await self._carried_out(visit, back, state.forms), signed_in)

    def _is_kept(self, request: Request) -> bool:
        """Check whether a form is kept that comes without a valid session: its browser says that it is from a page of
        this head, and it holds no passwords."""
        return "origin" in request.headers and not self.secret and not self.path.endswith(FOR_PROGRAMS)

    async def _carried_out(self, visit: RequestContext, back: str, threads: CapacityLimiter) -> Response:
        """Return the answer to a form that was read and is its sender's own."""
        if self.check is not None:
            try:
                await run_sync(self.check, visit, limiter=threads)
            except HeadError as error:
                return await run_sync(visit.refuse, error, back, limiter=threads)
        asked = (visit, self.path_of(visit), back, self.own_form)
        if self.again and (page := await run_sync(confirm_password, *asked, limiter=threads)):
            return page
        return await self._respond(visit, back, threads)

    def path_of(self, visit: RequestContext) -> str:
        """Return this path with its parameters filled in."""
        return fill_path(self.path, visit)

    def _is_a_staff_page(self) -> bool:
        return self.method == "GET" and self.role is not Role.ANYBODY and not self.path.endswith(".json")

    def _admit(self, visit: RequestContext) -> None:
        if visit.session is None and self.role is not Role.ANYBODY:
            raise Forbidden.saying("sign in first")
        if not has_role(visit.session, self.role):
            raise Forbidden.saying("this needs the role '{role}'; ask the chief arbiter", role=label("role", self.role))

    async def _respond(self, visit: RequestContext, back: str, threads: CapacityLimiter | None) -> Response:
        if visit.session is None and self.stranger is not None:
            return await run_sync(self.stranger, visit, limiter=threads)
        if visit.session is None and self._is_a_staff_page():
            return RedirectResponse(f"/sign-in?next={quote(self.path_of(visit))}", 303)
        try:
            self._admit(visit)
            with as_user(visit.session.name if visit.session else HEAD):
                return await run_sync(self.answer, visit, limiter=threads)
        except HeadError as error:
            if self.path.endswith(FOR_PROGRAMS):
                raise
            return await run_sync(visit.refuse, error, back, limiter=threads)

    async def _stream(self, request: Request) -> Response:
        visit = self._visit(request)
        if self._https_redirect(request):
            raise Forbidden.saying("this page is read over https only; open it again")
        self._admit(visit)

        def allowed() -> bool:
            return has_role(context_of(request).session, self.role)

        events: AsyncIterator[str] | AsyncIterator[bytes]
        if self.stream is not None:
            events = self.stream(visit)
        elif (page := self._shared_page(visit)) is not None:
            events = visit.head.pages.shared.stream(page)
        else:
            assert self.items is not None, "an address without either has no stream"
            items = self.items
            threads = self._threads(request, visit)
            # an error here is answered before the stream begins
            first = [await run_sync(items, visit, limiter=threads)]

            def draw() -> dict[str, str]:
                return first.pop() if first else items(visit)

            events = updates(visit.head.pages.changes, draw, visit.head.tables.live.now_ms, allowed, threads)
        return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def _refuse_foreign(request: Request) -> None:
    """Check the origin that the browser sends: a form of another site is refused before it is read, also at the
    sign-in.

    :raises Forbidden: the form is not from this head.
    """
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Forbidden.saying("the form did not come from this head; open its page")


def fill_path(path: str, visit: RequestContext) -> str:
    """Return a path with the request's parameters filled in."""
    for name, value in visit.path.items():
        path = path.replace(f"{{{name}}}", str(value)).replace(f"{{{name}:int}}", str(value))
    return path


def live_route(
    path: str,
    items: Items,
    *,
    title: str,
    template: str = "common/live.html",
    style: str = "",
    role: Role = Role.ANYBODY,
    values: Callable[[RequestContext], Mapping[str, object]] = lambda visit: {},
    **more: Any,
) -> PageRoute:
    """Return the address of a page that updates itself: ``template`` shows ``items``, with the values from ``values``.
    ``style``: an additional style sheet for a page without its own template."""

    def answer(visit: RequestContext) -> Response:
        return whole(visit, items(visit))

    def whole(visit: RequestContext, drawn: dict[str, str]) -> Response:
        page_values = {"title": title, "style": style, **values(visit)}
        return visit.show(template, live=page.path_of(visit), items=drawn, **page_values)

    page = PageRoute(path, answer, role, items=items, whole=whole, **more)
    return page


def form_route(
    path: str,
    do: Act,
    fields: Collection[str] = (),
    *,
    uploads: Collection[str] = (),
    role: Role = Role.DESK,
    back: str = "/desk",
    then: str = "",
    own_form: OwnForm | None = None,
    **more: Any,
) -> PageRoute:
    """Return the address of a form; ``do`` runs it and returns its answer or the address to go on at, by default
    ``then``, which by default is ``back``."""

    def answer(visit: RequestContext) -> Response:
        try:
            done = do(visit)
        except HeadError as error:
            if own_form is None:
                raise
            return own_form(visit, error)
        return done if isinstance(done, Response) else RedirectResponse(done or fill_path(then or back, visit), 303)

    names, files = frozenset(fields), frozenset(uploads)
    return PageRoute(path, answer, role, "POST", fields=names, uploads=files, back=back, own_form=own_form, **more)
