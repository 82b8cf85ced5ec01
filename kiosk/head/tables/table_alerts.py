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
#: troubles reported by a table that are amber; all others are red
AMBER_TROUBLES = frozenset({"journal-card-suspect", "supply-hot", "battery-low"})
#: troubles reported by a table -> the head's own alert that says the same from the measured value
_MEASURED = {"supply-hot": "hot", "battery-low": "battery", "battery-empty": "battery"}


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
    found, health = _link(view), view.inside.health
    if health is not None:
        measured = _measured_alerts(health, view.inside.offset_ms or 0, usual_program)
        levels = {one.kind: one.level for one in measured}
        told = [
            Alert(one.kind, Severity.AMBER if one.kind in AMBER_TROUBLES else Severity.RED, one.text)
            for one in health.troubles
        ]
        found += [one for one in told if levels.get(_MEASURED.get(one.kind, ""), Severity.OK) < one.level]
        found += measured
    if view.lost_sight:
        found.append(Alert("lost-sight", Severity.AMBER, say("The game cannot be followed here")))
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
    if view.inside.silent_ms is None:
        return [Alert("never-seen", Severity.RED, say("Not connected since the head started"))]
    if view.link == "ok":
        return []
    seconds, level = (6, Severity.AMBER) if view.link == "amber" else (15, Severity.RED)
    return [Alert("silent", level, say("No message for more than {seconds} s", seconds=seconds))]


def _measured_alerts(health: Health, offset_ms: int, usual: str) -> list[Alert]:
    """Return alerts about what the table measures of itself. What it does not know counts as good."""
    age_s, celsius, boots = health.unsynced_s or 0, health.temperature_c or 0, health.boots or 0
    percent = 100 if health.battery_percent is None else health.battery_percent
    free = DISK_AMBER_MB if health.disk_free_mb is None else health.disk_free_mb
    age = f"{age_s // 60}:{age_s % 60:02d}"
    seconds = f"{offset_ms / 1000:+.0f}".replace("-", "−")
    restarted = say_n("Restarted {n} time", "Restarted {n} times", boots - 1)
    off = say("Wall clock {seconds} s off (not the game's clock)", seconds=seconds)
    unsent = say("{n} records not sent for {age}", n=health.unsynced, age=age)
    seen = health.under_voltage_seen and not health.under_voltage
    other = health.program and usual and health.program != usual
    # kind, whether it is amber at least, whether it is red, the sentence
    rows: list[tuple[str, object, bool, Text]] = [
        ("unsynced", health.unsynced and age_s >= UNSYNCED_AMBER_S, age_s >= UNSYNCED_RED_S, unsent),
        ("under-voltage-seen", seen, False, say("Under-voltage has occurred")),
        ("battery", percent <= BATTERY_AMBER, percent <= BATTERY_RED, say("Battery {percent} %", percent=percent)),
        ("hot", celsius >= HOT_C, celsius >= TOO_HOT_C, say("Hot: {celsius} °C", celsius=celsius)),
        ("boots", boots >= BOOTS_AMBER, boots >= BOOTS_RED, restarted),
        ("clock-offset", abs(offset_ms) >= OFFSET_AMBER_MS, abs(offset_ms) >= OFFSET_RED_MS, off),
        ("disk", free < DISK_AMBER_MB, free < DISK_RED_MB, say("{free} MB free on the card", free=free)),
        ("version", other, False, say("Another version: {program}", program=health.program)),
    ]
    return [Alert(kind, Severity.RED if red else Severity.AMBER, text) for kind, amber, red, text in rows if amber]
