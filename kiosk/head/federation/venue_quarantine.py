"""Quarantine, removal and readmission of venues by the federation.

A decision is stored only in the federation's own audit trail, with its person and reason. It changes no row: what a
venue has sent stays, and is shown again when the venue is readmitted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from kiosk.head.store.hash_chain import OperatorEvent


class QuarantineDecision(StrEnum):
    """Kinds of the trail's entries. A venue in quarantine is named and nothing of it is shown; a removed one is named
    only to the staff.
    """

    QUARANTINED = "venue-quarantined"
    REMOVED = "venue-removed"
    RETURNED = "venue-returned"


@dataclass(frozen=True, slots=True)
class VenueBan:
    """Why a venue's rows are not accepted, and since when."""

    decision: QuarantineDecision
    reason: str
    at: str
    person: str


def banned_venues(events: Iterable[OperatorEvent]) -> dict[str, VenueBan]:
    """Return the venues that are barred after these entries."""
    found: dict[str, VenueBan] = {}
    for event in events:
        if event.kind not in set(QuarantineDecision):
            continue
        venue, decision = str(event.body.get("venue")), QuarantineDecision(event.kind)
        if decision is QuarantineDecision.RETURNED:
            found.pop(venue, None)
        else:
            found[venue] = VenueBan(decision, str(event.body.get("reason")), event.at, event.person)
    return found
