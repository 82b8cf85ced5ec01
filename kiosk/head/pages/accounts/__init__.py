"""Pages for signing in and for managing the staff accounts."""

from __future__ import annotations

from functools import partial

from starlette.responses import RedirectResponse, Response

from kiosk.head.access.authentication import COOKIE
from kiosk.head.access.roles import ACCOUNT_ROLES, Role
from kiosk.head.access.user_accounts_and_codes import role_of
from kiosk.head.errors import Forbidden, HeadError
from kiosk.head.publish.template_render import qr
from kiosk.head.web.head_url_on_hall_network import NO_ADDRESS
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, with_session_cookies
from kiosk.head.web.request_context_and_page_rendering import RequestContext

# signing in and out, by name and password or with a one-time code that lets its owner choose a password


def sign_in_form(visit: RequestContext, refused: HeadError | None = None) -> Response:
    """Return the sign-in page. While no chief arbiter has a password, return the page for the setup code, unless the
    query names ``password``."""
    if visit.head.access.setup_code and refused is None and "password" not in visit.query:
        return _code_form(visit)
    name, restored = visit.form.get("name", ""), visit.desk.is_restored
    return visit.show(
        "accounts/sign_in.html", title="sign_in", name=name, next=_next(visit), refused=refused, restored=restored
    )


def _code_form(visit: RequestContext, refused: HeadError | None = None) -> Response:
    setup, known = bool(visit.head.access.setup_code), bool(visit.head.access.people.all())
    return visit.show("accounts/code.html", title="sign_in", setup=setup, known=known, refused=refused)


def _sign_in(visit: RequestContext) -> Response:
    return _with_session(visit, visit.head.access.sign_in(visit.form["name"], visit.form["password"], visit.caller))


def _code(visit: RequestContext) -> Response:
    """Check the code and return the page that asks for a password (and a name, with the setup code)."""
    return _password_form(visit, visit.head.access.code_is_for(visit.form["code"], visit.caller))


def _use_code(visit: RequestContext) -> Response:
    form, access = visit.form, visit.head.access
    account = access.code_is_for(form["code"], visit.caller)
    try:
        if form["password"] != form["again"]:
            raise Forbidden.saying("the two passwords are not the same; type them again")
        return _with_session(visit, access.use_code(form["code"], form["name"], form["password"], visit.caller))
    except HeadError as error:
        return _password_form(visit, account, error)


def _password_form(visit: RequestContext, account: str, refused: HeadError | None = None) -> Response:
    code, name = visit.form["code"], visit.form.get("name", "")
    return visit.show(
        "accounts/choose_password.html", title="sign_in", account=account, code=code, name=name, refused=refused
    )


def _to_sign_in(visit: RequestContext) -> Response:
    return RedirectResponse("/sign-in", 303)


def _sign_out(visit: RequestContext) -> Response:
    assert visit.session is not None
    visit.head.access.end(visit.session, visit.session.id)
    response = _to_sign_in(visit)
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


# everybody's own password and devices, and all accounts for the chief arbiter


def _page(visit: RequestContext, refused: HeadError | None = None) -> Response:
    access, people, me = visit.head.access, visit.head.access.people, visit.session
    assert me is not None
    every = people.all() if me.role is Role.CHIEF else []
    accounts = [(account, people.has_password(account), people.has_code(account)) for account in every]
    devices = access.devices(me)
    return visit.show(
        "accounts/accounts.html", title="accounts", accounts=accounts, devices=devices, roles=ACCOUNT_ROLES,
        refused=refused,
    )  # fmt: skip


def _new(visit: RequestContext) -> Response:
    name = visit.form["name"]
    return _show_code(visit, visit.head.access.people.create(name, role_of(visit.form["role"])))


def _new_code(visit: RequestContext) -> Response:
    return _show_code(visit, visit.head.access.people.new_code(visit.form["name"]))


def _show_code(visit: RequestContext, code: str) -> Response:
    """Show the code once. The QR code opens the page where it is entered and fills it in (the part after ``#`` stays in
    the browser)."""
    site = visit.site_for_staff
    picture = qr(f"{site}/sign-in/code#{code}") if site else None
    name = visit.form["name"]
    response = visit.show(
        "accounts/show_code.html", title="accounts", name=name, code=code, picture=picture, missing=NO_ADDRESS
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def _change_role(visit: RequestContext) -> None:
    visit.head.access.people.change_role(visit.form["name"], role_of(visit.form["role"]))


def _end(visit: RequestContext) -> None:
    assert visit.session is not None
    visit.head.access.end(visit.session, visit.form["device"])


def _password(visit: RequestContext) -> None:
    form = visit.form
    assert visit.session is not None
    if form["new"] != form["again"]:
        raise HeadError.saying("the two new passwords are not the same; type them again")
    visit.head.access.change_password(visit.session, form["old"], form["new"])


_HERE = "/accounts"
_sign_in_route = partial(form_route, role=Role.ANYBODY, back="/")
_chief_route = partial(form_route, role=Role.CHIEF, again=True, back=_HERE)

ADDRESSES = [
    PageRoute("/sign-in", sign_in_form),
    _sign_in_route("/sign-in", _sign_in, {"name", "password", "next"}, own_form=sign_in_form),
    PageRoute("/sign-in/code", _code_form),
    _sign_in_route("/sign-in/code", _code, {"code"}, own_form=_code_form),
    _sign_in_route("/sign-in/password", _use_code, {"code", "name", "password", "again"}, own_form=_code_form),
    form_route("/sign-out", _sign_out, role=Role.SIGNED_IN, back="/", stranger=_to_sign_in),
    PageRoute(_HERE, _page, Role.SIGNED_IN),
    form_route("/accounts/password", _password, {"old", "new", "again"}, role=Role.SIGNED_IN, secret=True,
               own_form=_page, back=_HERE),
    form_route("/accounts/end", _end, {"device"}, role=Role.SIGNED_IN, back=_HERE),
    _chief_route("/accounts/new", _new, {"name", "role"}),
    _chief_route("/accounts/code", _new_code, {"name"}),
    _chief_route("/accounts/role", _change_role, {"name", "role"}),
    _chief_route("/accounts/close", lambda visit: visit.head.access.people.close(visit.form["name"]), {"name"}),
    _chief_route("/accounts/reopen", lambda visit: visit.head.access.people.reopen(visit.form["name"]), {"name"}),
]  # fmt: skip
