"""The audit trail for people: who did what, with filters.

The law: the page shows what the store holds, the latest first, and says whether it is as it was written. It holds no
secret, because the trail holds none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from kiosk.head.access.rights import Role
from kiosk.head.acting import HEAD
from kiosk.head.pages.address import Address
from kiosk.head.pages.visit import Visit
from kiosk.head.store.chain import OperatorEvent, first_break

#: entries of one page
PAGE = 100
FILTERS = ("division", "table", "kind", "person")
#: what an entry says at length is cut here; the whole is in the title
_SHORT = 160


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of the page. ``at``: in the head's time zone; ``what``: the body's fields as short as they come."""

    number: int
    at: str
    person: str
    kind: str
    division: str
    table: str
    what: tuple[tuple[str, str], ...]
    mark: str


def lines(events: Sequence[OperatorEvent]) -> list[Line]:
    """The trail as lines. A game's division and table are known from the events before."""
    tables: dict[str, str] = {}
    divisions: dict[str, str] = {}
    found = []
    for event in events:
        body = event.body
        game = str(body.get("game") or "")
        if "table" in body and not isinstance(body["table"], Mapping):
            tables[game] = str(body["table"])
        if "division" in body:
            divisions[game] = str(body["division"])
        table = tables.get(game, "") if game else str(body.get("table", "")) if event.kind == "order-given" else ""
        division = str(body.get("division") or (divisions.get(game, "") if game else ""))
        at = f"{datetime.fromisoformat(event.at).astimezone():%Y-%m-%d %H:%M:%S}"
        found.append(Line(event.number, at, event.person, event.kind, division, table, _what(body), event.hash[:8]))
    return found


def _what(body: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The body without what has its own place."""
    parts = []
    for key, value in body.items():
        if key in ("division", "table") and not isinstance(value, Mapping):
            continue
        if key == "games" and isinstance(value, list):
            value = len(value)
        elif key == "players" and isinstance(value, list):
            value = ", ".join(str(one.get("id") if isinstance(one, Mapping) else one) for one in value)
        elif key == "event" and isinstance(value, Mapping):
            value = value.get("name") or value.get("format")
        if value in (None, "", [], {}):
            continue
        parts.append((key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))
    return tuple(parts)


def _page(visit: Visit) -> Response:
    events = visit.parts.access.trail()
    every = lines(events)
    asked = {name: visit.query.get(name, "") for name in FILTERS}
    fitting = [
        line
        for line in reversed(every)
        if all(not asked[name] or getattr(line, name) == asked[name] for name in FILTERS)
    ]
    pages = max(1, -(-len(fitting) // PAGE))
    typed = visit.query.get("page", "1")
    page = min(pages, max(1, int(typed))) if typed.isascii() and typed.isdigit() and len(typed) < 7 else 1
    return visit.show(
        "audit/audit.html",
        title="audit",
        lines=fitting[(page - 1) * PAGE : page * PAGE],
        count=len(fitting),
        asked=asked,
        choices={
            name: sorted({value for line in every if (value := getattr(line, name))}, key=_natural) for name in FILTERS
        },
        head=HEAD,
        broken=first_break(events),
        last=events[-1].hash[:16] if events else "–",
        page=page,
        pages=pages,
        link=lambda number: "?" + urlencode({**{k: v for k, v in asked.items() if v}, "page": number}),
        short=_SHORT,
    )


def _natural(value: str) -> tuple[int, str]:
    return (int(value), "") if value.isascii() and value.isdigit() else (10**9, value)


ADDRESSES = [Address("/audit", _page, Role.SIGNED_IN)]
