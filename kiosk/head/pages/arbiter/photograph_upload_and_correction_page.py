"""Photographs of a table's board: read, shown under the recognised discs, corrected by taps, compared and kept as a
note. If no board is found, or a wrong one, the arbiter moves four corners over the picture.

The photograph decides nothing. The arbiter compares the recognised discs with the table's board, and only confirmed
squares are kept.
"""

from __future__ import annotations

import re
from functools import partial

from starlette.responses import Response

from engine.board.variants import STANDARD
from kiosk.head.access.roles import Role
from kiosk.head.errors import HeadError
from kiosk.head.pages.arbiter.table_list_and_stop_all_page import FloorTable, floor_table
from kiosk.head.tables.photograph_board_reading_and_storage import LONGEST, Photograph, PhotographedBoard
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext


def _page(visit: RequestContext) -> Response:
    """Show the upload form, the photograph that was read, or the picture in which corners are marked."""
    table, photographs = floor_table(visit), visit.head.tables.photographs
    name, whole = visit.query.get("photograph", ""), visit.query.get("scene", "")
    photograph = photographs.find(name) if name else None
    scene = photographs.scene(whole) if whole else None
    return visit.show(
        "arbiter/photograph.html", title="floor", table=table, taken=photograph, scene=scene,
        corners=None if scene is None else scene.corners or _ABOUT, known=_boards_to_compare(table),
        names=STANDARD.geometry.square_names,
    )  # fmt: skip


def _boards_to_compare(table: FloorTable) -> list[tuple[str, str]]:
    """Return the boards that a photograph is compared with: the last one of the table, and the challenged turn."""
    challenge = table.view.inside.challenge
    boards = [
        ("board", table.view.board),
        ("before", challenge.before if challenge else None),
        ("after", challenge.after if challenge else None),
    ]
    return [(kind, cells) for kind, cells in boards if cells is not None and len(cells) == STANDARD.total]


def _read(visit: RequestContext) -> str:
    if not visit.files.get("photo"):
        raise HeadError.saying("no photograph was sent; take one with the button of the page")
    table = floor_table(visit)
    photograph = visit.head.tables.photographs.read(visit.files["photo"])
    if isinstance(photograph, PhotographedBoard):
        return f"/floor/{visit.path['table']}/photograph?scene={photograph.name}"
    return _to_photograph(visit, _upright(visit, photograph, table))


def _mark(visit: RequestContext) -> str:
    numbers = [float(number) for number in _NUMBER.findall(visit.form["corners"][:200])]
    corners = list(zip(numbers[::2], numbers[1::2], strict=False))
    marked = visit.head.tables.photographs.marked(visit.form["scene"], corners)
    return _to_photograph(visit, _upright(visit, marked, floor_table(visit)))


def _upright(visit: RequestContext, photograph: Photograph, table: FloorTable) -> str:
    """Return the rotation of the photograph that is most similar to the known board; it may be taken from any side."""
    known = _boards_to_compare(table)
    if not known:
        return photograph.name
    ways = [photograph]
    for _ in range(3):
        ways.append(visit.head.tables.photographs.turned(ways[-1].name))
    return max(ways, key=lambda way: sum(a == b != "-" for a, b in zip(way.cells, known[0][1], strict=True))).name


def _turn(visit: RequestContext) -> str:
    return _to_photograph(visit, visit.head.tables.photographs.turned(visit.form["photograph"]).name)


def _keep(visit: RequestContext) -> None:
    number = floor_table(visit).card.number
    photograph = visit.head.tables.photographs.keep(visit.form["photograph"], visit.form["cells"])
    kept = {"name": photograph.name, "cells": photograph.cells}
    visit.desk.orders.note(number, visit.form["text"][:1000], kept)


def _picture(visit: RequestContext) -> Response:
    name = visit.path["name"].removesuffix(".jpg")
    return Response(visit.head.tables.photographs.picture(name), media_type="image/jpeg")


def _to_photograph(visit: RequestContext, name: str) -> str:
    return f"/floor/{visit.path['table']}/photograph?photograph={name}"


#: a fraction of a side of the picture, and the corners before they are moved
_NUMBER = re.compile(r"[01]\.\d{1,6}|[01]")
_ABOUT = ((0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75))
_HERE = "/floor/{table:int}/photograph"

_photograph_route = partial(form_route, role=Role.ARBITER, back=_HERE)

ADDRESSES = [
    PageRoute("/floor/photographs/{name}", _picture, Role.ARBITER, back="/floor"),
    PageRoute(_HERE, _page, Role.ARBITER, back=_HERE),
    _photograph_route(_HERE, _read, uploads={"photo"}, limit=LONGEST),
    _photograph_route(_HERE + "/corners", _mark, {"scene", "corners"}),
    _photograph_route(_HERE + "/turn", _turn, {"photograph"}),
    _photograph_route(_HERE + "/keep", _keep, {"photograph", "cells", "text"}, then="/floor/{table:int}"),
]
