"""Identities of persons across venues and years: a fold over the federation's own audit trail.

A number identifies a person; a name only suggests one. The head gives each number it sees a person of its own.
Decisions of the staff take precedence over numbers, are in the audit trail, and can be undone; an undone decision has
no effect. A person's number is never reused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kiosk.head.store.hash_chain import OperatorEvent

NUMBERED, JOINED, MADE = "people-numbered", "people-joined", "people-made"
MERGED, SEPARATED, DISTINCT, UNDONE = "people-merged", "people-separated", "people-distinct", "people-undone"
#: decisions of the staff, which can be undone
DECISIONS = (JOINED, MADE, MERGED, SEPARATED, DISTINCT)


def entry_keys(venue: str, source: str, entry: str, national: object, wof: object) -> list[str]:
    """Return the keys of a division's entry: the entry itself, then its numbers."""
    numbers = [("national", national), ("wof", wof)]
    return [f"entry:{venue}/{source}/{entry}", *(f"{kind}:{number}" for kind, number in numbers if number)]


@dataclass(frozen=True, slots=True)
class IdentityDecision:
    """One decision. ``undone``: the number of the trail's entry that undid it; 0: it holds."""

    event: OperatorEvent
    undone: int = 0


class IdentityMap:
    """The identities after the trail so far. Invalid entries are skipped."""

    def __init__(self, events: Iterable[OperatorEvent] = ()) -> None:
        self._acts: list[OperatorEvent] = []
        self._undone: dict[int, int] = {}
        self._of: dict[str, int] = {}
        self._into: dict[int, int] = {}
        self._distinct: set[frozenset[int]] = set()
        self.last = 0
        for event in events:
            self.apply(event)

    def apply(self, event: OperatorEvent) -> None:
        if event.kind == UNDONE:
            if isinstance(number := event.body.get("number"), int):
                self._undone[number] = event.number
                self._of, self._into, self._distinct = {}, {}, set()
                for act in self._acts:
                    self._fold(act)
        elif event.kind.startswith("people-"):
            self._acts.append(event)
            self._fold(event)

    def _fold(self, act: OperatorEvent) -> None:
        if act.number in self._undone:
            return
        body = act.body
        match act.kind, body:
            case (_, {"people": list(people)}) if act.kind == NUMBERED:
                for one in people:
                    self._assign_keys(one["id"], one["keys"])
            case (_, {"person": int(person), "entry": str(entry)}) if act.kind in (JOINED, MADE):
                self._assign_keys(person, [entry])
            case (_, {"person": int(person), "other": int(other)}) if act.kind == MERGED:
                self._into[other] = person
            case (_, {"person": int(), "other": int(other), "keys": list(keys)}) if act.kind == SEPARATED:
                self._assign_keys(other, keys)
            case (_, {"person": int(person), "other": int(other)}) if act.kind == DISTINCT:
                self._distinct.add(frozenset((person, other)))

    def _assign_keys(self, person: int, keys: Sequence[str]) -> None:
        self.last = max(self.last, person)
        self._of |= dict.fromkeys(keys, person)

    @property
    def acts(self) -> int:
        """Return the number of entries about identities."""
        return len(self._acts) + len(self._undone)

    def who(self, keys: Iterable[str]) -> int | None:
        """Return the person of the first key that has one."""
        found = next((self._of[key] for key in keys if key in self._of), None)
        return None if found is None else self.now(found)

    def now(self, person: int) -> int:
        """Return the person after all merges."""
        seen = set()
        while person in self._into and person not in seen:
            seen.add(person)
            person = self._into[person]
        return person

    def keys(self, person: int) -> list[str]:
        """Return every key of a person, including those of persons merged into him."""
        return sorted(key for key, one in self._of.items() if self.now(one) == person)

    def everybody(self) -> Mapping[int, int | None]:
        """Return all persons, with the person each was merged into."""
        people = sorted({*self._of.values(), *self._into})
        return {one: self.now(one) if self.now(one) != one else None for one in people}

    def are_distinct(self, one: int, other: int) -> bool:
        """Check whether the staff has decided that they are two persons."""
        return frozenset((one, other)) in self._distinct

    def missing(self, wanted: Iterable[Sequence[str]]) -> list[dict[str, Any]]:
        """Return the content of the ``NUMBERED`` entry that gives each of these entries a person: ``wanted`` are the
        numbers of each entry.
        """
        new: dict[str, int] = {}
        people: dict[int, list[str]] = {}
        for keys in wanted:
            known = [self._of.get(key, new.get(key)) for key in keys]
            fresh = [key for key, one in zip(keys, known, strict=True) if one is None]
            if not fresh:
                continue
            person = next((one for one in known if one is not None), None)
            if person is None:
                person = self.last = self.last + 1
            new |= dict.fromkeys(fresh, person)
            people.setdefault(person, []).extend(fresh)
        return [{"id": person, "keys": keys} for person, keys in people.items()]

    def decisions(self) -> list[IdentityDecision]:
        """Return the decisions of the staff, the last first."""
        return [
            IdentityDecision(act, self._undone.get(act.number, 0))
            for act in reversed(self._acts)
            if act.kind in DECISIONS
        ]
