"""Fields that a venue leaves out of what it sends, and persons whom the federation has anonymised.

No hash chain is broken by either. A reduced row is marked as such and keeps its hash and its position: it fits the
entries beside it, and its content is trusted because of the venue's signature. Persons are anonymised whenever a row is
read, so nothing that is shown, exported or computed contains the name; the stored row is unchanged.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from engine.tournament.player_entry_fields import OPTIONAL, PERSONAL, name_key
from kiosk.head.current_user import HEAD
from kiosk.head.federation.push_protocol import EventRow, RecordRow
from kiosk.head.store.hash_chain import OperatorEvent, changes_state

#: in a body: something was left out
LEFT_OUT = "left_out"
#: the entry of the federation's audit trail, and its field for the person
ANONYMISED, DIGEST = "venue-person-anonymised", "digest"
#: records without which no game is known
_NEEDED = frozenset({"assigned", "withdrawn", "card"})
#: a longer text is no name, of 60 letters with an addition of as many
_LONGEST = 123
#: where an addition to a name may begin (``engine.tournament.event_model.Event.called``)
_ADDITION = re.compile(r" \(")


def is_reduced(body: Mapping[str, Any]) -> bool:
    return body.get(LEFT_OUT) is True


def reduced_entry(row: EventRow, leave_out: Iterable[str]) -> EventRow:
    """Return an entry without these fields (``FederationConfig.leave_out``)."""
    left, body, person = set(leave_out), row.body, row.person
    if "staff" in left:
        person = HEAD
        body = body if changes_state(row.kind) else {}
    if fields := left & set(OPTIONAL):
        body = _without(body, fields)
    if body == row.body and person == row.person:
        return row
    return msgspec.structs.replace(row, body={**body, LEFT_OUT: True}, person=person)


def reduced_record(row: RecordRow, leave_out: Iterable[str]) -> RecordRow:
    """Return a table's record without these fields."""
    if "moves" not in leave_out or row.type in _NEEDED:
        return row
    return msgspec.structs.replace(row, body={LEFT_OUT: True})


def reduced_game(document: Mapping[str, Any], leave_out: Iterable[str]) -> Any:
    """Return a game of the broadcast (``kiosk.head.tables.live_game_json_and_document_cache``) without these fields."""
    return _without(document, set(leave_out) & set(OPTIONAL))


def _without(value: Any, fields: set[str]) -> Any:
    """Return a body whose players lack ``fields``."""
    match value:
        case dict():
            drop = fields if "name" in value or "player" in value else set()
            fields_left = {key: _without(one, fields) for key, one in value.items() if key not in drop}
            if "player" in value and isinstance(changed := value.get("fields"), dict):
                fields_left["fields"] = {key: one for key, one in changed.items() if key not in fields}
            return fields_left
        case list():
            return [_without(one, fields) for one in value]
        case _:
            return value


@lru_cache(8192)
def digest_of(name: str) -> str:
    """Return the digest that the audit trail keeps of a name."""
    return hashlib.sha256(b"othello-person\0" + name_key(name).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class AnonymisedPersons:
    """The anonymised persons, by the digests of their names."""

    digests: frozenset[str] = frozenset()

    def __contains__(self, name: object) -> bool:
        """Check a name, also with what is added for a namesake or a player of a team: "青木 緑 (川崎)"."""
        if not isinstance(name, str) or not 0 < len(name) <= _LONGEST:
            return False
        ends = [at.start() for at in _ADDITION.finditer(name)] if name.endswith(")") else []
        return any(digest_of(name[:end]) in self.digests for end in (*ends, None))

    def entries(self, events: Sequence[OperatorEvent]) -> list[OperatorEvent]:
        """Anonymise a whole trail: a player who ever had such a name has none in any entry."""
        if not self.digests:
            return list(events)
        found = {where for event in events for where in self._players(event.body)}
        return [
            OperatorEvent(e.number, e.at, e.kind, self._entry(e.body, found), e.previous, e.hash, e.person)
            for e in events
        ]

    def body(self, body: dict[str, Any]) -> dict[str, Any]:
        """Anonymise a table's record."""
        return self._clean(body) if self.digests else body

    def _players(self, body: Mapping[str, Any]) -> Iterable[tuple[object, str]]:
        """Yield division and id of players with such a name."""
        division = body.get("division", "main")
        event, fields = body.get("event"), body.get("fields")
        listed = [body.get("players"), event.get("players") if isinstance(event, dict) else None]
        for player in (one for some in listed if isinstance(some, list) for one in some if isinstance(one, dict)):
            if any(player.get(field) in self for field in ("name", "latin")):
                yield str(division), str(player.get("id"))
        if isinstance(fields, dict) and any(fields.get(field) in self for field in ("name", "latin")):
            yield str(division), str(body.get("player"))

    def _entry(self, body: Mapping[str, Any], found: set[tuple[object, str]]) -> Any:
        division = str(body.get("division", "main"))
        ids = {id for where, id in found if where == division}
        if str(body.get("player")) in ids and isinstance(fields := body.get("fields"), dict):
            body = {**body, "fields": _nameless(fields)}
        return self._clean(body, ids)

    def _clean(self, value: Any, ids: frozenset[str] | set[str] = frozenset()) -> Any:
        match value:
            case dict():
                known = "name" in value and value.get("id") in ids
                if known or value.get("name") in self or value.get("latin") in self:
                    value = _nameless(value)
                return {key: self._clean(one, ids) for key, one in value.items()}
            case list():
                return [self._clean(one, ids) for one in value]
            case str() if value in self:
                return _pseudonym(value)
            case _:
                return value


def anonymised_persons_in(events: Iterable[OperatorEvent]) -> AnonymisedPersons:
    """Return the persons that these entries of the federation's audit trail anonymise."""
    return AnonymisedPersons(frozenset(str(event.body.get(DIGEST)) for event in events if event.kind == ANONYMISED))


def _nameless(player: Mapping[str, Any]) -> dict[str, Any]:
    fields_left = {key: one for key, one in player.items() if key not in PERSONAL}
    return fields_left | ({"name": _pseudonym(str(player["name"]))} if player.get("name") else {})


def _pseudonym(name: str) -> str:
    """Return a pseudonym. Anonymous persons of one event stay distinct; it can be recomputed from the name, and reveals
    nothing to others.
    """
    return f"N.N. {digest_of(name)[:6]}"
