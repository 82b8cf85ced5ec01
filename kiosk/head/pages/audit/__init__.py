"""The audit trail as a page: who did what, with filters.

The page shows what the store holds, the latest entries first, and whether the hash chain is intact. It shows no secret
because the trail contains none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import urlencode

from starlette.responses import Response

from kiosk.head.access.roles import Role
from kiosk.head.current_user import HEAD
from kiosk.head.web.bilingual_labels import VALUE_GROUPS
from kiosk.head.web.form_player_and_result_parsing import number_in
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext

#: entries on one page
PAGE = 100
FILTERS = ("division", "table", "kind", "person")


def _page(visit: RequestContext) -> Response:
    seen = visit.head.access.trail.view()
    every = seen.entries
    asked = {name: visit.query.get(name, "") for name in FILTERS}
    wanted = [(name, value) for name, value in asked.items() if value]
    fitting = [entry for entry in every if all(getattr(entry, name) == value for name, value in wanted)][::-1]
    choices = {name: sorted({getattr(entry, name) for entry in every} - {""}, key=_natural) for name in FILTERS}
    return visit.show(
        "audit/audit.html", title="audit", count=len(fitting), asked=asked, choices=choices, head=HEAD,
        broken=seen.broken, fingerprint=visit.head.fingerprint,
        last=seen.events[-1].hash[:16] if seen.events else "–",
        named=partial(_with_player_names, visit), value_groups=VALUE_GROUPS, **_one_page(visit, fitting, dict(wanted)),
    )  # fmt: skip


def _one_page(visit: RequestContext, rows: Sequence[object], wanted: Mapping[str, str]) -> dict[str, object]:
    """Return the rows of the page of the query, and the links to the other pages of the same filters."""
    pages = max(1, -(-len(rows) // PAGE))
    page = min(pages, max(1, number_in(visit.query.get("page", ""), 1)))
    return {
        "rows": rows[(page - 1) * PAGE : page * PAGE],
        "page": page,
        "pages": pages,
        "link": lambda number: "?" + urlencode({**wanted, "page": number}),
    }


#: fields whose values are ids of players
_PLAYERS = ("black", "white", "player", "players", "by")


def _with_player_names(visit: RequestContext, slug: str, field: str, value: str) -> str:
    """Return a value with the names of the players whose ids it has."""
    division = visit.hall.divisions.get(slug)
    if division is None or field not in _PLAYERS:
        return value
    players = division.players()
    return ", ".join((id in players and players[id].name) or id for id in value.split(", "))


def _tables(visit: RequestContext) -> Response:
    """Show what arbiters did at the tables themselves, for all tables or for one."""
    every, table = visit.head.tables.acts.all(), visit.query.get("table", "")
    shown = _one_page(visit, [act for act in every if not table or str(act.table) == table], {"table": table})
    numbers = sorted({act.table for act in every})
    return visit.show("audit/tables.html", title="table_acts", asked=table, numbers=numbers, **shown)


def _natural(value: str) -> tuple[int, str]:
    return number_in(value, 10**9), value


ADDRESSES = [
    PageRoute("/audit", _page, Role.SIGNED_IN),
    PageRoute("/audit/tables", _tables, Role.SIGNED_IN, back="/audit"),
]
