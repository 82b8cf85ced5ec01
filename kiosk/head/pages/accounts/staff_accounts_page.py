"""The accounts page: everybody's own password and devices, and all accounts for the chief arbiter."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from engine.i18n import say
from kiosk.head.access.roles import ACCOUNT_ROLES, Role
from kiosk.head.access.user_accounts_and_codes import role_of
from kiosk.head.errors import HeadError
from kiosk.head.publish.template_render import qr
from kiosk.head.web.head_url_on_hall_network import NO_ADDRESS
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext

_HERE = "/accounts"


def _page(visit: RequestContext, refused: HeadError | None = None) -> Response:
    access, me = visit.head.access, visit.session
    people = access.people
    assert me is not None
    accounts = people.all() if me.role is Role.CHIEF else []
    return visit.show(
        "accounts/accounts.html",
        refused.status if refused else 200,
        title="accounts",
        accounts=[(account, people.has_password(account), people.has_code(account)) for account in accounts],
        devices=access.devices(me),
        roles=ACCOUNT_ROLES,
        refused=refused,
    )


def _new(visit: RequestContext) -> Response:
    name = visit.form["name"]
    return _show_code(visit, name, visit.head.access.people.create(name, role_of(visit.form["role"])))


def _code(visit: RequestContext) -> Response:
    return _show_code(visit, visit.form["name"], visit.head.access.people.new_code(visit.form["name"]))


def _show_code(visit: RequestContext, name: str, code: str) -> Response:
    """Show the code once. The QR code opens the page where it is entered and fills it in (the part after ``#`` stays in
    the browser)."""
    site = visit.site_for_staff
    picture = qr(f"{site}/sign-in/code#{code}") if site else None
    response = visit.show(
        "accounts/show_code.html", title="accounts", name=name, code=code, picture=picture, missing=NO_ADDRESS
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def _role(visit: RequestContext) -> None:
    visit.head.access.people.change_role(visit.form["name"], role_of(visit.form["role"]))


def _close(visit: RequestContext) -> None:
    visit.head.access.people.close(visit.form["name"])


def _reopen(visit: RequestContext) -> None:
    visit.head.access.people.reopen(visit.form["name"])


def _end(visit: RequestContext) -> None:
    assert visit.session is not None
    visit.head.access.end(visit.session, visit.form["device"])


def _password(visit: RequestContext) -> Response:
    form = visit.form
    assert visit.session is not None
    try:
        if form["new"] != form["again"]:
            raise HeadError(say("the two new passwords are not the same; type them again"))
        visit.head.access.change_password(visit.session, form["old"], form["new"])
    except HeadError as error:
        return _page(visit, error)
    return RedirectResponse(_HERE, 303)


_NAME = frozenset({"name"})

ADDRESSES = [
    PageRoute(_HERE, _page, Role.SIGNED_IN),
    PageRoute(
        "/accounts/password",
        _password,
        Role.SIGNED_IN,
        "POST",
        fields=frozenset({"old", "new", "again"}),
        secret=True,
        back=_HERE,
    ),
    form_route("/accounts/end", _end, {"device"}, role=Role.SIGNED_IN, back=_HERE),
    PageRoute("/accounts/new", _new, Role.CHIEF, "POST", fields=_NAME | {"role"}, again=True, back=_HERE),
    PageRoute("/accounts/code", _code, Role.CHIEF, "POST", fields=_NAME, again=True, back=_HERE),
    form_route("/accounts/role", _role, {"name", "role"}, role=Role.CHIEF, again=True, back=_HERE),
    form_route("/accounts/close", _close, {"name"}, role=Role.CHIEF, again=True, back=_HERE),
    form_route("/accounts/reopen", _reopen, {"name"}, role=Role.CHIEF, again=True, back=_HERE),
]
