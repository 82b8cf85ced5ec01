"""Pages for enrolling a device (its QR code leads here), for the list of devices, and for the arbiters' PIN on all
tables."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from kiosk.head.access.rights import Role
from kiosk.head.errors import HeadError
from kiosk.head.pages.accounts.signing import sign_in_form
from kiosk.head.pages.devices import tables
from kiosk.head.web.address import Address, action, live
from kiosk.head.web.forms import whole
from kiosk.head.web.render import Item
from kiosk.head.web.times import local
from kiosk.head.web.visit import Visit
from kiosk.link.enrolment import readable_code
from kiosk.link.frames import MAX_TABLE


def _find(visit: Visit) -> Response:
    offer = visit.query.get("offer", "")
    if not offer:
        return visit.show("devices/devices.html", title="devices", live="/devices", items=tables.items(visit))
    return RedirectResponse(f"/devices/{visit.head.enrolments.find(offer).name}", 303)


def _items(visit: Visit) -> list[Item]:
    device = visit.head.enrolments.find(visit.path["offer"])
    code = device.enrolment.code
    return [("device", visit.draw("devices/_device.html", device=device, code=code and readable_code(code)))]


def _approve(visit: Visit) -> str:
    form = visit.form
    visit.head.enrolments.approve(form["offer"], whole(form, "table", 1, MAX_TABLE), form["replace"] == "yes")
    return f"/devices/{visit.head.enrolments.find(form['offer']).name}"


def _refuse(visit: Visit) -> str:
    visit.head.enrolments.refuse(visit.form["offer"])
    return "/devices"


def _pin_items(visit: Visit) -> list[Item]:
    pin = visit.head.pin
    return [("tables", visit.draw("devices/_pin.html", since=pin.since and local(pin.since), tables=pin.tables()))]


def _pin_page(visit: Visit, refused: HeadError | None = None) -> Response:
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


def _change_pin(visit: Visit) -> Response:
    form = visit.form
    try:
        visit.head.pin.change(form["pin"], form["pin_again"])
    except HeadError as error:
        return _pin_page(visit, error)
    visit.head.changes.notify()
    return RedirectResponse(_PIN, 303)


_PIN = "/devices/pin"

ADDRESSES = [
    Address("/devices", _find, Role.ARBITER, items=tables.items, stranger=sign_in_form, back="/devices"),
    *tables.ADDRESSES,
    Address(_PIN, _pin_page, Role.ARBITER, items=_pin_items, back="/devices"),
    Address(
        _PIN,
        _change_pin,
        Role.CHIEF,
        "POST",
        fields=frozenset({"pin", "pin_again"}),
        again=True,
        own_form=_pin_page,
        back=_PIN,
    ),
    live("/devices/{offer}", _items, title="devices", style="devices.css", role=Role.ARBITER, stranger=sign_in_form),
    action("/devices/approve", _approve, {"offer", "table", "replace"}, role=Role.ARBITER, back="/devices"),
    action("/devices/refuse", _refuse, {"offer"}, role=Role.ARBITER, back="/devices"),
]
