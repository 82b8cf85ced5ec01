"""Games of a table without a head: a free Othello clock, one game after the other."""

from __future__ import annotations

from engine.translatable_text import say
from kiosk.link.link_messages import Assignment, PlayerInfo
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.table.state.free_clock_state import Preset

_LABEL = say("Game clock")


def club_game(table: int, preset: Preset, number: int) -> Assignment:
    """Return the assignment of game ``number`` of this table."""
    return Assignment(
        game=f"club-{number}",
        event="",
        division="",
        round=1,
        table=table,
        rules=preset.rules,
        stage="league",
        label_ja=render(_LABEL, JAPANESE),
        label_en=render(_LABEL, ENGLISH),
        main_s=preset.black_s,
        designated=True,
        players=[PlayerInfo(side, name) for side, name in zip(("black", "white"), preset.names, strict=True)],
        options=preset.options,
    )
