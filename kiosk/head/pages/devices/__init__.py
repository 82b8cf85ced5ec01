"""Pages for enrolling a device (its QR code leads here), for the list of devices, and for the arbiters' PIN on all
tables.

What a table reports about itself is untrusted text. It is shown to the staff as text, and nothing acts on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from starlette.responses import RedirectResponse, Response

from kiosk.head.access.roles import Role, has_role
from kiosk.head.devices.table_software_updates_and_logs import AvailableUpdate, StoredReport, TableUpdateState
from kiosk.head.errors import HeadError, NotFound
from kiosk.head.pages.accounts import sign_in_form
from kiosk.head.web.form_player_and_result_parsing import ascii_digits, parse_choice, parse_int
from kiosk.head.web.html_renderer import format_local
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.json_validation import warm_up
from kiosk.link.enrolment import readable_code
from kiosk.link.link_messages import Health
from kiosk.link.message_macs_versions_handshake import MAX_TABLE
from kiosk.update.archive_and_install_requests import ArchiveError, version_of
from kiosk.update.table_update_and_diagnostics_messages import UpdateStage

#: maximum number of findings shown
MOST = 100


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of the list. ``may``: whether an update can be offered now: the table is connected, runs an older version
    than the newest archive, accepts updates and has no offer yet."""

    at: TableUpdateState
    health: Health | None
    offset_ms: int | None
    may: bool

    @property
    def version(self) -> str:
        if self.at.latest is not None:
            return self.at.latest.version
        return self.health.program if self.health is not None else ""

    @property
    def rests(self) -> bool:
        return self.at.latest is not None and self.at.latest.rests


class _Finding(msgspec.Struct):
    check: str
    verdict: str
    en: str
    ja: str


class _Side(msgspec.Struct):
    findings: list[_Finding]


class _Diagnosis(msgspec.Struct):
    reports: list[_Side]


def _newest(archives: list[AvailableUpdate]) -> AvailableUpdate | None:
    """Return the newest version that this head may offer."""
    usable = [archive for archive in archives if archive.problem is None]
    return max(usable, key=lambda archive: version_of(archive.version), default=None)


def _table_rows(visit: RequestContext, archive: AvailableUpdate | None) -> list[TableRow]:
    views = {view.number: view.inside for view in visit.head.tables.live.views()}
    found = []
    for at in visit.head.devices.updates.tables():
        inside = views.get(at.table)
        health, offset_ms = (None, None) if inside is None else (inside.health, inside.offset_ms)
        open_to_offer = at.here and at.latest is not None and at.latest.takes and not at.offered
        found.append(TableRow(at, health, offset_ms, open_to_offer and _is_older(at, archive)))
    return found


def _is_older(at: TableUpdateState, archive: AvailableUpdate | None) -> bool:
    """Check whether the table runs an older version than the archive's."""
    if archive is None or at.latest is None:
        return False
    try:
        return version_of(at.latest.version) < version_of(archive.version)
    except ArchiveError:
        return False


def _items(visit: RequestContext) -> dict[str, str]:
    updates = visit.head.devices.updates
    archives = updates.archives()
    archive = _newest(archives)
    rows = _table_rows(visit, archive)
    drawn = visit.draw(
        "devices/_tables.html", archive=archive, rows=rows,
        refused=[one for one in archives if one.problem is not None],
        ready=[row for row in rows if row.may], resting=[row for row in rows if row.may and row.rests],
        wanted=sum(bool(row.at.offered) for row in rows), runs=updates.runs(),
        done=sum(row.at.latest is not None and row.at.latest.stage is UpdateStage.DONE for row in rows),
        chief=has_role(visit.session, Role.CHIEF),
    )  # fmt: skip
    return {"machines": drawn}


def _update(visit: RequestContext) -> None:
    """Offer the newest update to one table, to all resting tables, or to all tables that can take it."""
    updates, wished = visit.head.devices.updates, visit.form["tables"]
    archive = _newest(updates.archives())
    if archive is None:
        raise NotFound.saying("that update is no longer available")
    rows = [row for row in _table_rows(visit, archive) if row.may]
    if wished == "resting":
        rows = [row for row in rows if row.rests]
    elif wished != "all":
        rows = [row for row in rows if str(row.at.table) == ascii_digits(wished)]
    updates.offer(archive.sha256, [row.at.table for row in rows])


def _table_number(visit: RequestContext) -> int:
    """Return the table number of the address.

    :raises NotFound: there is no such table.
    """
    number: int = visit.path["table"]
    if all(at.table != number for at in visit.head.devices.updates.tables()):
        raise NotFound.saying("there is no table {table}", table=number)
    return number


