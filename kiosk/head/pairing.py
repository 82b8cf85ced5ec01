"""The door to ``engine.tournament``: drafts and standings of an event file.

The law: the head knows no pairing and no ranking rule; it hands the event file over and takes what comes back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.tournament import Standings, TournamentError, from_dict, next_round, to_dict
from engine.tournament import is_over as engine_is_over
from engine.tournament import standings as engine_standings
from kiosk.head.errors import HeadError
from kiosk.head.store.chain import canonical


@dataclass(frozen=True, slots=True)
class Draft:
    """A pairing that is not published. ``digest`` names exactly this one, so nobody publishes another by mistake."""

    round: int
    games: tuple[dict[str, Any], ...]
    cost: Mapping[str, object]
    warnings: tuple[str, ...]
    digest: str


def normal_form(event: Mapping[str, Any]) -> dict[str, object]:
    """The event file in the order and with the fields of CONTRACT.md.

    :raises HeadError: the event cannot be used; the sentence names the field.
    """
    try:
        return to_dict(from_dict(dict(event)))
    except TournamentError as error:
        raise HeadError(f"the event cannot be used: {error}") from error


def check_event(event: Mapping[str, Any]) -> None:
    """:raises HeadError: the event file cannot be used; the sentence names the field."""
    try:
        engine_is_over(from_dict(dict(event)))
    except TournamentError as error:
        raise HeadError(f"the event cannot be used: {error}") from error


def draft_of(event: Mapping[str, Any]) -> Draft:
    """The next round's pairing.

    :raises HeadError: the event is over, or cannot be paired; the sentence says why.
    """
    try:
        paired = next_round(from_dict(dict(event)))
    except TournamentError as error:
        raise HeadError(str(error)) from error
    games = tuple(dict(game) for game in paired.games)
    digest = hashlib.sha256(canonical([paired.round, list(games)]).encode()).hexdigest()[:16]
    return Draft(paired.round, games, dict(paired.cost), tuple(paired.warnings), digest)


def standings_of(event: Mapping[str, Any]) -> Standings:
    """The standings after the last finished round.

    :raises HeadError: the results cannot be ranked.
    """
    try:
        return engine_standings(from_dict(dict(event)))
    except TournamentError as error:
        raise HeadError(str(error)) from error


def is_over(event: Mapping[str, Any]) -> bool:
    """Whether the format has no further round."""
    try:
        return engine_is_over(from_dict(dict(event)))
    except TournamentError as error:
        raise HeadError(str(error)) from error
