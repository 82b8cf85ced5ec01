"""Pages for enrolling a device (its QR code leads here), for the list of devices, and for the arbiters' PIN on all
tables."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from kiosk.head.access.roles import Role
from kiosk.head.errors import HeadError
from kiosk.head.pages.accounts.sign_in_page import sign_in_form
from kiosk.head.pages.devices.table_updates_and_diagnosis_page import ADDRESSES as UPDATE_ADDRESSES
from kiosk.head.pages.devices.table_updates_and_diagnosis_page import items as table_items
from kiosk.head.web.form_player_and_result_parsing import parse_int
from kiosk.head.web.html_renderer import Item, format_local
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.link.enrolment import readable_code
from kiosk.link.message_macs_versions_handshake import MAX_TABLE


def _list(visit: RequestContext) -> Response:
    offer = visit.query.get("offer", "")
    if not offer:
        return visit.show("devices/devices.html", title="devices", live="/devices", items=table_items(visit))
    return RedirectResponse(f"/devices/{visit.head.devices.enrolments.find(offer).name}", 303)


def _enrolment(visit: RequestContext) -> list[Item]:
    device = visit.head.devices.enrolments.find(visit.path["offer"])
    code = device.enrolment.code
    return [("device", visit.draw("devices/_device.html", device=device, code=code and readable_code(code)))]


def _approve(visit: RequestContext) -> str:
    form = visit.form
    enrolments, table = visit.head.devices.enrolments, parse_int(form, "table", 1, MAX_TABLE)
    enrolments.approve(form["offer"], table, form["replace"] == "yes")
    return f"/devices/{enrolments.find(form['offer']).name}"


def _refuse(visit: RequestContext) -> str:
    visit.head.devices.enrolments.refuse(visit.form["offer"])
    return "/devices"


def _pin_items(visit: RequestContext) -> list[Item]:
    pin = visit.head.devices.pin
    return [
        ("tables", visit.draw("devices/_pin.html", since=pin.since and format_local(pin.since), tables=pin.tables()))
    ]


def _pin_page(visit: RequestContext, refused: HeadError | None = None) -> Response:
    access, session = visit.head.access, visit.session
    assert session is not None
    return visit.show(
        "devices/pin.html",
        refused.status if refused else 200,
        title="hall_pin",
        live=_PIN,
        items=_pin_items(visit),
        chief=session.role is Role.CHIEF,
        again=not access.gave_password(session),
        refused=refused,
    )


def _change_pin(visit: RequestContext) -> Response:
    form = visit.form
    try:
        visit.head.devices.pin.change(form["pin"], form["pin_again"])
    except HeadError as error:
        return _pin_page(visit, error)
    visit.head.pages.changes.notify()
    return RedirectResponse(_PIN, 303)


_PIN = "/devices/pin"

ADDRESSES = [
    PageRoute("/devices", _list, Role.ARBITER, items=table_items, stranger=sign_in_form, back="/devices"),
    *UPDATE_ADDRESSES,
    PageRoute(_PIN, _pin_page, Role.ARBITER, items=_pin_items, back="/devices"),
    PageRoute(
        _PIN,
        _change_pin,
        Role.CHIEF,
        "POST",
        fields=frozenset({"pin", "pin_again"}),
        again=True,
        secret=True,
        own_form=_pin_page,
        back=_PIN,
    ),
    live_route(
        "/devices/{offer}", _enrolment, title="devices", style="devices.css", role=Role.ARBITER, stranger=sign_in_form
    ),
    form_route("/devices/approve", _approve, {"offer", "table", "replace"}, role=Role.ARBITER, back="/devices"),
    form_route("/devices/refuse", _refuse, {"offer"}, role=Role.ARBITER, back="/devices"),
]
