"""Ranking of ``m43-open``: M43R-1 to M43R-5.

The finals order the four who played them; all others are ordered by wins, then Brightwell points. The rank immediately
before is used only where an order must be decided.
"""

from __future__ import annotations

from engine.tournament.event_model import Event, Stage
from engine.tournament.formats.base import groups_by
from engine.tournament.formats.shared_finals_stages import places_in_finals
from engine.tournament.player_history import ranked_entries
from engine.tournament.seeded_lots import LotDraw
from engine.tournament.shared_format_options import BYE_DISCS
from engine.tournament.standings_table import ScoreSummary, tally

LEAGUE_ROUNDS = 6
PLACEMENT_ROUND = 7
FINAL_ROUND = 8
#: stages that count for wins and Brightwell points; the finals of round 8 only order their own players
SCORED = (Stage.LEAGUE, Stage.PLACEMENT, Stage.SEMI_FINAL)


def tallies_after(event: Event, after: int) -> dict[str, ScoreSummary]:
    """Return points, discs and Brightwell points; a bye is entered with 32 discs (AMB-10)."""
    return tally(event, after, SCORED, bye_discs=BYE_DISCS.of(event) or event.half)


def _key(event: Event, after: int) -> dict[str, tuple[int, ...]]:
    """Return the sort key of M43R-1 to M43R-4: place in the finals, more wins, more Brightwell points."""
    place = places_in_finals(event, after)
    return {
        name: (place.get(name, 5), -t.score, -t.brightwell_twice) for name, t in tallies_after(event, after).items()
    }


def keys_with_earlier_ranks(event: Event, after: int) -> dict[str, tuple[int, ...]]:
    """Return the keys of M43R-5: then the better rank immediately before, recursively round by round."""
    keys = _key(event, after)
    for earlier in range(after - 1, 0, -1):
        past = _key(event, earlier)
        keys = {name: (*key, *past[name]) for name, key in keys.items()}
    return keys


def ranked_groups(event: Event, after: int) -> list[list[str]]:
    """Return all players in order, equal players together. M43R-5 is applied only where the order must be decided: for
    the four seats of the semi-finals."""
    groups = groups_by(ranked_entries(event), _key(event, after))
    if after != LEAGUE_ROUNDS:
        return groups
    earlier = keys_with_earlier_ranks(event, after)
    decided: list[list[str]] = []
    for group in groups:
        must_be_decided = sum(map(len, decided)) < 4
        split = groups_by([event.player(name) for name in group], earlier) if must_be_decided else [group]
        decided.extend(split)
    return decided


def strict_order(event: Event, after: int) -> list[str]:
    """Return a strict order: M43R-1 to 5, then lots."""
    lots = LotDraw(event.options.random_seed or 0, after, purpose=1).shuffled([player.id for player in event.players])
    keys = keys_with_earlier_ranks(event, after)
    return sorted((name for name in lots if name in keys), key=keys.__getitem__)
