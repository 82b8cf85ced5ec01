"""Giving a device its key: the page that a table's QR code leads to."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from kiosk.head.access.rights import Role
from kiosk.head.pages.address import Address, action, live
from kiosk.head.pages.forms import whole
from kiosk.head.pages.render import Item
from kiosk.head.pages.signing import sign_in_form
from kiosk.head.pages.visit import Visit
from kiosk.link.enrolment import readable_code
from kiosk.link.frames import MAX_TABLE


def _find(visit: Visit) -> Response:
    offer = visit.query.get("offer", "")
    if not offer:
        return visit.show("devices/devices.html", title="devices")
    return RedirectResponse(f"/devices/{visit.parts.enrolments.find(offer).name}", 303)


def _items(visit: Visit) -> list[Item]:
    device = visit.parts.enrolments.find(visit.path["offer"])
    code = device.enrolment.code
    return [("device", visit.draw("devices/_device.html", device=device, code=code and readable_code(code)))]


def _approve(visit: Visit) -> str:
    form = visit.form
    visit.parts.enrolments.approve(form["offer"], whole(form, "table", 1, MAX_TABLE), form["replace"] == "yes")
    return f"/devices/{visit.parts.enrolments.find(form['offer']).name}"


def _refuse(visit: Visit) -> str:
    visit.parts.enrolments.refuse(visit.form["offer"])
    return "/devices"


ADDRESSES = [
    Address("/devices", _find, Role.ARBITER, stranger=sign_in_form, back="/devices"),
    live("/devices/{offer}", "devices/device.html", _items, title="devices", role=Role.ARBITER, stranger=sign_in_form),
    action("/devices/approve", _approve, {"offer", "table", "replace"}, role=Role.ARBITER, back="/devices"),
    action("/devices/refuse", _refuse, {"offer"}, role=Role.ARBITER, back="/devices"),
]
