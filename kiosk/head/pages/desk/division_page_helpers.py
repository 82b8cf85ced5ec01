"""Functions shared by the pages of one division."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from starlette.responses import Response

from engine.i18n import say
from engine.tournament.player_entry_fields import PLAYER_FIELDS, Player
from kiosk.head.access.roles import Role
from kiosk.head.web.page_routes_and_password_reentry import Act, Items, PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext

#: the pages of a division in the order of the day
PAGES = ("players", "money", "lots", "teams", "round", "results", "timetable", "settings")
UNKNOWN_ACTION = say("the form contains no known action; use the buttons of the page")
_AT = "/division/{division}"


def division_frame(visit: RequestContext, page: str) -> dict[str, object]:
    """Return the values that every page of the addressed division needs for its frame."""
    division = visit.division
    pages = [name for name in PAGES if name != "teams" or division.event.facts.teams]
    return {"title": "desk", "division": division, "page": page, "pages": pages}


def with_all_fields(player: Player | Mapping[str, object]) -> dict[str, object]:
    """Return a player as a mapping for templates; unknown values are empty strings."""
    known = player if isinstance(player, Mapping) else {key: getattr(player, key) for key in PLAYER_FIELDS}
    return {key: "" if (value := known.get(key)) is None else value for key in PLAYER_FIELDS}


def show(visit: RequestContext, page: str, template: str, **values: object) -> Response:
    return visit.show(template, **division_frame(visit, page), **values)


def page(name: str, template: str, values: Callable[[RequestContext], Mapping[str, object]]) -> PageRoute:
    """Return the address of a page that does not update by itself."""

    def answer(visit: RequestContext) -> Response:
        return show(visit, name, template, **values(visit))

    return PageRoute(f"{_AT}/{name}", answer, Role.DESK, back="/desk")


def live_page(
    name: str,
    items: Items,
    template: str = "desk/live.html",
    values: Callable[[RequestContext], Mapping[str, object]] = lambda visit: {},
) -> PageRoute:
    """Return the address of a page that updates itself."""
    return live_route(
        f"{_AT}/{name}",
        items,
        title="desk",
        template=template,
        role=Role.DESK,
        values=lambda visit: {**division_frame(visit, name), **values(visit)},
        back="/desk",
    )


def division_form(path: str, do: Act, fields: Collection[str] = (), *, back: str, **more: Any) -> PageRoute:
    """Return the address of a form on a division's page; ``back``: the page of the division that is shown next."""
    return form_route(f"{_AT}/{path}", do, fields, back=f"{_AT}/{back}", **more)
