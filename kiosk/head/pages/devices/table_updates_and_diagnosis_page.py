"""The tables' devices: versions, updates and clocks, and the log and diagnosis of each.

What a table reports about itself is untrusted text. It is shown to the staff as text, and nothing acts on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from engine.i18n import say
from kiosk.head.access.roles import Role, has_role
from kiosk.head.devices.table_software_updates_and_logs import AvailableUpdate, StoredReport, TableUpdateState
from kiosk.head.errors import NotFound
from kiosk.head.web.form_player_and_result_parsing import ascii_digits, parse_choice
from kiosk.head.web.html_renderer import Item
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.json_validation import warm_up
from kiosk.link.link_messages import Health
from kiosk.update.archive_and_install_requests import ArchiveError, version_of
from kiosk.update.table_update_and_diagnostics_messages import UpdateStage

#: maximum number of findings shown
MOST = 100


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of the list. ``newer``: whether the newest archive is newer than what this table runs."""

    at: TableUpdateState
    health: Health | None
    offset_ms: int | None
    newer: bool

    @property
    def version(self) -> str:
        if self.at.latest is not None:
            return self.at.latest.version
        return self.health.program if self.health is not None else ""

    @property
    def may(self) -> bool:
        """Return whether an update can be offered now: the table is connected, accepts updates and has no offer yet."""
        report = self.at.latest
        return self.newer and self.at.here and report is not None and report.takes and not self.at.offered


class _Finding(msgspec.Struct):
    check: str
    verdict: str
    en: str
    ja: str


class _Side(msgspec.Struct):
    findings: list[_Finding]


class _Diagnosis(msgspec.Struct):
    reports: list[_Side]


def newest(archives: list[AvailableUpdate]) -> AvailableUpdate | None:
    """Return the newest version that this head may offer."""
    usable = [archive for archive in archives if archive.problem is None]
    return max(usable, key=lambda archive: version_of(archive.version), default=None)


def table_rows(visit: RequestContext, archive: AvailableUpdate | None) -> list[TableRow]:
    views = {view.number: view.inside for view in visit.head.tables.live.views()}
    found = []
    for at in visit.head.devices.updates.tables():
        inside = views.get(at.table)
        health, offset_ms = (None, None) if inside is None else (inside.health, inside.offset_ms)
        found.append(TableRow(at, health, offset_ms, _is_newer(archive, at)))
    return found


def _is_newer(archive: AvailableUpdate | None, at: TableUpdateState) -> bool:
    if archive is None or at.latest is None:
        return False
    try:
        return version_of(archive.version) > version_of(at.latest.version)
    except ArchiveError:
        return False


def items(visit: RequestContext) -> list[Item]:
    updates = visit.head.devices.updates
    archives = updates.archives()
    archive = newest(archives)
    rows = table_rows(visit, archive)
    drawn = visit.draw(
        "devices/_tables.html",
        archive=archive,
        refused=[one for one in archives if one.problem is not None],
        rows=rows,
        ready=[row for row in rows if row.may],
        resting=[row for row in rows if row.may and row.at.latest is not None and row.at.latest.rests],
        wanted=sum(bool(row.at.offered) for row in rows),
        done=sum(row.at.latest is not None and row.at.latest.stage is UpdateStage.DONE for row in rows),
        runs=updates.runs(),
        chief=has_role(visit.session, Role.CHIEF),
    )
    return [("machines", drawn)]


def _update(visit: RequestContext) -> None:
    """Offer the newest update to one table, to all resting tables, or to all tables that can take it."""
    updates, wished = visit.head.devices.updates, visit.form["tables"]
    archive = newest(updates.archives())
    if archive is None:
        raise NotFound(say("that update is no longer available"))
    rows = [row for row in table_rows(visit, archive) if row.may]
    if wished == "resting":
        rows = [row for row in rows if row.at.latest is not None and row.at.latest.rests]
    elif wished != "all":
        rows = [row for row in rows if str(row.at.table) == ascii_digits(wished)]
    updates.offer(archive.sha256, [row.at.table for row in rows])


def _withdraw_update(visit: RequestContext) -> None:
    visit.head.devices.updates.take_back()


def _table_number(visit: RequestContext) -> int:
    """Return the table number of the address.

    :raises NotFound: there is no such table.
    """
    number: int = visit.path["table"]
    if all(at.table != number for at in visit.head.devices.updates.tables()):
        raise NotFound(say("there is no table {table}", table=number))
    return number


def _request_report(visit: RequestContext) -> str:
    number, what = _table_number(visit), parse_choice(visit.form, "what", ("doctor", "log"))
    visit.head.devices.updates.request_report(number, what)  # type: ignore[arg-type]
    return f"/devices/table/{number}"


def _table_items(visit: RequestContext) -> list[Item]:
    number, updates = _table_number(visit), visit.head.devices.updates
    row = next(row for row in table_rows(visit, newest(updates.archives())) if row.at.table == number)
    diagnosis = updates.report(number, "doctor")
    drawn = visit.draw(
        "devices/_table.html",
        row=row,
        waits=updates.waits_for(number),
        log=updates.report(number, "log"),
        diagnosis=diagnosis,
        findings=_findings(diagnosis),
    )
    return [("machine", drawn)]


def _findings(diagnosis: StoredReport | None) -> list[_Finding]:
    """Return the findings of a diagnosis; none if the text is not a diagnosis, which is then shown as it is."""
    if diagnosis is None:
        return []
    try:
        found = msgspec.json.decode(diagnosis.text, type=warm_up(_Diagnosis))
    except (ValueError, RecursionError):
        return []
    return [finding for side in found.reports for finding in side.findings][:MOST]


ADDRESSES: list[PageRoute] = [
    live_route(
        "/devices/table/{table:int}",
        _table_items,
        title="devices",
        template="devices/table.html",
        role=Role.ARBITER,
        back="/devices",
    ),
    form_route("/devices/table/{table:int}", _request_report, {"what"}, role=Role.ARBITER, back="/devices"),
    form_route("/devices/update", _update, {"tables"}, role=Role.CHIEF, back="/devices", again=True),
    form_route("/devices/update/take-back", _withdraw_update, set(), role=Role.CHIEF, back="/devices", again=True),
]
