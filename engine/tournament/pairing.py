"""The two questions about a round: how should the next one be played, and what did a played one cost?

The law: the optimum of a round is computed over the very players who took part in it, so it never exceeds what was
played.
"""

from __future__ import annotations

from dataclasses import replace

from engine.tournament.formats import PairedRound, format_of
from engine.tournament.history import LEAGUE_STAGES, history_before
from engine.tournament.model import Bye, Event, EventError
from engine.tournament.swiss import Pool, cheapest_round, price_of

__all__ = ["PairedRound", "cost_of_round", "next_round"]


def next_round(event: Event) -> PairedRound:
    """The round after the last one.

    :raises EventError: if a result is missing, nobody is there, the event is over, or the format is not built yet
    """
    return format_of(event).next_round(event)


def cost_of_round(event: Event, number: int) -> dict[str, int]:
    """What round ``number`` cost as it was played, and the smallest cost that was possible.

    :returns: ``{"round", "played", "optimum"}``
    :raises EventError: if there is no such round, or nobody was paired by penalties in it
    """
    played = event.round(number)
    before = replace(event, rounds=event.rounds[: number - 1])
    pool = format_of(event).priced_pool(before, played)
    games = [game for game in played.games if game.stage in LEAGUE_STAGES]
    if not games:
        raise EventError(f"round {number} has no league or placement game, so nothing in it was paired by penalties")
    byes = [bye for bye in played.byes if bye.player in pool.players]
    paired = [name for game in games for name in game.players]
    history = history_before(before, number)
    prices = []
    # an odd pool has one bye; with several byes all but one were given for other reasons
    candidates: list[Bye | None] = [*byes] if byes else [None]
    for bye in candidates:
        members = Pool((*paired, bye.player) if bye else tuple(paired), pool.kept_from_bye, pool.kept_apart)
        optimum = cheapest_round(before, history, members).penalty.total
        prices.append((price_of(before, history, members, games, bye), optimum))
    total, optimum = min(prices)
    return {"round": number, "played": total, "optimum": optimum}
