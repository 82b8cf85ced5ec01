"""Re-entry of the password before an important form, and sign-in in the middle of a form whose session has ended: the
typed fields are carried along, unless they are secret."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from starlette.responses import Response

from kiosk.head.access.authentication import COOKIE, DEVICE_COOKIE
from kiosk.head.access.sessions import LASTS_S
from kiosk.head.errors import Forbidden, HeadError, RateLimited
from kiosk.head.web.request_context import YEAR_S, RequestContext

#: a page whose form is never carried along; it asks for the password itself
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
    status = 200 if refused is None else refused.status
    return visit.show("common/again.html", status, title="again", path=path, kept=fields, refused=refused, back=back)


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
    status = 403 if refused is None else refused.status
    return replace(visit, session=None).show("common/sign_in_again.html", status, title="sign_in", **values)


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
