"""Deterministic ids of events and games.

A head that was restored, or starts again from an empty disk, gives the same id to the same place in the same draw. A
round that was taken back gets other ids, so that a late card of it is never taken for a game of the new one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from kiosk.head.store.hash_chain import canonical


def event_name(body: Mapping[str, object]) -> str:
    """Return a short name that the same event always gets."""
    return hashlib.sha256(canonical(body).encode()).hexdigest()[:8]


def game_id(event_id: str, round: int, number: int, edition: int = 0) -> str:
    """Return a game's id; ``edition``: how often its round was taken back before."""
    return f"{event_id}-{round}{f'.{edition}' if edition else ''}-{number}"
