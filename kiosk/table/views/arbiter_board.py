"""Drawing of a board, for the arbiter and the transcriber, never on a player's half (K-12)."""

from __future__ import annotations

from collections.abc import Collection

from engine.board.color import Color
from engine.match.boards import columns_of, names_of
from kiosk.table.scene import Align, Box, Disc, Ink, Item, Rect, Text, Touch

#: touch action of a square, with its name: ``square-e4``
SQUARE = "square-"


def board(
    box: Rect,
    cells: str,
    *,
    framed: Collection[str] = (),
    filled: Collection[str] = (),
    touch: bool = False,
) -> tuple[Item, ...]:
    """Return the board of ``cells`` (CONTRACT.md), whose length gives its size. ``framed`` and ``filled`` squares are
    marked; ``touch``: each square can be touched.
    """
    names = names_of(len(cells) or 64)
    across = columns_of(len(cells))
    edge = min(box.w, box.h) // (across + 1)
    side = edge * (across + 1)
    x, y = box.x + (box.w - side) // 2 + edge, box.y + (box.h - side) // 2 + edge
    items: tuple[Item, ...] = (Box(Rect(x, y, edge * across, edge * across), Ink.PANEL, name="board"),)
    for line in range(across + 1):
        items = (
            *items,
            Box(Rect(x + line * edge, y, 1, edge * across), Ink.LINE, name="grid"),
            Box(Rect(x, y + line * edge, edge * across, 1), Ink.LINE, name="grid"),
        )
    for index in range(across):
        column = Rect(x + index * edge, y - edge, edge, edge).inset(edge // 6)
        row = Rect(x - edge, y + index * edge, edge, edge).inset(edge // 6)
        items = (
            *items,
            Text(column, chr(ord("a") + index), Ink.QUIET, align=Align.CENTRE, name="rim"),
            Text(row, str(index + 1), Ink.QUIET, align=Align.CENTRE, name="rim"),
        )
    for name, cell in zip(names, cells, strict=False):
        place = Rect(x + (ord(name[0]) - ord("a")) * edge, y + (int(name[1:]) - 1) * edge, edge, edge)
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
