"""The hash chain of the audit trail.

The hash of an operator event covers the previous hash and the whole event, so an old event cannot be changed, dropped
or inserted without breaking every later one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kiosk.head.current_user import HEAD
from kiosk.head.errors import StoreError

GENESIS = "0" * 64
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

#: kinds of events that do not change the tournament's state
_BESIDE = ("account-", "device-", "order-", "people-", "session-", "venue-")


@dataclass(frozen=True, slots=True)
class OperatorEvent:
    """One entry of the audit trail. ``at`` is wall clock for people to read; nothing is computed from it.

    ``person``: the name of the account that acted, or ``current_user.HEAD``.
    """

    number: int
    at: str
    kind: str
    body: Mapping[str, Any]
    previous: str
    hash: str
    person: str = HEAD


def changes_state(kind: str) -> bool:
    """Check whether events of this kind change the tournament's state."""
    return not kind.startswith(_BESIDE)


def canonical(value: object) -> str:
    """Return JSON that is the same for equal values: sorted keys, no spaces, no NaN.

    :raises ValueError: the value has no JSON form.
    """
    return _CANONICAL.encode(value)


def as_stored(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event's body as a later start will read it."""
    stored: dict[str, Any] = json.loads(canonical(body))
    return stored


def append_link(
    previous: OperatorEvent | None, at: str, kind: str, body: Mapping[str, Any], person: str = HEAD
) -> OperatorEvent:
    """Return the event that follows ``previous`` in the chain."""
    number = previous.number + 1 if previous else 1
    before = previous.hash if previous else GENESIS
    entry = {"number": number, "at": at, "person": person, "kind": kind, "body": body}
    hash = hashlib.sha256((before + canonical(entry)).encode()).hexdigest()
    return OperatorEvent(number, at, kind, body, before, hash, person)


@dataclass(frozen=True, slots=True)
class ChainBreak:
    """The first entry at which the audit trail is not what was written."""

    number: int
    why: str


def first_break(events: Iterable[OperatorEvent]) -> ChainBreak | None:
    """Check the chain from its beginning; return None if every entry is as it was written."""
    previous: OperatorEvent | None = None
    for event in events:
        due = previous.number + 1 if previous else 1
        if event.number != due:
            return ChainBreak(due, f"operator event {due} is missing: operator event {event.number} comes in its place")
        right = append_link(previous, event.at, event.kind, event.body, event.person)
        if event.previous != right.previous:
            return ChainBreak(due, f"operator event {due} does not follow the one before it")
        if event.hash != right.hash:
            return ChainBreak(due, f"operator event {due} does not say what its hash was made from")
        previous = event
    return None


def verify(events: Iterable[OperatorEvent]) -> None:
    """Check the chain from its beginning.

    :raises StoreError: an event is missing, changed or inserted; the message names it.
    """
    if found := first_break(events):
        raise StoreError.saying(
            "operator event {number} does not fit the audit trail before it ({why}): the store was "
            "changed by hand; restore the data directory from a backup",
            number=found.number,
            why=found.why,
        )
