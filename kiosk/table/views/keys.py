"""Touch keys. Everything they do works with the two buttons too."""

from __future__ import annotations

from kiosk.table.scene import Align, Box, Ink, Item, Rect, Text, Touch


def key(box: Rect, text: str, action: str, ink: Ink) -> tuple[Item, ...]:
    """Return a frame with a word in it."""
    edge = max(2, box.h // 16)
    label = Text(box.inset(edge * 2), text, ink, bold=True, align=Align.CENTRE, lines=2, name="key")
    return Box(box, ink, edge, name="key"), label, Touch(box, action)
