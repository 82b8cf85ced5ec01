"""Venues that the federation has put in quarantine or removed, and has let back.

The law: what was decided stands in the federation's own audit trail and nowhere else, with its person and reason. It
changes no row: what a venue has sent stays, and is as it was when the venue is back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from kiosk.head.store.chain import OperatorEvent


class Decision(StrEnum):
    """The kinds of the entries. In quarantine a venue is named and nothing of it is shown; one that was removed is not
    even named, but to the staff."""

    QUARANTINED = "venue-quarantined"
    REMOVED = "venue-removed"
    RETURNED = "venue-returned"


@dataclass(frozen=True, slots=True)
class Barred:
    """Why a venue's rows are not taken, and since when."""

    decision: Decision
    reason: str
    at: str
    person: str


def barred(events: Iterable[OperatorEvent]) -> dict[str, Barred]:
    """The venues that are barred after these entries."""
    found: dict[str, Barred] = {}
    for event in events:
        if event.kind not in set(Decision):
            continue
        venue, decision = str(event.body.get("venue")), Decision(event.kind)
        if decision is Decision.RETURNED:
            found.pop(venue, None)
        else:
            found[venue] = Barred(decision, str(event.body.get("reason")), event.at, event.person)
    return found
