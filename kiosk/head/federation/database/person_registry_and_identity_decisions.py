"""The register of persons in the federation's database: assigns each entry its person, by
number or by the decisions of the staff, which can be undone.

The tables follow the audit trail. A decision is written to the trail before the tables change, so after an interruption
the next fold of the entry corrects them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, and_, bindparam, func, insert, or_, select, update

from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.federation.database import database_schema as db
from kiosk.head.federation.database.connection_and_tables import lock
from kiosk.head.store import Store
from kiosk.head.store.hash_chain import OperatorEvent

_KEY = "entry:"
_IN_ONE = 5_000
#: a person without an entry
_NOBODY: dict[str, Any] = {"name": "", "sought": ""} | {
    one.name: None if one.nullable else "" for one in db.PERSON_FIELDS
}
#: the fields that are as in a person's last event
_TEXTS = [name for name, value in _NOBODY.items() if value == ""]


class PersonRegistry:
    """The register. May be used from any thread; its lock is never held while waiting for the database. ``store`` None:
    no new numbers are assigned (a rebuild outside the head).
    """

    def __init__(self, store: Store | None, events: Iterable[OperatorEvent]) -> None:
        self._store = store
        self._lock = threading.RLock()
        self.people = IdentityMap(events)
        #: called after a decision was carried out
        self.decided: Callable[[], None] = lambda: None

    def settle(self, c: Connection, *where: ColumnElement[bool]) -> None:
        """Assign persons to those entries; an unknown number gets a new person."""
        player, division, event = db.players.c, db.divisions.c, db.events.c
        query = select(
            player.id, player.entry, player.national, player.wof, player.person_id, event.venue, division.source,
            or_(*(player[name] != db.persons.c[name] for name in _TEXTS)).label("differs"),
        )  # fmt: skip
        joined = query.select_from(db.players.join(db.divisions).join(db.events).outerjoin(db.persons))
        found = c.execute(joined.where(player.is_team.is_(False), *where)).all()
        keys = {row.id: entry_keys(row.venue, row.source, row.entry, row.national, row.wof) for row in found}
        with self._lock:
            self._number(keys.values())
            rows = [{"of": row.id, "who": self.people.who(keys[row.id])} for row in found]
        before = {row.id: row.person_id for row in found}
        changed = [one for one in rows if one["who"] != before[one["of"]]]
        touched = {one for row in changed for one in (row["who"], before[row["of"]]) if one is not None}
        touched |= {row.person_id for row in found if row.differs}
        self._add_missing_persons(c, touched)
        if changed:
            c.execute(
                update(db.players).where(player.id == bindparam("of")).values(person_id=bindparam("who")), changed
            )
        self._describe(c, touched)

    def _number(self, wanted: Iterable[Sequence[str]]) -> None:
        numbers = [[key for key in keys if not key.startswith(_KEY)] for keys in wanted]
        if self._store is not None and (people := self.people.missing(numbers)):
            self.people.apply(self._store.append(NUMBERED, {"people": people}).result())

    def _add_missing_persons(self, c: Connection, persons: Iterable[int]) -> None:
        wanted = set(persons)
        wanted |= {self.people.now(one) for one in wanted}
        known = set(c.execute(select(db.persons.c.id).where(db.persons.c.id.in_(wanted))).scalars())
        if new := [{"id": one, **_NOBODY} for one in sorted(wanted - known)]:
            c.execute(insert(db.persons), new)

    def describe(self, c: Connection, *where: ColumnElement[bool]) -> None:
        """Describe the persons of those entries again, because other entries of theirs are shown than before."""
        found = select(db.players.c.person_id).select_from(db.players.join(db.divisions).join(db.events))
        persons = c.execute(found.where(db.players.c.person_id.is_not(None), *where).distinct()).scalars().all()
        for at in range(0, len(persons), _IN_ONE):
            self._describe(c, set(persons[at : at + _IN_ONE]))

    def _describe(self, c: Connection, persons: set[int]) -> None:
        """Describe each person as in the last event that the views have; without one he has no name."""
        if not persons:
            return
        player, event = db.players.c, db.events.c
        texts = [player[name] for name in _TEXTS]
        numbers = [
            func.max(player[one.name]).over(partition_by=player.person_id).label(one.name)
            for one in db.PERSON_FIELDS
            if one.nullable
        ]
        order = func.row_number().over(partition_by=player.person_id, order_by=(event.day.desc(), player.id.desc()))
        last = select(player.person_id, *texts, *numbers, order.label("n"))
        inner = last.select_from(db.players.join(db.divisions).join(db.events).join(db.venues))
        shown = db.venues.c.shown, event.superseded.is_(False)
        rows = inner.where(player.person_id.in_(persons), *shown).subquery()
        found = {row.person_id: row._asdict() for row in c.execute(select(rows).where(rows.c.n == 1))}
        entries = []
        for one in sorted(persons):
            latest = found.get(one, _NOBODY)
            now = self.people.now(one)
            entries.append({"of": one, "into": now if now != one else None, **{name: latest[name] for name in _NOBODY}})
        values: dict[str, Any] = {name: bindparam(name) for name in _NOBODY} | {"merged_into": bindparam("into")}
        c.execute(update(db.persons).where(db.persons.c.id == bindparam("of")).values(values), entries)

    # decisions of the staff

    def join(self, engine: Engine, entry: str, person: int) -> None:
        """Assign an entry to a person.

        :raises HeadError: there is none such.
        """
        self._decide(engine, JOINED, lambda: {"person": self._person(person), "entry": _entry(entry)})

    def make(self, engine: Engine, entry: str) -> int:
        """Create a person for an entry; return the person's number."""
        made = self._decide(engine, MADE, lambda: {"person": self.people.last + 1, "entry": _entry(entry)})
        return int(made["person"])

    def merge(self, engine: Engine, person: int, other: int, reason: str) -> None:
        """Merge ``other`` into ``person``."""

        def decision() -> dict[str, Any]:
            one, two = self._person(person), self._person(other)
            if one == two:
                raise Conflict.saying("both are one person already")
            return {"person": one, "other": two, "reason": reason}

        self._decide(engine, MERGED, decision)

    def mark_distinct(self, engine: Engine, person: int, other: int) -> None:
        """Note that two persons of the same name are different, so that it is not asked again."""
        self._decide(engine, DISTINCT, lambda: {"person": self._person(person), "other": self._person(other)})

    def separate(self, engine: Engine, person: int, keys: Sequence[str], reason: str) -> int:
        """Make a separate person of what belongs to these keys; return the person's number."""

        def decision() -> dict[str, Any]:
            known = set(self.people.keys(self._person(person)))
            strangers = [key for key in keys if key not in known and not key.startswith(_KEY)]
            if not keys or strangers:
                raise HeadError.saying("choose what belongs to somebody else; a part of it must stay")
            return {"person": person, "other": self.people.last + 1, "keys": list(keys), "reason": reason}

        return int(self._decide(engine, SEPARATED, decision)["other"])

    def undo(self, engine: Engine, number: int, reason: str) -> None:
        """Undo a decision.

        :raises NotFound: there is no such decision, or it was undone already.
        """

        def decision() -> dict[str, Any]:
            if not any(one.event.number == number and not one.undone for one in self.people.decisions()):
                raise NotFound.saying(
                    "there is no decision {number} that stands; look at the list again", number=number
                )
            return {"number": number, "reason": reason}

        self._decide(engine, UNDONE, decision)

    def _person(self, number: int) -> int:
        if number not in self.people.everybody():
            raise NotFound.saying("there is no person {number}; look by name", number=number)
        return self.people.now(number)

    def _decide(self, engine: Engine, kind: str, decision: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Write a decision to the trail and carry it out; return its content. ``decision``: makes the content, while no
        other is written.
        """
        assert self._store is not None, "only a head decides"
        with self._lock:
            body = decision()
            about: Mapping[str, Any] = body
            if kind == UNDONE:
                about = next(one.event.body for one in self.people.decisions() if one.event.number == body["number"])
            persons = {one for name in ("person", "other") if (one := about.get(name)) is not None}
            before = {self.people.now(one) for one in persons}
            self.people.apply(self._store.append(kind, body).result())
            persons |= before | {self.people.now(one) for one in persons}
        keys = [key for key in [about.get("entry"), *about.get("keys", ())] if key]
        with engine.begin() as c:
            lock(c)
            self._add_missing_persons(c, persons)
            self.settle(c, or_(db.players.c.person_id.in_(persons), *map(_is_of, keys)))
            self._describe(c, persons)
        self.decided()
        return body


def _entry(key: str) -> str:
    if not key.startswith(_KEY) or key.count("/") < 2:
        raise HeadError.saying("that is no entry; choose one of the page")
    return key


def _is_of(key: str) -> ColumnElement[bool]:
    """Select the entry or the number that a key names."""
    player = db.players.c
    kind, _, rest = key.partition(":")
    if kind == "national":
        return player.national == rest
    if kind == "wof":
        return player.wof == int(rest)
    venue, source, entry = rest.split("/", 2)
    here = select(db.divisions.c.id).join(db.events).where(db.divisions.c.source == source, db.events.c.venue == venue)
    return and_(player.entry == entry, player.division_id.in_(here))


# Identities of persons across venues and years: a fold over the federation's own audit trail.
#
# A number identifies a person; a name only suggests one. The head gives each number it sees a person of its own.
# Decisions of the staff take precedence over numbers, are in the audit trail, and can be undone; an undone decision has
# no effect. A person's number is never reused.

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

    def everybody(self) -> set[int]:
        """Return all persons, including those merged into others."""
        return {*self._of.values(), *self._into}

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
