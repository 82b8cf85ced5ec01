"""The tables' devices: versions, updates and clocks, and the log and diagnosis of each.

What a table reports about itself is untrusted text. It is shown to the staff as text, and nothing acts on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from engine.text import say
from kiosk.head.access.rights import Role, admits
from kiosk.head.devices.updates import Archive, AtTable, Kept
from kiosk.head.errors import NotFound
from kiosk.head.web.address import Address, action, live
from kiosk.head.web.forms import choice, digits
from kiosk.head.web.render import Item
from kiosk.head.web.visit import Visit
from kiosk.link.messages import Health
from kiosk.shapes import learned
from kiosk.update.archive import ArchiveError, version_of
from kiosk.update.door import Stage

#: maximum number of findings shown
MOST = 100


@dataclass(frozen=True, slots=True)
class Machine:
    """One row of the list. ``newer``: whether the newest archive is newer than what this table runs."""

    at: AtTable
    health: Health | None
    offset_ms: int | None
    newer: bool

    @property
    def version(self) -> str:
        if self.at.told is not None:
            return self.at.told.version
        return self.health.program if self.health is not None else ""

    @property
    def may(self) -> bool:
        """Return whether an update can be offered now: the table is connected, accepts updates and has no offer yet."""
        told = self.at.told
        return self.newer and self.at.here and told is not None and told.takes and not self.at.offered


class _Finding(msgspec.Struct):
    check: str
    verdict: str
    en: str
    ja: str


class _Side(msgspec.Struct):
    findings: list[_Finding]


class _Diagnosis(msgspec.Struct):
    reports: list[_Side]


def newest(archives: list[Archive]) -> Archive | None:
    """Return the newest version that this head may offer."""
    usable = [archive for archive in archives if archive.problem is None]
    return max(usable, key=lambda archive: version_of(archive.version), default=None)


def machines(visit: Visit, archive: Archive | None) -> list[Machine]:
    views = {view.number: view.inside for view in visit.head.live.views()}
    found = []
    for at in visit.head.updates.tables():
        inside = views.get(at.table)
        health, offset_ms = (None, None) if inside is None else (inside.health, inside.offset_ms)
        found.append(Machine(at, health, offset_ms, _is_newer(archive, at)))
    return found


def _is_newer(archive: Archive | None, at: AtTable) -> bool:
    if archive is None or at.told is None:
        return False
    try:
        return version_of(archive.version) > version_of(at.told.version)
    except ArchiveError:
        return False


def items(visit: Visit) -> list[Item]:
    updates = visit.head.updates
    archives = updates.archives()
    archive = newest(archives)
    rows = machines(visit, archive)
    drawn = visit.draw(
        "devices/_tables.html",
        archive=archive,
        refused=[one for one in archives if one.problem is not None],
        rows=rows,
        ready=[row for row in rows if row.may],
        resting=[row for row in rows if row.may and row.at.told is not None and row.at.told.rests],
        wanted=sum(bool(row.at.offered) for row in rows),
        done=sum(row.at.told is not None and row.at.told.stage is Stage.DONE for row in rows),
        runs=updates.runs(),
        chief=admits(visit.session, Role.CHIEF),
    )
    return [("machines", drawn)]


def _update(visit: Visit) -> None:
    """Offer the newest update to one table, to all resting tables, or to all tables that can take it."""
    updates, wished = visit.head.updates, visit.form["tables"]
    archive = newest(updates.archives())
    if archive is None:
        raise NotFound(say("that update is no longer available"))
    rows = [row for row in machines(visit, archive) if row.may]
    if wished == "resting":
        rows = [row for row in rows if row.at.told is not None and row.at.told.rests]
    elif wished != "all":
        rows = [row for row in rows if str(row.at.table) == digits(wished)]
    updates.offer(archive.sha256, [row.at.table for row in rows])


def _take_back(visit: Visit) -> None:
    visit.head.updates.take_back()


def _number(visit: Visit) -> int:
    """Return the table number of the address.

    :raises NotFound: there is no such table.
    """
    number: int = visit.path["table"]
    if all(at.table != number for at in visit.head.updates.tables()):
        raise NotFound(say("there is no table {table}", table=number))
    return number


def _ask(visit: Visit) -> str:
    visit.head.updates.inquire(number := _number(visit), choice(visit.form, "what", ("doctor", "log")))  # type: ignore[arg-type]
    return f"/devices/table/{number}"


def _table_items(visit: Visit) -> list[Item]:
    number, updates = _number(visit), visit.head.updates
    row = next(row for row in machines(visit, newest(updates.archives())) if row.at.table == number)
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


def _findings(diagnosis: Kept | None) -> list[_Finding]:
    """Return the findings of a diagnosis; none if the text is not a diagnosis, which is then shown as it is."""
    if diagnosis is None:
        return []
    try:
        found = msgspec.json.decode(diagnosis.text, type=learned(_Diagnosis))
    except (ValueError, RecursionError):
        return []
    return [finding for side in found.reports for finding in side.findings][:MOST]


ADDRESSES: list[Address] = [
    live(
        "/devices/table/{table:int}",
        _table_items,
        title="devices",
        template="devices/table.html",
        role=Role.ARBITER,
        back="/devices",
    ),
    action("/devices/table/{table:int}", _ask, {"what"}, role=Role.ARBITER, back="/devices"),
    action("/devices/update", _update, {"tables"}, role=Role.CHIEF, back="/devices", again=True),
    action("/devices/update/take-back", _take_back, set(), role=Role.CHIEF, back="/devices", again=True),
]
