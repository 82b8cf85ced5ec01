"""Format ``m40-open``: the open division of the 40th Meijin (RULES.md 6.3).

Four leagues of at most six rounds, their lots from three ballots; semi-finals, and a final without a 3rd-place game
(M40R-1).
"""

from __future__ import annotations

from engine.tournament.format_spec import DivisionPreset, FormatSpec, LotRules
from engine.tournament.formats.m40_base import CHOICES, READINGS
from engine.tournament.formats.m40_four_leagues_base import LATE, PLACEMENT_POOL, M40Leagues
from engine.tournament.m40_lots_and_leagues import FIRST_LOT
from engine.translatable_text import say, say_in


class M40Open(M40Leagues):
    facts = FormatSpec(
        "m40-open",
        (
            DivisionPreset(
                "m40-open", "m40", "m40-open", say_in("m43_open", "Open"),
                say("Four leagues, six rounds, finals; lots from ballots."),
                "65–256", options={"division": "open"}, plan=("M40T", "open"),
            ),
        ),
        choices=CHOICES,
        readings=(*READINGS, PLACEMENT_POOL),
        sizes=(4, 256),
        settled_by_players=True,
        lots=LotRules(leagues=True, generator=True),
        rules="m40",
        first_lot=FIRST_LOT,
        certificate=("M40C", "open"),
        late=LATE,
    )  # fmt: skip
    last_round = 8
    semi_final_round = 7
    third_place = False
