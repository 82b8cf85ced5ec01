"""Format ``adjacent``: adjacent pairing, ranked by wins, then disc difference or the ``options.tie_breaks``.

- There are as many rounds as ``options.rounds``, or as the operator decides; then the finals of ``options.finals``, if
  any, in which the other players do not play.
- Colours are designated and equal discs are a draw (M43-1).
"""

from __future__ import annotations

from engine.i18n import say
from engine.tournament.event_model import Event
from engine.tournament.format_spec import DivisionPreset, FormatSpec
from engine.tournament.formats.adjacent_league import AdjacentLeague
from engine.tournament.formats.shared_finals_stages import check_draws
from engine.tournament.shared_format_options import BYE_DISCS, COMMON, FINALS, ROUNDS, TIE_BREAKS, VARIANT

FACTS = FormatSpec(
    "adjacent",
    (
        DivisionPreset(
            "adjacent", "free", "adjacent", say("Neighbours meet"),
            say("As many rounds as you like between neighbours; easy for a club."),
            "4–", options={"rounds": 4, "finals": "none"},
        ),
    ),
    choices=(ROUNDS, FINALS, TIE_BREAKS, BYE_DISCS, VARIANT),
    readings=COMMON,
    open_ended=True,
)  # fmt: skip


class Adjacent(AdjacentLeague):
    """The league with adjacent pairing, without additions."""

    facts = FACTS

    def check(self, event: Event) -> None:
        super().check(event)
        check_draws(event)
