"""The hash chain of the audit trail.

The law: the hash of an operator's event covers the hash before it and everything the event says, so nobody can change,
drop or insert an old event without breaking every later one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kiosk.head.errors import StoreError

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class OperatorEvent:
    """One line of the audit trail. ``at`` is wall clock for people to read; nothing is computed from it."""

    number: int
    at: str
    kind: str
    body: Mapping[str, Any]
    previous: str
    hash: str


def canonical(value: object) -> str:
    """JSON with one spelling for one value: sorted keys, no spaces, no NaN.

    :raises ValueError: the value has no JSON spelling.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def link(previous: OperatorEvent | None, at: str, kind: str, body: Mapping[str, Any]) -> OperatorEvent:
    """The event that follows ``previous`` in the chain."""
    number = previous.number + 1 if previous else 1
    before = previous.hash if previous else GENESIS
    return OperatorEvent(number, at, kind, body, before, _hash(before, number, at, kind, body))


def verify(events: Iterable[OperatorEvent]) -> None:
    """Walks the chain from its beginning.

    :raises StoreError: an event is missing, changed or inserted; the message names it.
    """
    previous: OperatorEvent | None = None
    for event in events:
        if event != link(previous, event.at, event.kind, event.body):
            raise StoreError(
                f"operator event {event.number} does not fit the audit trail before it: the store was changed by hand; "
                "restore the data directory from a backup"
            )
        previous = event


def _hash(previous: str, number: int, at: str, kind: str, body: Mapping[str, Any]) -> str:
    text = previous + canonical({"number": number, "at": at, "kind": kind, "body": body})
    return hashlib.sha256(text.encode()).hexdigest()
