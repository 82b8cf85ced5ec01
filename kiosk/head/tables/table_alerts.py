"""Alerts about tables for the arbiters on the floor: which table needs attention first, and why.

The worst table comes first, and every alert is a sentence. A silent table is worse than one that reports a fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from engine.i18n import Text, say, say_n
from kiosk.head.tables.table_view_data import TableView
from kiosk.link.link_messages import Health

#: seconds that records wait for the head: amber, red
UNSYNCED_AMBER_S, UNSYNCED_RED_S = 10, 60
#: free disk below which a table is amber, red
DISK_AMBER_MB, DISK_RED_MB = 500, 100
BATTERY_AMBER, BATTERY_RED = 30, 15
#: a Pi throttles at 80 °C, and its makers want it below 85
HOT_C, TOO_HOT_C = 75, 82
OFFSET_AMBER_MS, OFFSET_RED_MS = 2_000, 60_000
#: starts of a machine in one journal; the first is the day's normal start
BOOTS_AMBER, BOOTS_RED = 2, 4


class Severity(IntEnum):
    """Severity of an alert."""

    OK = 0
    AMBER = 1
    RED = 2


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert about a table."""

    kind: str
    level: Severity
    text: Text


def alerts_of(view: TableView, usual_program: str = "") -> tuple[Alert, ...]:
    """Return all alerts about a table, the worst first. ``usual_program``: the version most tables have."""
    found = [*_link(view), *_reported_alerts(view)]
    if view.inside.health is not None:
        found += _measured_alerts(view.inside.health, view.inside.offset_ms, usual_program)
    if view.lost_sight:
        found.append(_amber("lost-sight", say("The game cannot be followed here")))
    return tuple(sorted(found, key=lambda concern: -concern.level))


def worst_first(tables: Iterable[tuple[TableView, tuple[Alert, ...]]]) -> list[tuple[TableView, tuple[Alert, ...]]]:
    """Sort tables by their worst alert, those with a game first, then by the number of alerts of that level, then by
    number.
    """

    def badness(table: tuple[TableView, tuple[Alert, ...]]) -> tuple[int, bool, int, int]:
        levels = Counter(concern.level for concern in table[1])
        worst = max(levels, default=Severity.OK)
        if worst is Severity.OK:
            return 0, False, 0, table[0].number
        return -worst, table[0].game is None, -levels[worst], table[0].number

    return sorted(tables, key=badness)


def usual_program(views: Sequence[TableView]) -> str:
    """Return the program version that most tables run."""
    versions = Counter(
        view.inside.health.program for view in views if view.inside.health and view.inside.health.program
    )
    return versions.most_common(1)[0][0] if versions else ""


def _link(view: TableView) -> list[Alert]:
    silent_ms = view.inside.silent_ms
    if silent_ms is None:
        return [_red("never-seen", say("Not connected since the head started"))]
    if view.link == "ok":
        return []
    seconds, level = (6, Severity.AMBER) if view.link == "amber" else (15, Severity.RED)
    return [Alert("silent", level, say("No message for more than {seconds} s", seconds=seconds))]


def _reported_alerts(view: TableView) -> list[Alert]:
    """Return alerts from the table's own reports: the journal, the board, the buttons."""
    if view.inside.health is None:
        return []
    return [
        (_amber if trouble.kind == "journal-card-suspect" else _red)(trouble.kind, trouble.text)
        for trouble in view.inside.health.troubles
    ]


def _measured_alerts(health: Health, offset_ms: int | None, usual: str) -> list[Alert]:
    found = [
        _unsynced_alert(health),
        *_power(health),
        _temperature(health),
        _boots(health),
        _offset(offset_ms),
        _disk(health),
    ]
    if health.program and usual and health.program != usual:
        found.append(_amber("version", say("Another version: {program}", program=health.program)))
    return [concern for concern in found if concern is not None]


def _unsynced_alert(health: Health) -> Alert | None:
    age_s = health.unsynced_s or 0
    if not health.unsynced or age_s < UNSYNCED_AMBER_S:
        return None
    age = f"{age_s // 60}:{age_s % 60:02d}"
    level = Severity.RED if age_s >= UNSYNCED_RED_S else Severity.AMBER
    return Alert("unsynced", level, say("{n} records not sent for {age}", n=health.unsynced, age=age))


def _power(health: Health) -> list[Alert | None]:
    found: list[Alert | None] = []
    if health.under_voltage:
        found.append(_red("under-voltage", say("Under-voltage; change the supply")))
    elif health.under_voltage_seen:
        found.append(_amber("under-voltage-seen", say("Under-voltage has occurred")))
    percent = health.battery_percent
    if percent is not None and percent <= BATTERY_AMBER:
        level = Severity.RED if percent <= BATTERY_RED else Severity.AMBER
        found.append(Alert("battery", level, say("Battery {percent} %", percent=percent)))
    return found


def _temperature(health: Health) -> Alert | None:
    celsius = health.temperature_c
    if celsius is None or celsius < HOT_C:
        return None
    return Alert(
        "hot", Severity.RED if celsius >= TOO_HOT_C else Severity.AMBER, say("Hot: {celsius} °C", celsius=celsius)
    )


def _boots(health: Health) -> Alert | None:
    boots = health.boots or 0
    if boots < BOOTS_AMBER:
        return None
    level = Severity.RED if boots >= BOOTS_RED else Severity.AMBER
    return Alert("boots", level, say_n("Restarted {n} time", "Restarted {n} times", boots - 1))


def _offset(offset_ms: int | None) -> Alert | None:
    if offset_ms is None or abs(offset_ms) < OFFSET_AMBER_MS:
        return None
    level = Severity.RED if abs(offset_ms) >= OFFSET_RED_MS else Severity.AMBER
    seconds = f"{offset_ms / 1000:+.0f}".replace("-", "−")
    return Alert("clock-offset", level, say("Wall clock {seconds} s off (not the game's clock)", seconds=seconds))


def _disk(health: Health) -> Alert | None:
    free = health.disk_free_mb
    if free is None or free >= DISK_AMBER_MB:
        return None
    level = Severity.RED if free < DISK_RED_MB else Severity.AMBER
    return Alert("disk", level, say("{free} MB free on the card", free=free))


def _amber(kind: str, text: Text) -> Alert:
    return Alert(kind, Severity.AMBER, text)


def _red(kind: str, text: Text) -> Alert:
    return Alert(kind, Severity.RED, text)
