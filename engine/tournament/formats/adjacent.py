"""``adjacent``: wins, then disc difference; neighbours meet.

The law: as many rounds as ``options.rounds`` says, or as the operator likes; then the finals of ``options.finals``, if
any, while the others watch. Colours are designated and 32-32 is a draw (M43-1).
"""

from __future__ import annotations

from engine.tournament.formats.finals import check_draws
from engine.tournament.formats.neighbour_league import NeighbourLeague
from engine.tournament.model import Event


class Adjacent(NeighbourLeague):
    """The neighbour league as it is."""

    def check(self, event: Event) -> None:
        super().check(event)
        check_draws(event)