def _request_report(visit: RequestContext) -> None:
    number, what = _table_number(visit), parse_choice(visit.form, "what", ("doctor", "log"))
    visit.head.devices.updates.request_report(number, what)  # type: ignore[arg-type]


def _table_items(visit: RequestContext) -> dict[str, str]:
    number, updates = _table_number(visit), visit.head.devices.updates
    row = next(row for row in _table_rows(visit, _newest(updates.archives())) if row.at.table == number)
    diagnosis = updates.report(number, "doctor")
    log, waits, findings = updates.report(number, "log"), updates.waits_for(number), _findings(diagnosis)
    values = {"row": row, "waits": waits, "log": log, "diagnosis": diagnosis, "findings": findings}
    return {"machine": visit.draw("devices/_table.html", **values)}


def _findings(diagnosis: StoredReport | None) -> list[_Finding]:
    """Return the findings of a diagnosis; none if the text is not a diagnosis, which is then shown as it is."""
    if diagnosis is None:
        return []
    try:
        found = msgspec.json.decode(diagnosis.text, type=warm_up(_Diagnosis))
    except (ValueError, RecursionError):
        return []
    return [finding for side in found.reports for finding in side.findings][:MOST]


# enrolment of devices, and the PIN


def _list(visit: RequestContext) -> Response:
    offer = visit.query.get("offer", "")
    if not offer:
        return visit.show("devices/devices.html", title="devices", live="/devices", items=_items(visit))
    return RedirectResponse(f"/devices/{visit.head.devices.enrolments.find(offer).name}", 303)


def _enrolment(visit: RequestContext) -> dict[str, str]:
    device = visit.head.devices.enrolments.find(visit.path["offer"])
    code = device.enrolment.code
    return {"device": visit.draw("devices/_device.html", device=device, code=code and readable_code(code))}


def _approve(visit: RequestContext) -> str:
    form = visit.form
    enrolments, table = visit.head.devices.enrolments, parse_int(form, "table", 1, MAX_TABLE)
    enrolments.approve(form["offer"], table, form["replace"] == "yes")
    return f"/devices/{enrolments.find(form['offer']).name}"


def _pin_items(visit: RequestContext) -> dict[str, str]:
    pin = visit.head.devices.pin
    since = pin.since and format_local(pin.since)
    return {"tables": visit.draw("devices/_pin.html", since=since, tables=pin.tables())}


def _pin_page(visit: RequestContext, refused: HeadError | None = None) -> Response:
    session = visit.session
    assert session is not None
    again = not visit.head.access.gave_password(session)
    return visit.show(
        "devices/pin.html", title="hall_pin", live=_PIN, items=_pin_items(visit), chief=session.role is Role.CHIEF,
        again=again, refused=refused,
    )  # fmt: skip


def _change_pin(visit: RequestContext) -> None:
    visit.head.devices.pin.change(visit.form["pin"], visit.form["pin_again"])
    visit.head.pages.changes.notify()


_PIN = "/devices/pin"
_TABLE = "/devices/table/{table:int}"

ADDRESSES = [
    PageRoute("/devices", _list, Role.ARBITER, items=_items, stranger=sign_in_form, back="/devices"),
    live_route(_TABLE, _table_items, title="devices", template="devices/table.html",
               role=Role.ARBITER, back="/devices"),
    form_route(_TABLE, _request_report, {"what"}, role=Role.ARBITER, back="/devices", then=_TABLE),
    form_route("/devices/update", _update, {"tables"}, role=Role.CHIEF, back="/devices", again=True),
    form_route("/devices/update/take-back", lambda visit: visit.head.devices.updates.take_back(), role=Role.CHIEF,
               back="/devices", again=True),
    PageRoute(_PIN, _pin_page, Role.ARBITER, items=_pin_items, back="/devices"),
    form_route(_PIN, _change_pin, {"pin", "pin_again"}, role=Role.CHIEF, again=True, secret=True, own_form=_pin_page,
               back=_PIN),
    live_route("/devices/{offer}", _enrolment, title="devices", style="devices.css", role=Role.ARBITER,
               stranger=sign_in_form),
    form_route("/devices/approve", _approve, {"offer", "table", "replace"}, role=Role.ARBITER, back="/devices"),
    form_route("/devices/refuse", lambda visit: visit.head.devices.enrolments.refuse(visit.form["offer"]), {"offer"},
               role=Role.ARBITER, back="/devices"),
]  # fmt: skip
