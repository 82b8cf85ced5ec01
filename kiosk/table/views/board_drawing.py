"""Drawing of a board, for the arbiter and the transcriber; on a player's half only the set-up before the start
(K-12)."""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby

from engine.board.color import Color
from engine.board.variants import PLAYABLE, VARIANTS, shape_of
from kiosk.locale import Lang, render
from kiosk.table.scene import Align, Box, ColorRole, Items, Rect, SceneDisc, SceneText, Touch

#: touch action of a square, with its name: ``square-e4``
SQUARE = "square-"


def board(
    box: Rect, cells: str, *, framed: Collection[str] = (), filled: Collection[str] = (), touch: bool = False
) -> Items:
    """Return the board of ``cells`` (CONTRACT.md), whose length gives its size. ``framed`` and ``filled`` squares are
    marked; ``touch``: each square can be touched.
    """
    shape = shape_of(cells)
    names, across = shape.square_names, shape.columns
    edge = min(box.w, box.h) // (across + 1)
    side = edge * (across + 1)
    x, y = box.x + (box.w - side) // 2 + edge, box.y + (box.h - side) // 2 + edge
    items: Items = ()
    for row in _rows(names):  # one without its corners may have shorter rows (VAR-07, VAR-08)
        left, upper = x + (ord(row[0][0]) - ord("a")) * edge, y + (int(row[0][1:]) - 1) * edge
        items = (
            *items,
            Box(Rect(left, upper, edge * len(row), edge), ColorRole.PANEL, name="board"),
            *(Box(Rect(left, upper + at, edge * len(row), 1), ColorRole.LINE, name="grid") for at in (0, edge)),
            *(Box(Rect(left + at * edge, upper, 1, edge), ColorRole.LINE, name="grid") for at in range(len(row) + 1)),
        )
    for index in range(across):
        column = Rect(x + index * edge, y - edge, edge, edge).inset(edge // 10)
        line = Rect(x - edge, y + index * edge, edge, edge).inset(edge // 10)
        items = (
            *items,
            SceneText(column, chr(ord("a") + index), ColorRole.QUIET, align=Align.CENTRE, name="rim"),
            SceneText(line, str(index + 1), ColorRole.QUIET, align=Align.CENTRE, name="rim"),
        )
    for name, cell in zip(names, cells, strict=False):
        place = Rect(x + (ord(name[0]) - ord("a")) * edge, y + (int(name[1:]) - 1) * edge, edge, edge)
        items = (*items, *_square(place, cell, name in framed, name in filled))
        items = (*items, Touch(place, f"{SQUARE}{name}")) if touch else items
    return items


def _rows(names: tuple[str, ...]) -> list[list[str]]:
    """Return the names of a board's squares row by row."""
    return [list(row) for _, row in groupby(names, key=lambda name: name[1:])]


def _square(box: Rect, cell: str, framed: bool, filled: bool) -> Items:
    inside = box.inset(max(2, box.w // 10))
    items: Items = (Box(box.inset(1), ColorRole.DAY, name="filled"),) if filled else ()
    if cell in "XO":
        items = (*items, SceneDisc(inside, Color.BLACK if cell == "X" else Color.WHITE, name="square"))
    if cell == "?":
        items = (*items, SceneText(inside, "?", align=Align.CENTRE, name="square"))
    return (*items, Box(box.inset(1), ColorRole.DAY, max(3, box.w // 12), name="framed")) if framed else items


def start_diagram(box: Rect, variant: str, language: Lang, ink: ColorRole) -> Items:
    """Return the board as it is to be set up, and what game it is (RULES.md 1.2, 1.4)."""
    title, place = box.rows(0.15, 0.85, gap=box.h // 40)
    text = render(PLAYABLE[variant], language)
    name = SceneText(title, text, ink, bold=True, align=Align.CENTRE, lines=2, name="variant")
    start = VARIANTS[variant].start
    names = shape_of(start).square_names
    dark = [square for square, cell in zip(names, start, strict=True) if cell == "X"]  # on a light ground, to be seen
    return name, *board(place, start, filled=dark)
