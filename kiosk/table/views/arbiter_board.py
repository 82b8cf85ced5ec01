"""A board drawn: for the arbiter and the transcriber, and never on a player's half (K-12)."""

from __future__ import annotations

from collections.abc import Collection

from engine.board.color import Color
from kiosk.table.scene import Align, Box, Disc, Ink, Item, Rect, Text, Touch

#: what is touched on a square, with its name: ``square-e4``
SQUARE = "square-"
COLUMNS = "abcdefgh"


def square_name(index: int) -> str:
    return f"{COLUMNS[index % 8]}{index // 8 + 1}"


def board(
    box: Rect,
    cells: str,
    *,
    framed: Collection[str] = (),
    filled: Collection[str] = (),
    touch: bool = False,
) -> tuple[Item, ...]:
    """``cells`` of CONTRACT.md on 8 by 8 squares. ``framed`` and ``filled`` squares are marked; ``touch``: each one can
    be touched."""
    side = min(box.w, box.h) // 9 * 9
    edge = side // 9
    x, y = box.x + (box.w - side) // 2 + edge, box.y + (box.h - side) // 2 + edge
    items: tuple[Item, ...] = (Box(Rect(x, y, edge * 8, edge * 8), Ink.PANEL, name="board"),)
    for line in range(9):
        items = (
            *items,
            Box(Rect(x + line * edge, y, 1, edge * 8), Ink.LINE, name="grid"),
            Box(Rect(x, y + line * edge, edge * 8, 1), Ink.LINE, name="grid"),
        )
    for index in range(8):
        column = Rect(x + index * edge, y - edge, edge, edge).inset(edge // 6)
        row = Rect(x - edge, y + index * edge, edge, edge).inset(edge // 6)
        items = (
            *items,
            Text(column, COLUMNS[index], Ink.QUIET, align=Align.CENTRE, name="rim"),
            Text(row, str(index + 1), Ink.QUIET, align=Align.CENTRE, name="rim"),
        )
    for index, cell in enumerate(cells):
        place = Rect(x + index % 8 * edge, y + index // 8 * edge, edge, edge)
        name = square_name(index)
        items = (*items, *_square(place, cell, name in framed, name in filled))
        items = (*items, Touch(place, f"{SQUARE}{name}")) if touch else items
    return items


def _square(box: Rect, cell: str, framed: bool, filled: bool) -> tuple[Item, ...]:
    inside = box.inset(max(2, box.w // 10))
    items: tuple[Item, ...] = (Box(box.inset(1), Ink.DAY, name="filled"),) if filled else ()
    if cell in "XO":
        items = (*items, Disc(inside, Color.BLACK if cell == "X" else Color.WHITE, name="square"))
    if cell == "?":
        items = (*items, Text(inside, "?", Ink.ON_NIGHT, align=Align.CENTRE, name="square"))
    return (*items, Box(box.inset(1), Ink.DAY, max(3, box.w // 12), name="framed")) if framed else items
