"""The two questions about a round: how should the next one be played, and what did a played one cost?

The law: the optimum of a round is computed over the very players who took part in it, so it never exceeds what was
played.
"""

from __future__ import annotations

from dataclasses import replace

from engine.tournament.formats import PairedRound, format_of
from engine.tournament.model import Event

__all__ = ["PairedRound", "cost_of_round", "next_round"]


def next_round(event: Event) -> PairedRound:
    """The round after the last one.

    :raises EventError: if a result is missing, nobody is there, the event is over, or the format is not built yet
    """
    return format_of(event).next_round(event)


def cost_of_round(event: Event, number: int) -> dict[str, object]:
    """What round ``number`` cost as it was played, and the smallest cost that was possible.

    :returns: ``{"round", "played", "optimum"}``: numbers where penalties decide, else lists that compare from the left
    :raises EventError: if there is no such round, or the rules left no choice in it
    """
    played = event.round(number)
    before = replace(event, rounds=event.rounds[: number - 1])
    cost, optimum = format_of(event).price(before, played)
    return {"round": number, "played": cost, "optimum": optimum}
