"""The two colours."""

from __future__ import annotations

from enum import StrEnum

from engine.i18n import Text, say


class Color(StrEnum):
    """Disc colour, and the player who has it (OTH-04)."""

    BLACK = "black"
    WHITE = "white"

    @property
    def opponent(self) -> Color:
        return Color.WHITE if self is Color.BLACK else Color.BLACK

    @property
    def label(self) -> Text:
        """The colour's name for a sentence."""
        return say("black") if self is Color.BLACK else say("white")

    @property
    def symbol(self) -> str:
        """``X`` or ``O``, as in board strings."""
        return "X" if self is Color.BLACK else "O"
