"""The page that compares reported games after a restore: which table says that it plays which game.

The operator ticks the tables to follow. Only unambiguous reports are ticked in advance: not a table that reports two
games of one round, and not the tables of a game that two tables report.
"""

from __future__ import annotations

from collections import Counter

from starlette.responses import Response

from kiosk.head.access.roles import Role
from kiosk.head.desk.resolve_games_missing_after_restore import MOST_CLAIMS, claims_digest
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext

_PATH = "/desk/follow-tables"
_TICKS = [f"plays{number}" for number in range(1, MOST_CLAIMS + 1)]


def _page(visit: RequestContext) -> Response:
    claims = visit.desk.claims.open()
    often = Counter((claim.round, table) for claim in claims for table in claim.tables)
    twice = [{table for table in claim.tables if often[claim.round, table] > 1} for claim in claims]
    return visit.show(
        "desk/claims.html", title="desk", claims=list(zip(claims, twice, strict=True)), digest=claims_digest(claims)
    )


def _follow(visit: RequestContext) -> None:
    claims, form = visit.desk.claims, visit.form
    confirmed = {claim.game: form[tick] for claim, tick in zip(claims.open(), _TICKS, strict=False)}
    claims.follow_tables(form["digest"], {game: int(table) for game, table in confirmed.items() if table.isdecimal()})


ADDRESSES: list[PageRoute] = [
    PageRoute(_PATH, _page, Role.DESK),
    form_route(_PATH, _follow, {"digest", *_TICKS}),
]
