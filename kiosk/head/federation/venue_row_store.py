"""The venues' rows in the federation's store.

- A row is added once (ON CONFLICT DO NOTHING). If a row exists with other content, it is a forgery or a mistake:
  nothing of its push is added, and the error names it.
- In a trail only entry N+1 is accepted after N, and only if its hash fits.
- In a table's epoch a gap is never filled by later records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from engine.i18n import say
from kiosk.head.federation import venue_trail_and_game_index
from kiosk.head.federation.omitted_and_anonymised_fields import (
    ANONYMISED,
    AnonymisedPersons,
    anonymised_persons_in,
    is_reduced,
)
from kiosk.head.federation.push_protocol import EventRow, Push, RecordRow, RowRejected, TrailInfo
from kiosk.head.federation.venue_trail_and_game_index import Journal
from kiosk.head.store import StoredRecord
from kiosk.head.store.hash_chain import GENESIS, OperatorEvent, append_link, canonical
from kiosk.head.store.store_rows import event_row, insert_missing_rows, record_row
from kiosk.head.store.store_schema import operator_events, venue_events, venue_records

#: tables' journals of one venue; a backup carries ten times as many
MAX_JOURNALS = 10_000
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class IngestResult:
    """The new rows of a push; how far its trail and its records' journals go now; ``other`` as in ``PushResponse``."""

    events: list[OperatorEvent]
    records: list[StoredRecord]
    last: int
    ends: dict[Journal, int]
    other: TrailInfo | None


def known_extent(connection: Connection, venue: str, push: Push, some: Iterable[Journal] | None = None) -> IngestResult:
    """Return how far the federation has a venue's rows, without adding any: the push's trail, and all journals or
    ``some`` of them.
    """
    last, other = _trail(connection, venue, push)
    return IngestResult([], [], last, venue_trail_and_game_index.journals(connection, venue, some), other)


def _last(connection: Connection, venue: str, trail: str) -> int:
    return next((one.entries for one in venue_trail_and_game_index.trails(connection, venue=venue, trail=trail)), 0)


def _trail(connection: Connection, venue: str, push: Push) -> tuple[int, TrailInfo | None]:
    """Return how far a push's trail goes here; and the stored trail of that name, if it conflicts with the venue's: it
    ends before what the venue had sent, or differs there. None: one continues the other.
    """
    column, stand = venue_events.c, push.stand
    if stand is None:
        return _last(connection, venue, push.trail), None
    here = column.venue == venue, column.trail == push.trail
    ends = column.number.in_([venue_trail_and_game_index.entries(venue, push.trail), stand.number])
    found = connection.execute(select(column.number, column.at, column.hash).where(*here, ends)).all()
    if not found:
        return 0, None
    last = max(found, key=lambda row: row.number)
    if stand.last >= last.number and all(row.hash == stand.hash for row in found if row.number == stand.number):
        return last.number, None
    return last.number, TrailInfo(last.number, last.at)


def ingest(connection: Connection, venue: str, push: Push) -> IngestResult:
    """Add the new rows of a push that was checked (``check``). If its trail conflicts, add only the tables' records.

    :raises RowRejected: a row contradicts the stored ones.
    """
    last, other = _trail(connection, venue, push)
    events = _add_events(connection, venue, push.trail, last, [] if other else push.events)
    records, ends = _add_records(connection, venue, push.records)
    venue_trail_and_game_index.index_rows(connection, venue, push.trail, events, records)
    if events:
        last, other = _trail(connection, venue, push)
    return IngestResult(events, records, last, ends, other)


def _add_events(
    connection: Connection, venue: str, trail: str, last: int, rows: Sequence[EventRow]
) -> list[OperatorEvent]:
    if not rows:
        return []
    column = venue_events.c
    hashes = select(column.number, column.hash).where(column.venue == venue, column.trail == trail)
    between = column.number.between(rows[0].number - 1, rows[-1].number)
    there = {row.number: row.hash for row in connection.execute(hashes.where(between))}
    new: list[OperatorEvent] = []
    for row in rows:
        event = row.event()
        if row.number <= last:
            if there[row.number] != row.hash:
                why = say("entry {number} of {venue}'s audit trail is not the one that was sent before")
                raise RowRejected(why, venue, row)
            continue
        if row.number != last + 1:
            break  # a gap: the answer says where the venue has to continue
        before = new[-1].hash if new else there.get(last, GENESIS)
        if event.previous != before or not _is_hash_of(event):
            why = say("entry {number} of {venue}'s audit trail does not fit the entry before it")
            raise RowRejected(why, venue, row)
        last = row.number
        new.append(event)
    insert_missing_rows(connection, venue_events, [{"venue": venue, "trail": trail, **event_row(one)} for one in new])
    return new


def _add_records(
    connection: Connection, venue: str, rows: Sequence[RecordRow]
) -> tuple[list[StoredRecord], dict[Journal, int]]:
    """Add new records; return them, and how far the journals go then."""
    new: list[StoredRecord] = []
    seqs = venue_trail_and_game_index.journals(connection, venue, {(row.table, row.epoch) for row in rows})
    free: int | None = None
    for row in rows:
        last = seqs.get((row.table, row.epoch), 0)
        if not last and free is None:
            free = MAX_JOURNALS - venue_trail_and_game_index.count(connection, venue)[0] + len(seqs)
        if not last and free is not None and len(seqs) >= free:
            why = say("record {seq} of table {table} at {venue} is of one journal more than the {most} kept")
            raise RowRejected(why(most=MAX_JOURNALS), venue, row)
        if row.seq <= last:
            _check_same(connection, venue, row)
        elif row.seq == last + 1:
            seqs[row.table, row.epoch] = row.seq
            new.append(StoredRecord(row.arrival, row.table, row.epoch, row.seq, row.type, row.body))
    made = [{**record_row(one), "venue": venue, "body": canonical(one.body)} for one in new]
    insert_missing_rows(connection, venue_records, made)
    return new, seqs


