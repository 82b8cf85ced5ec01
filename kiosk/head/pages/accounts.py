"""Signing in and out, and codes for further devices."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from kiosk.head.pages.access import COOKIE
from kiosk.head.pages.address import Address
from kiosk.head.pages.roles import Role
from kiosk.head.pages.visit import Visit


def sign_in_form(visit: Visit) -> Response:
    return visit.show("accounts/login.html", title="desk")


def _sign_in(visit: Visit) -> Response:
    session = visit.parts.access.sign_in(visit.form["code"])
    response = RedirectResponse("/desk", 303)
    response.set_cookie(COOKIE, session.key, max_age=24 * 3600, httponly=True, samesite="strict")
    return response


def _sign_out(visit: Visit) -> Response:
    assert visit.session is not None
    visit.parts.access.sign_out(visit.session)
    response = RedirectResponse("/desk", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response


def _new_code(visit: Visit) -> Response:
    return visit.show("accounts/code.html", title="desk", new_code=visit.parts.access.new_code())


ADDRESSES = [
    Address("/login", _sign_in, method="POST", fields=frozenset({"code"}), open_form=True, back="/desk"),
    Address("/logout", _sign_out, Role.SIGNED_IN, "POST", back="/desk"),
    Address("/desk/code", _new_code, Role.SIGNED_IN, "POST", back="/desk"),
]
