"""The tournament as spectators may see it, given to pages without sign-in in place of the desk's state.

The players of each division are as ``spectators.redact_event`` publishes them, so every name in it may be shown. Data
for the desk only is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from engine.tournament.event_model import Event
from kiosk.head.event.spectator_visibility import VisibilityRules, redact_event
from kiosk.head.event.tournament_state import DivisionState, TournamentState


def public_hall(state: TournamentState) -> TournamentState:
    """Return the tournament without what may not be public."""
    divisions = {slug: public_division(division, state.date) for slug, division in state.divisions.items()}
    return replace(state, divisions=divisions, sender="", notices=(), aside=())


def public_division(division: DivisionState, day: str = "") -> DivisionState:
    """Return the division without what may not be public. ``day``: the tournament's date."""
    event = _players_shown(_Same(division.event), division.spectators, day)
    return replace(division, event=event, paid=frozenset(), undone=(), hand_made=None)


def hidden_players(division: DivisionState, day: str = "") -> frozenset[str]:
    """Return the players who are not published under their names. ``day``: as in ``public_division``."""
    shown = public_division(division, day).event.players
    return frozenset(one.id for one, other in zip(division.event.players, shown, strict=True) if one.name != other.name)


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """A cache key that compares events by identity, because comparing all players would take longer
    than hiding them.
    """

    event: Event

    def __hash__(self) -> int:
        return id(self.event)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.event is other.event


@lru_cache(maxsize=256)
def _players_shown(same: _Same, setting: VisibilityRules, day: str) -> Event:
    return redact_event(same.event, setting, over=False, day=day)
