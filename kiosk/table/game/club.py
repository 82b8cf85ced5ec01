"""A table without a head: a free Othello clock, one game after the other, nobody named."""

from __future__ import annotations

from engine.text import say
from kiosk.link.messages import Assignment, PlayerInfo
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.table.config import TableConfig

_LABEL = say("Game clock")


def club_game(config: TableConfig, number: int) -> Assignment:
    """Game ``number`` of this table."""
    return Assignment(
        game=f"club-{number}",
        event="",
        division="",
        round=1,
        table=config.table,
        rules=config.rules,
        stage="league",
        label_ja=render(_LABEL, JAPANESE),
        label_en=render(_LABEL, ENGLISH),
        main_s=config.main_s,
        designated=True,
        players=[PlayerInfo("black", ""), PlayerInfo("white", "")],
    )
