"""Format ``m40-33-64``: 33 to 64 players at the 40th Meijin (RULES.md 6.4).

Four leagues of at most four rounds, semi-finals, then final and 3rd-place game (M40F33-3).
"""

from __future__ import annotations

from engine.tournament.format_spec import DivisionPreset, FormatSpec, LotRules
from engine.tournament.formats.m40_base import CHOICES, READINGS
from engine.tournament.formats.m40_four_leagues_base import LATE, PLACEMENT_POOL, M40Leagues
from engine.tournament.m40_lots_and_leagues import FIRST_LOT
from engine.translatable_text import say


class M4033To64(M40Leagues):
    facts = FormatSpec(
        "m40-33-64",
        (
            DivisionPreset(
                "m40-33-64", "m40", "m40-33-64", say("33–64 players"),
                say("Four leagues, four rounds, semi-finals, finals."), "33–64",
                plan=("M40T", "master"),
            ),
        ),
        choices=CHOICES,
        readings=(*READINGS, PLACEMENT_POOL),
        sizes=(33, 64),
        settled_by_players=True,
        lots=LotRules(leagues=True),
        rules="m40",
        first_lot=FIRST_LOT,
        certificate=("M40C", "master"),
        late=LATE,
    )  # fmt: skip
    semi_final_round = 5
    third_place = True
