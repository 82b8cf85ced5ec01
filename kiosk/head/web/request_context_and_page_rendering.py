"""The context of one request: session, language, division, form fields, and the services of the head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from engine.i18n import text_of
from kiosk.head.access.authentication import COOKIE, DEVICE_COOKIE, ClientInfo
from kiosk.head.access.roles import UserSession
from kiosk.head.access.sessions_and_device_marks import kind_of_device
from kiosk.head.desk import Desk
from kiosk.head.errors import HeadError, RateLimited
from kiosk.head.event.pairings_standings_and_correction_impact import ExplainedStandings
from kiosk.head.event.publication_redaction_and_latin_names import in_latin_names, latin_hall, public_hall
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.head.web.head_url_on_hall_network import hall_address
from kiosk.head.web.help_guide import section_for
from kiosk.head.web.services_for_pages import AppServices
from kiosk.locale import ENGLISH, JAPANESE, Lang, languages, render

LANGUAGE_COOKIE = "kiosk_lang"
#: distinguishes the phones of players; it grants no access
PHONE_COOKIE = "kiosk_phone"
YEAR_S = 365 * 24 * 3600

NOBODY = ClientInfo("")


@dataclass(frozen=True, slots=True)
class RequestContext:
    """One request. ``path``: the named parts of the address; ``form``: the fields of a POST; ``files``: uploaded
    files."""

    head: AppServices
    lang: Lang
    session: UserSession | None
    path: Mapping[str, Any]
    query: Mapping[str, str]
    form: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    caller: ClientInfo = NOBODY
    #: this head's address in the browser
    site: str = ""
    #: the requested path
    here: str = ""
    #: whether a signed-in person reads a staff page; all others get the public view
    staff: bool = False
    #: values that a live page keeps from one drawing to the next
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def desk(self) -> Desk:
        return self.head.desk

    @property
    def hall(self) -> TournamentState:
        """Return the tournament as the reader may see it."""
        if self.staff:
            return latin_hall(self.desk.state) if self._in_latin else self.desk.state
        return public_hall(self.desk.state, latin=self._in_latin)

    @property
    def site_in_the_hall(self) -> str:
        """Return the URL at which phones in the hall reach this head; empty if there is none."""
        config = self.head.config
        return hall_address(config.address, config.host, config.port, self.site)

    @property
    def site_for_staff(self) -> str:
        """Return the same URL for staff, who sign in by TLS if this head has it."""
        site, secure = self.site_in_the_hall, self.head.https_port
        return f"https://{site.split('://')[1].rsplit(':', 1)[0]}:{secure}" if site and secure else site

    @property
    def division(self) -> DivisionState:
        """Return the division that the address or the form names, or the first one.

        :raises HeadError: there is none.
        """
        slug = self.path.get("division") or self.form.get("division") or self.query.get("division")
        return self.hall.division(slug)

    def computed_ranking(self, division: DivisionState) -> ExplainedStandings | None:
        """Return the ranking of a division if it is computed, without waiting for the computation; None also if there
        is none, or the results cannot be ranked (the desk is told why)."""
        if not division.rounds:
            return None
        try:
            asked = self.desk.ask_ranking(division.slug)
        except HeadError:
            return None
        return asked.result() if asked.done() and asked.exception() is None else None

    def draw(self, template: str, **values: object) -> str:
        """Return a part of a page."""
        remote = self.head.remote
        joined, federated = bool(remote.venues or remote.pusher), remote.venues is not None
        own: dict[str, object] = {"hall": self.hall, "joined": joined, "federated": federated}
        if self.staff and self.lang == ENGLISH:
            own["say"] = self.say_to_staff
        return self.head.pages.renderer.draw(template, self.lang, self.session, **(own | values))

    @property
    def _in_latin(self) -> bool:
        """Whether names are shown in Latin letters; a form acts on the names as they were entered."""
        return self.lang == ENGLISH and not self.form

    def say_to_staff(self, text: Any, **more: object) -> str:
        """Return a sentence in the reader's language, an English one with the names in Latin letters."""
        if isinstance(text, str):
            return text
        said = text_of(text)
        return render(in_latin_names(said, self.desk.state) if self.lang == ENGLISH else said, self.lang, **more)

    def announcement(self, *divisions: DivisionState) -> str:
        """Draw the announcement and the start and end of the rounds of these divisions; of all if none is named."""
        return self.draw("common/_announcement.html", divisions=divisions or tuple(self.hall.divisions.values()))

    def show(self, template: str, status: int = 200, /, **values: object) -> HTMLResponse:
        """Return a whole page; a language that was chosen is remembered. A value ``refused``: the error for which a
        form is shown again; the response has its status."""
        undo = None if self.session is None else self.desk.undo.last(self.session.name)
        page: dict[str, object] = {"live": None, "title": "", "undo": undo, "back_to": self.here}
        page |= {"help": section_for(self.here)} | values
        if isinstance(refused := values.get("refused"), HeadError):
            status = refused.status
        return self.with_language_cookie(HTMLResponse(self.draw(template, **page), status))

    def with_language_cookie(self, response: HTMLResponse) -> HTMLResponse:
        """Return the response with a cookie for a language that was chosen."""
        if self.query.get("lang") == self.lang:
            response.set_cookie(LANGUAGE_COOKIE, self.lang, max_age=YEAR_S, samesite="lax", httponly=True)
        return response

    def refuse(self, error: HeadError, back: str) -> HTMLResponse:
        """Return the page that shows the error. Its link leads back to what was typed, if correcting that may help."""
        asked = self.form.get("password") or self.form.get("sign-in-password")  # the page before this one has no form
        sentence = error.text if self.session is None else self.say_to_staff(error.text)
        values = {"sentence": sentence, "back": back, "typed": error.status == HTTPStatus.BAD_REQUEST and not asked}
        response = self.show("common/refused.html", error.status, title="refused", **values)
        if isinstance(error, RateLimited) and error.wait_s:
            response.headers["Retry-After"] = str(error.wait_s)
        return response


def context_of(
    request: Request, form: Mapping[str, str] | None = None, files: Mapping[str, bytes] | None = None
) -> RequestContext:
    head: AppServices = request.app.state.head
    return RequestContext(
        head,
        language(request),
        head.access.session(cookie(request, COOKIE)),
        request.path_params,
        dict(request.query_params),
        form or {},
        files or {},
        ClientInfo(
            request.client.host if request.client else "",
            kind_of_device(request.headers.get("user-agent", "")),
            cookie(request, DEVICE_COOKIE) or "",
            cookie(request, PHONE_COOKIE) or "",
        ),
        f"{request.url.scheme}://{request.url.netloc}",
        request.url.path,
    )


def cookie(request: Request, name: str) -> str | None:
    """Return one of this head's cookies. They are never quoted; the standard library needs 0.6 s to unquote 15 kB."""
    for one in request.headers.get("cookie", "").split(";"):
        key, _, value = one.strip().partition("=")
        if key == name:
            return value
    return None


def language(request: Request) -> Lang:
    """Return the language of the address, else of the cookie, else of the browser, else Japanese."""
    for wished in (request.query_params.get("lang"), cookie(request, LANGUAGE_COOKIE)):
        if wished in languages():
            return wished
    accepted = request.headers.get("accept-language", "").lower()
    return ENGLISH if "en" in accepted and "ja" not in accepted else JAPANESE
