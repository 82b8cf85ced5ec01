"""The lists for a national federation: each as a page to copy from, and as CSV."""

from __future__ import annotations

from starlette.responses import Response

from engine.i18n import say
from kiosk.head.access.roles import Role
from kiosk.head.errors import NotFound
from kiosk.head.export.published_event_builder import staff_book
from kiosk.head.publish.lists_for_national_federation import TITLES, sheet_of
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext


def _list(visit: RequestContext) -> Response:
    """Show ``/lists/games`` or send ``/lists/games.csv``; names are as entered."""
    name = str(visit.path["kind"])
    kind = name.removesuffix(".csv")
    if kind not in TITLES:
        raise NotFound(say("there is no such list; choose one of {kinds}", kinds=tuple(TITLES.values())))
    sheet = sheet_of(staff_book(visit.desk), kind, visit.lang)
    if kind == name:
        return visit.show("publishing/list.html", title="publish", sheet=sheet, kinds=TITLES)
    headers = {"Content-Disposition": f"attachment; filename={kind}-{visit.lang}.csv"}
    return Response(sheet.csv(), media_type="text/csv; charset=utf-8", headers=headers)


ADDRESSES = [PageRoute("/lists/{kind}", _list, Role.SIGNED_IN, back="/publish")]
