"""The audit trail in memory, for the page that shows it.

Everything shown was read from the store. New entries are read with each request; the whole trail is read again and
verified once a minute, so a manipulation is noticed within that time.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kiosk.head.store.acts_records_and_commands_store import Store
from kiosk.head.store.hash_chain import ChainBreak, OperatorEvent, first_break

VERIFY_S = 60.0


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry with its search fields. A game's division and table are known from earlier entries."""

    event: OperatorEvent
    division: str
    table: str

    @property
    def kind(self) -> str:
        return self.event.kind

    @property
    def person(self) -> str:
        return self.event.person

    @property
    def at(self) -> str:
        """Return the time in the head's time zone."""
        return f"{datetime.fromisoformat(self.event.at).astimezone():%Y-%m-%d %H:%M:%S}"

    @property
    def what(self) -> list[tuple[str, str]]:
        return _split_fields(self.event.body)[0]

    @property
    def stored(self) -> str:
        """Return the rest of the body as it is stored; empty if ``what`` has everything."""
        rest = _split_fields(self.event.body)[1]
        return json.dumps(rest, ensure_ascii=False) if rest else ""


@dataclass(frozen=True, slots=True)
class TrailView:
    """The trail at one moment. ``broken``: as of the last verification."""

    events: tuple[OperatorEvent, ...]
    broken: ChainBreak | None

    @property
    def entries(self) -> list[AuditEntry]:
        """Return the entries for display, the first one first."""
        return _entries(self.events)


class AuditTrail:
    """A cached audit trail. May be used from any thread."""

    def __init__(self, store: Store, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._monotonic_s = monotonic_s
        self._lock = threading.Lock()
        self._verified_s = -VERIFY_S
        self._seen = TrailView((), None)

    def view(self) -> TrailView:
        with self._lock:
            if self._monotonic_s() - self._verified_s >= VERIFY_S:
                events = tuple(self._store.operator_events())
                self._seen = TrailView(events, first_break(events))
                self._verified_s = self._monotonic_s()
            else:
                known = self._seen.events
                new = tuple(self._store.operator_events(after=len(known)))
                self._seen = TrailView(known + new, self._seen.broken)
            return self._seen


def _entries(events: Sequence[OperatorEvent]) -> list[AuditEntry]:
    tables: dict[str, str] = {}
    divisions: dict[str, str] = {}
    found = []
    for event in events:
        body = event.body
        game = str(body.get("game") or "")
        table, division = body.get("table"), body.get("division")
        if isinstance(table, int) and game:
            tables[game] = str(table)
        if division and game:
            divisions[game] = str(division)
        own = str(table) if isinstance(table, int) else ""
        found.append(AuditEntry(event, str(division or divisions.get(game, "")), own or tables.get(game, "")))
    return found


def _split_fields(body: Mapping[str, Any]) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """Return the body's fields that can be read as they are, without those shown in columns of their own; and the
    others."""
    parts: list[tuple[str, str]] = []
    rest: dict[str, Any] = {}
    for key, value in body.items():
        if key in ("division", "table") and not isinstance(value, Mapping):
            continue
        match key, value:
            case _, None | "" | [] | {}:
                continue
            case "games", list():
                parts.append((key, str(len(value))))
            case "players", list():
                parts.append((key, ", ".join(str(one.get("id") if isinstance(one, Mapping) else one) for one in value)))
            case "tables", list():
                parts.append((key, ", ".join(map(str, value))))
            case "event", {"name": str(name)}:
                parts.append((key, name))
            case "title", {"ja": str(ja), "en": str(en)}:
                parts.append((key, " / ".join(dict.fromkeys(filter(None, (ja, en))))))
            case "cost", {"penalty": int(penalty)}:
                parts.append((key, str(penalty)))
            case "fields", Mapping():
                parts += [(field, "–" if one is None else str(one)) for field, one in value.items()]
            case _, bool():
                parts.append((key, "yes" if value else "no"))
            case _, str() | int() | float():
                parts.append((key, str(value)))
            case _:
                rest[key] = value
    return parts, rest
