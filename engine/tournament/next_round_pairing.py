"""Pairing of the next round, and cost of a played round.

The optimum of a round is computed over the players who took part in it and without constraints, so it never exceeds the
cost as played.
"""

from __future__ import annotations

from dataclasses import replace

from engine.i18n import say
from engine.tournament.event_model import Event, EventError
from engine.tournament.formats import PairedRound, format_of
from engine.tournament.min_cost_matching import MatchingError
from engine.tournament.pairing_constraints import (
    Constraints,
    check_constraints_kept,
    constraints_of,
    validate_constraints,
    with_constraints,
    without_constraints,
)

__all__ = ["PairedRound", "cost_of_round", "next_round"]


def next_round(event: Event, constraints: Constraints | None = None) -> PairedRound:
    """Return the round after the last one.

    :param constraints: constraints for this round, besides those in the event's options
    :raises EventError: if a result is missing, nobody is present, the event is over, a constraint cannot be kept, or
        the format is not implemented
    """
    round_ = len(event.rounds) + 1
    if constraints is not None:
        event = with_constraints(event, round_, constraints)
    wishes = constraints_of(event, round_)
    validate_constraints(event, wishes)
    try:
        paired = format_of(event).next_round(event)
    except MatchingError as error:
        if wishes:
            raise EventError(
                say("round {round_}: no pairing meets all conditions ({error})", round_=round_, error=error)
            ) from None
        raise
    check_constraints_kept(event, round_, wishes, paired.games)
    return paired


def cost_of_round(event: Event, number: int) -> dict[str, object]:
    """Return what round ``number`` cost as it was played, and the smallest possible cost.

    :returns: ``{"round", "played", "optimum"}``: numbers where penalties decide, else lists that compare from the left
    :raises EventError: if there is no such round
    """
    played = event.round(number)
    before = without_constraints(replace(event, rounds=event.rounds[: number - 1]))
    cost, optimum = format_of(event).costs_of_round(before, played)
    return {"round": number, "played": cost, "optimum": optimum}
