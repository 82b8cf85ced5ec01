"""Drawing of a board, for the arbiter and the transcriber, never on a player's half (K-12)."""

from __future__ import annotations

from collections.abc import Collection

from engine.board.color import Color
from engine.match.playable_variants import columns_of, square_names
from kiosk.table.scene import Align, Box, ColorRole, Item, Rect, SceneDisc, SceneText, Touch

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
    names = square_names(len(cells) or 64)
    across = columns_of(len(cells))
    edge = min(box.w, box.h) // (across + 1)
    side = edge * (across + 1)
    x, y = box.x + (box.w - side) // 2 + edge, box.y + (box.h - side) // 2 + edge
    items: tuple[Item, ...] = (Box(Rect(x, y, edge * across, edge * across), ColorRole.PANEL, name="board"),)
    for line in range(across + 1):
        items = (
            *items,
            Box(Rect(x + line * edge, y, 1, edge * across), ColorRole.LINE, name="grid"),
            Box(Rect(x, y + line * edge, edge * across, 1), ColorRole.LINE, name="grid"),
        )
    for index in range(across):
        column = Rect(x + index * edge, y - edge, edge, edge).inset(edge // 6)
        row = Rect(x - edge, y + index * edge, edge, edge).inset(edge // 6)
        items = (
            *items,
            SceneText(column, chr(ord("a") + index), ColorRole.QUIET, align=Align.CENTRE, name="rim"),
            SceneText(row, str(index + 1), ColorRole.QUIET, align=Align.CENTRE, name="rim"),
        )
    for name, cell in zip(names, cells, strict=False):
        place = Rect(x + (ord(name[0]) - ord("a")) * edge, y + (int(name[1:]) - 1) * edge, edge, edge)
        items = (*items, *_square(place, cell, name in framed, name in filled))
        items = (*items, Touch(place, f"{SQUARE}{name}")) if touch else items
    return items


def _square(box: Rect, cell: str, framed: bool, filled: bool) -> tuple[Item, ...]:
    inside = box.inset(max(2, box.w // 10))
    items: tuple[Item, ...] = (Box(box.inset(1), ColorRole.DAY, name="filled"),) if filled else ()
    if cell in "XO":
        items = (*items, SceneDisc(inside, Color.BLACK if cell == "X" else Color.WHITE, name="square"))
    if cell == "?":
        items = (*items, SceneText(inside, "?", ColorRole.ON_NIGHT, align=Align.CENTRE, name="square"))
    return (*items, Box(box.inset(1), ColorRole.DAY, max(3, box.w // 12), name="framed")) if framed else items
