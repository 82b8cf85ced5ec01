"""Seating and first player of ChouChou (CC-PUT-1, CC-SEAT-1 to CC-SEAT-3)."""

from __future__ import annotations

from typing import TypeVar

from engine.chouchou.errors import BadSetup
from engine.i18n import say

_T = TypeVar("_T")


def pair_seats(winners: tuple[_T, _T], losers: tuple[_T, _T]) -> tuple[_T, _T, _T, _T]:
    """Return the four seats clockwise, each pair in the order in which it declared its players 1 and 2 (CC-SEAT-2).
    Seat 1, the losers' player 1, moves first (CC-SEAT-3)."""
    return winners[0], losers[0], winners[1], losers[1]


def first_in_series(game: int, games: int, first: int) -> int | None:
    """Return which of two players (0 or 1) begins a game of a series, counted from 1, if ``first`` began the first one:
    they alternate. None: the last game of an odd series of several is drawn again (CC-PUT-1).

    :raises BadSetup: if the series has no such game, or there is no such player.
    """
    if not 1 <= game <= games or first not in (0, 1):
        raise BadSetup(
            say(
                "game {game} of {games}, begun by player {first}, is no game of a series of two players",
                game=game,
                games=games,
                first=first,
            )
        )
    if game == games and games % 2 and games > 1:
        return None
    return (first + game - 1) % 2
