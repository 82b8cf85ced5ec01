"""Pages for signing in and out, by name and password or with a one-time code that lets its owner choose a password."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from engine.i18n import say
from kiosk.head.access.authentication import COOKIE
from kiosk.head.access.roles import Role
from kiosk.head.errors import Forbidden, HeadError
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, with_session_cookies
from kiosk.head.web.request_context_and_page_rendering import RequestContext


def sign_in_form(visit: RequestContext, refused: HeadError | None = None) -> Response:
    """Return the sign-in page. While no chief arbiter has a password, return the page for the setup code, unless the
    query names ``password``."""
    if visit.head.access.setup_code and refused is None and "password" not in visit.query:
        return code_form(visit)
    name, status = visit.form.get("name", ""), refused.status if refused else 200
    values = {"name": name, "next": _next(visit), "refused": refused, "restored": visit.desk.is_restored}
    return visit.show("accounts/sign_in.html", status, title="sign_in", **values)


def code_form(visit: RequestContext, refused: HeadError | None = None) -> Response:
    access, status = visit.head.access, refused.status if refused else 200
    setup, known = bool(access.setup_code), bool(access.people.all())
    return visit.show("accounts/code.html", status, title="sign_in", setup=setup, known=known, refused=refused)


def _sign_in(visit: RequestContext) -> Response:
    form = visit.form
    try:
        key = visit.head.access.sign_in(form["name"], form["password"], visit.caller)
    except HeadError as error:
        return sign_in_form(visit, error)
    return _with_session(visit, key)


def _code(visit: RequestContext) -> Response:
    """Check the code and return the page that asks for a password (and a name, with the setup code)."""
    try:
        found = visit.head.access.code_is_for(visit.form["code"], visit.caller)
    except HeadError as error:
        return code_form(visit, error)
    return _password_form(visit, found.account)


def _use_code(visit: RequestContext) -> Response:
    form, access = visit.form, visit.head.access
    try:
        account = access.code_is_for(form["code"], visit.caller).account
    except HeadError as error:
        return code_form(visit, error)
    try:
        if form["password"] != form["again"]:
            raise Forbidden(say("the two passwords are not the same; type them again"))
        return _with_session(visit, access.use_code(form["code"], form["name"], form["password"], visit.caller))
    except HeadError as error:
        return _password_form(visit, account, error)


def _password_form(visit: RequestContext, account: str | None, refused: HeadError | None = None) -> Response:
    code, name, status = visit.form["code"], visit.form.get("name", ""), refused.status if refused else 200
    values = {"account": account, "code": code, "name": name, "refused": refused}
    return visit.show("accounts/choose_password.html", status, title="sign_in", **values)


def _to_sign_in(visit: RequestContext) -> Response:
    return RedirectResponse("/sign-in", 303)


def _sign_out(visit: RequestContext) -> Response:
    assert visit.session is not None
    visit.head.access.end(visit.session, visit.session.id)
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response


def _with_session(visit: RequestContext, key: str) -> Response:
    session = visit.head.access.session(key)
    home = "/floor" if session is not None and session.role is Role.ARBITER else "/desk"
    return with_session_cookies(visit, RedirectResponse(_next(visit) or home, 303), key)


def _next(visit: RequestContext) -> str:
    """Return the path on this head that was requested before signing in, or an empty string."""
    asked = "" if visit.here.startswith("/sign-in") else visit.here
    wished = visit.form.get("next") or visit.query.get("next") or asked
    local = wished.startswith("/") and not wished.startswith(("//", "/\\")) and wished.isprintable()
    return wished if local else ""


ADDRESSES = [
    PageRoute("/sign-in", sign_in_form, Role.ANYBODY),
    PageRoute(
        "/sign-in", _sign_in, Role.ANYBODY, "POST", fields=frozenset({"name", "password", "next"}), open_form=True
    ),
    PageRoute("/sign-in/code", code_form, Role.ANYBODY),
    PageRoute("/sign-in/code", _code, Role.ANYBODY, "POST", fields=frozenset({"code"}), open_form=True),
    PageRoute(
        "/sign-in/password",
        _use_code,
        Role.ANYBODY,
        "POST",
        fields=frozenset({"code", "name", "password", "again"}),
        open_form=True,
    ),
    PageRoute("/sign-out", _sign_out, Role.SIGNED_IN, "POST", stranger=_to_sign_in),
]