def _check_same(connection: Connection, venue: str, row: RecordRow) -> None:
    """Check that a record is the stored one.

    :raises RowRejected: it is another one.
    """
    column = venue_records.c
    place = column.venue == venue, column.table_no == row.table, column.epoch == row.epoch, column.seq == row.seq
    there = connection.execute(select(column.type, column.body).where(*place)).one()
    if (there.type, there.body) != (row.type, canonical(row.body)):
        why = say("record {seq} of table {table} at {venue} is not the one that was sent before")
        raise RowRejected(why, venue, row)


def events_of(connection: Connection, venue: str, trail: str, after: int = 0) -> list[OperatorEvent]:
    column = venue_events.c
    hidden = anonymised(connection)
    # whether a change concerns an anonymised person is known from earlier entries
    first = 0 if hidden.digests else after
    here = column.venue == venue, column.trail == trail, column.number > first
    query = select(venue_events).where(*here).order_by(column.number)
    entries = hidden.entries([_event(row) for row in connection.execute(query)])
    return [event for event in entries if event.number > after]


def venue_order_key(record: StoredRecord) -> tuple[int, int, int, str]:
    """Return the venue's own order; the fields after the arrival number matter only if it occurs twice, which no venue
    does.
    """
    return record.arrival, record.seq, record.table, record.epoch


def records_of(connection: Connection, venue: str, games: Iterable[str], *, types: Sequence[str]) -> list[StoredRecord]:
    """Return the records about these games (empty: about none), in the venue's own order."""
    hidden = anonymised(connection)
    found = venue_trail_and_game_index.records(connection, venue, games, types)
    return sorted((_stored(row, hidden) for row in found), key=venue_order_key)


def present_game(connection: Connection, venue: str, table: int, games: Iterable[str]) -> Iterator[StoredRecord]:
    """Yield a table's records from its last assignment to one of these games on."""
    assigned = records_of(connection, venue, games, types=["assigned"])
    begun = next((record for record in reversed(assigned) if record.table == table), None)
    if begun is None:
        return
    yield begun
    column, hidden = venue_records.c, anonymised(connection)
    here = column.venue == venue, column.table_no == table, column.epoch == begun.epoch, column.seq > begun.seq
    query = select(venue_records).where(*here).order_by(column.seq)
    yield from (_stored(row, hidden) for row in connection.execute(query))


def records_between(
    connection: Connection, venue: str, table: int, epoch: str, first: int, last: int
) -> list[StoredRecord]:
    """Return records of one journal, both ends included, as received; only for uses that name no person."""
    column = venue_records.c
    here = column.venue == venue, column.table_no == table, column.epoch == epoch, column.seq.between(first, last)
    query = select(venue_records).where(*here).order_by(column.seq)
    return [_stored(row, AnonymisedPersons()) for row in connection.execute(query)]


def game_before(connection: Connection, venue: str, table: int, epoch: str, card: int) -> list[StoredRecord]:
    """Return the records of the game whose card is record ``card``, from its assignment on."""
    column = venue_records.c
    here = column.venue == venue, column.table_no == table, column.epoch == epoch
    begun = select(column.seq).where(*here, column.seq < card, column.type == "assigned").order_by(column.seq.desc())
    first = connection.execute(begun.limit(1)).scalar() or card
    return records_between(connection, venue, table, epoch, first, card)


def _is_hash_of(event: OperatorEvent) -> bool:
    """Check the entry's hash; for a reduced entry, only that it is a hash."""
    if is_reduced(event.body):
        return _HASH.fullmatch(event.hash) is not None
    before = OperatorEvent(event.number - 1, "", "", {}, "", event.previous) if event.number > 1 else None
    return append_link(before, event.at, event.kind, event.body, event.person).hash == event.hash


def find_broken_chains(connection: Connection) -> Iterator[tuple[str, str, int]]:
    """Yield venue, trail and the first altered entry of each collected chain that is broken."""
    column, place, due, before, bad = venue_events.c, ("", ""), 1, GENESIS, False
    for row in connection.execute(select(venue_events).order_by(column.venue, column.trail, column.number)):
        if (row.venue, row.trail) != place:
            place, due, before, bad = (row.venue, row.trail), 1, GENESIS, False
        event = _event(row)
        if not bad and (row.number != due or row.previous != before or not _is_hash_of(event)):
            bad = True
            yield row.venue, row.trail, due
        due, before = row.number + 1, row.hash


def anonymised(connection: Connection) -> AnonymisedPersons:
    """Return the persons whom this federation has anonymised."""
    entries = select(operator_events).where(operator_events.c.kind == ANONYMISED)
    return anonymised_persons_in(_event(row) for row in connection.execute(entries))


def _event(row: Row[Any]) -> OperatorEvent:
    body = venue_trail_and_game_index.read_body(row.body)
    kind = row.kind if body is not None else f"unreadable {row.kind}"  # no kind of event, so it is set aside
    return OperatorEvent(row.number, row.at, kind, body or {}, row.previous, row.hash, row.person)


def _stored(row: Row[Any], hidden: AnonymisedPersons) -> StoredRecord:
    body = hidden.body(venue_trail_and_game_index.read_body(row.body) or {})
    return StoredRecord(row.arrival, row.table_no, row.epoch, row.seq, row.type, body)
