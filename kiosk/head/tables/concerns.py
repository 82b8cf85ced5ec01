"""Alerts about tables for the arbiters on the floor: which table needs attention first, and why.

The worst table comes first, and every alert is a sentence. A silent table is worse than one that reports a fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from engine.text import Text, say, say_n
from kiosk.head.tables.table_view import TableView
from kiosk.link.messages import Health

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


class Level(IntEnum):
    """Severity of an alert."""

    OK = 0
    AMBER = 1
    RED = 2


@dataclass(frozen=True, slots=True)
class Concern:
    """One alert about a table."""

    kind: str
    level: Level
    text: Text


def concerns_of(view: TableView, usual_program: str = "") -> tuple[Concern, ...]:
    """Return all alerts about a table, the worst first. ``usual_program``: the version most tables have."""
    found = [*_link(view), *_told(view)]
    if view.inside.health is not None:
        found += _measured(view.inside.health, view.inside.offset_ms, usual_program)
    if view.lost_sight:
        found.append(_amber("lost-sight", say("The game cannot be followed here")))
    return tuple(sorted(found, key=lambda concern: -concern.level))


def worst_first(tables: Iterable[tuple[TableView, tuple[Concern, ...]]]) -> list[tuple[TableView, tuple[Concern, ...]]]:
    """Sort tables by their worst alert, those with a game first, then by the number of alerts of that level, then by
    number.
    """

    def badness(table: tuple[TableView, tuple[Concern, ...]]) -> tuple[int, bool, int, int]:
        levels = Counter(concern.level for concern in table[1])
        worst = max(levels, default=Level.OK)
        if worst is Level.OK:
            return 0, False, 0, table[0].number
        return -worst, table[0].game is None, -levels[worst], table[0].number

    return sorted(tables, key=badness)


def usual_program(views: Sequence[TableView]) -> str:
    """Return the program version that most tables run."""
    versions = Counter(
        view.inside.health.program for view in views if view.inside.health and view.inside.health.program
    )
    return versions.most_common(1)[0][0] if versions else ""


def _link(view: TableView) -> list[Concern]:
    silent_ms = view.inside.silent_ms
    if silent_ms is None:
        return [_red("never-seen", say("Not connected since the head started"))]
    if view.link == "ok":
        return []
    seconds, level = (6, Level.AMBER) if view.link == "amber" else (15, Level.RED)
    return [Concern("silent", level, say("No message for more than {seconds} s", seconds=seconds))]


def _told(view: TableView) -> list[Concern]:
    """Return alerts from the table's own reports: the journal, the board, the buttons."""
    if view.inside.health is None:
        return []
    return [
        (_amber if trouble.kind == "journal-card-suspect" else _red)(trouble.kind, trouble.text)
        for trouble in view.inside.health.troubles
    ]


def _measured(health: Health, offset_ms: int | None, usual: str) -> list[Concern]:
    found = [
        _unsynced(health),
        *_power(health),
        _temperature(health),
        _boots(health),
        _offset(offset_ms),
        _disk(health),
    ]
    if health.program and usual and health.program != usual:
        found.append(_amber("version", say("Another version: {program}", program=health.program)))
    return [concern for concern in found if concern is not None]


def _unsynced(health: Health) -> Concern | None:
    age_s = health.unsynced_s or 0
    if not health.unsynced or age_s < UNSYNCED_AMBER_S:
        return None
    age = f"{age_s // 60}:{age_s % 60:02d}"
    level = Level.RED if age_s >= UNSYNCED_RED_S else Level.AMBER
    return Concern("unsynced", level, say("{n} records not sent for {age}", n=health.unsynced, age=age))


def _power(health: Health) -> list[Concern | None]:
    found: list[Concern | None] = []
    if health.under_voltage:
        found.append(_red("under-voltage", say("Under-voltage; change the supply")))
    elif health.under_voltage_seen:
        found.append(_amber("under-voltage-seen", say("Under-voltage has occurred")))
    percent = health.battery_percent
    if percent is not None and percent <= BATTERY_AMBER:
        level = Level.RED if percent <= BATTERY_RED else Level.AMBER
        found.append(Concern("battery", level, say("Battery {percent} %", percent=percent)))
    return found


def _temperature(health: Health) -> Concern | None:
    celsius = health.temperature_c
    if celsius is None or celsius < HOT_C:
        return None
    return Concern("hot", Level.RED if celsius >= TOO_HOT_C else Level.AMBER, say("Hot: {celsius} °C", celsius=celsius))


def _boots(health: Health) -> Concern | None:
    boots = health.boots or 0
    if boots < BOOTS_AMBER:
        return None
    level = Level.RED if boots >= BOOTS_RED else Level.AMBER
    return Concern("boots", level, say_n("Restarted {n} time", "Restarted {n} times", boots - 1))


def _offset(offset_ms: int | None) -> Concern | None:
    if offset_ms is None or abs(offset_ms) < OFFSET_AMBER_MS:
        return None
    level = Level.RED if abs(offset_ms) >= OFFSET_RED_MS else Level.AMBER
    seconds = f"{offset_ms / 1000:+.0f}".replace("-", "−")
    return Concern("clock-offset", level, say("Wall clock {seconds} s off (not the game's clock)", seconds=seconds))


def _disk(health: Health) -> Concern | None:
    free = health.disk_free_mb
    if free is None or free >= DISK_AMBER_MB:
        return None
    level = Level.RED if free < DISK_RED_MB else Level.AMBER
    return Concern("disk", level, say("{free} MB free on the card", free=free))


def _amber(kind: str, text: Text) -> Concern:
    return Concern(kind, Level.AMBER, text)


def _red(kind: str, text: Text) -> Concern:
    return Concern(kind, Level.RED, text)
