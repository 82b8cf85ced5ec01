"""How a game ended."""

from __future__ import annotations

from enum import StrEnum


class EndReason(StrEnum):
    """How a game ended (CONTRACT.md, ``end``). A player without an opponent has a bye."""

    NORMAL = "normal"
    TIME = "time"
    FREE_PLAY = "free-play"
    BOTH_FLAGS = "both-flags"
    FORFEIT = "forfeit"
    LATE = "late"
    ARBITER = "arbiter"
    BYE = "bye"
    NOT_PLAYED = "not-played"
