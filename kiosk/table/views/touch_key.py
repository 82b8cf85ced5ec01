"""Touch keys. Everything they do works with the two buttons too."""

from __future__ import annotations

from kiosk.table.scene import Align, Box, ColorRole, Item, Rect, SceneText, Touch


def key(box: Rect, text: str, action: str, ink: ColorRole) -> tuple[Item, ...]:
    """Return a frame with a word in it."""
    edge = max(2, box.h // 16)
    label = SceneText(box.inset(edge * 2, edge * 4 // 3), text, ink, bold=True, align=Align.CENTRE, lines=2, name="key")
    return Box(box, ink, edge, name="key"), label, Touch(box, action)
