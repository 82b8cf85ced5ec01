"""The door to ``engine.tournament``: drafts and standings of an event file.

The law: the head knows no pairing and no ranking rule; it hands the event file over and takes what comes back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.tournament.pairing import next_round
from engine.tournament.standings import standings

from engine.tournament.event import EventError, from_dict
from kiosk.head.chain import canonical
from kiosk.head.errors import HeadError


@dataclass(frozen=True, slots=True)
class Draft:
    """A pairing that is not published. ``digest`` names exactly this one, so nobody publishes another by mistake."""

    round: int
    games: tuple[dict[str, Any], ...]
    cost: Mapping[str, Any]
    warnings: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the standings. ``keys`` are the tie-breaks, named by ``key_names``."""

    rank: int
    id: str
    wins: float
    discs: int | None
    keys: tuple[Any, ...]
    key_names: tuple[str, ...]


def check_event(event: Mapping[str, Any]) -> None:
    """:raises HeadError: the event file cannot be used; the sentence names the field."""
    try:
        from_dict(dict(event))
    except EventError as error:
        raise HeadError(f"the event cannot be used: {error}") from error


def draft_of(event: Mapping[str, Any]) -> Draft:
    """The next round's pairing.

    :raises HeadError: the event is over, or cannot be paired; the sentence says why.
    """
    try:
        paired = next_round(from_dict(dict(event)))
    except EventError as error:
        raise HeadError(str(error)) from error
    games = tuple(dict(game) for game in paired.games)
    digest = hashlib.sha256(canonical([paired.round, list(games)]).encode()).hexdigest()[:16]
    return Draft(paired.round, games, dict(paired.cost), tuple(paired.warnings), digest)


def table_of(event: Mapping[str, Any]) -> list[Row]:
    """The standings after what is there."""
    try:
        found = standings(from_dict(dict(event)))
    except EventError as error:
        raise HeadError(str(error)) from error
    return [Row(r.rank, r.id, r.wins, r.discs, tuple(r.keys), tuple(r.key_names)) for r in found.rows]
