"""Selects the rows of a venue's store that its federation does not have yet.

What to send follows from the store and the federation's last answer, so there is no queue that could be lost. A refused
row blocks only the rows after it from the same table and epoch, or in the audit trail.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Row, Select, func, select

from engine.i18n import Text, say
from kiosk.head.federation.omitted_fields_and_anonymised_persons import reduced_entry, reduced_record
from kiosk.head.federation.push_protocol import TRAIL, EventRow, Push, PushResponse, RecordRow, Source, TrailHead
from kiosk.head.store.store_schema import operator_events, records

#: rows of one push, and bytes of their bodies together
BATCH, ROOM = 400, 4 * 1024 * 1024
R = TypeVar("R", EventRow, RecordRow)


@dataclass(frozen=True, slots=True)
class BlockedRow:
    """Why row ``number`` and those after it from the same source are not sent."""

    number: int
    why: Text


class FederationOutbox:
    """Selector of the next rows. ``leave_out``: fields not sent. ``held``: rows that are not sent, and why; ``room``:
    bytes for the bodies of the next push.
    """

    def __init__(self, leave_out: Sequence[str]) -> None:
        self._leave_out = leave_out
        self.held: dict[Source, BlockedRow] = {}
        self.room = ROOM

    def next(self, connection: Connection, known: PushResponse) -> tuple[list[EventRow], list[RecordRow]]:
        """Return the rows of one push."""
        events: list[EventRow] = []
        rows: list[RecordRow] = []
        room = self.room
        for source, there, last in self.behind(connection, known):
            if room <= 0 or (more := BATCH - len(events) - len(rows)) <= 0:
                break
            last = min(last, there + more)
            first = not events and not rows
            if source == TRAIL:
                found = connection.execute(_events(there, last))
                events, room = self._fitting(map(self._event_row, found), room, first)
            else:
                found = connection.execute(_records(source, there, last))
                some, room = self._fitting(map(self._record_row, found), room, first)
                rows += some
        return events, rows

    def halve_next_push(self, push: Push, size: int, url: str) -> bool:
        """Halve the next push, because a server on the way refused this size; a single row is held. Return False if the
        push had no rows.
        """
        rows: list[EventRow | RecordRow] = [*push.events, *push.records]
        if len(rows) > 1:
            self.room = min(self.room, size) // 2
        elif rows:
            why = say("with {size} bytes it is larger than what is taken on the way to {url}", size=size, url=url)
            self.hold(rows[0], why)
        return bool(rows)

    def hold(self, row: EventRow | RecordRow, why: Text) -> None:
        match row:
            case EventRow():
                self.held[TRAIL] = BlockedRow(
                    row.number, say("entry {number} of the audit trail is not sent: {why}", number=row.number, why=why)
                )
            case RecordRow():
                sentence = say(
                    "record {seq} of table {table} is not sent: {why}", seq=row.seq, table=row.table, why=why
                )
                self.held[row.table, row.epoch] = BlockedRow(row.seq, sentence)

    def _event_row(self, row: Row[Any]) -> EventRow:
        made = EventRow(row.number, row.at, row.person, row.kind, json.loads(row.body), row.previous, row.hash)
        return reduced_entry(made, self._leave_out)

    def _record_row(self, row: Row[Any]) -> RecordRow:
        made = RecordRow(row.table_no, row.epoch, row.seq, row.type, json.loads(row.body), row.arrival)
        return reduced_record(made, self._leave_out)

    def _fitting(self, rows: Iterable[R], room: int, first: bool) -> tuple[list[R], int]:
        """Return as many rows as fit, at least one if it is the ``first`` of its push; and the bytes that are left."""
        found: list[R] = []
        for row in rows:
            try:
                size = len(msgspec.msgpack.encode(row))
            except (ValueError, OverflowError, RecursionError) as error:
                self.hold(row, say("it cannot be written ({error})", error=error))
                break
            if size > room and (found or not first):
                return found, 0
            found.append(row)
            room -= size
        return found, room

    def behind(self, connection: Connection, known: PushResponse) -> list[tuple[Source, int, int]]:
        """Return where the federation lacks rows: the last number it has, and the last that can be sent now."""
        found = []
        for source, there, last in _lasts(connection, known):
            if source == TRAIL and known.other is not None:
                continue
            if (held := self.held.get(source)) is not None:
                last = min(last, held.number - 1)
            if last > there:
                found.append((source, there, last))
        return found


def _events(after: int, last: int) -> Select[Any]:
    column = operator_events.c
    return select(operator_events).where(column.number > after, column.number <= last).order_by(column.number)


def _records(source: Source, after: int, last: int) -> Select[Any]:
    column, (table, epoch) = records.c, source
    here = column.table_no == table, column.epoch == epoch, column.seq > after, column.seq <= last
    return select(records).where(*here).order_by(column.seq)


def _lasts(connection: Connection, known: PushResponse) -> list[tuple[Source, int, int]]:
    """Return for the audit trail, and for each table and epoch, the last number that the federation has and the last in
    the store.
    """
    there = {(table, epoch): seq for table, epoch, seq in known.records}
    column = records.c
    seqs = select(column.table_no, column.epoch, func.max(column.seq)).group_by(column.table_no, column.epoch)
    last: int = connection.execute(select(func.max(operator_events.c.number))).scalar() or 0
    ours = [((table, epoch), seq) for table, epoch, seq in connection.execute(seqs)]
    return [(TRAIL, known.events, last), *((source, there.get(source, 0), seq) for source, seq in ours)]


def waiting_rows(connection: Connection, known: PushResponse) -> int:
    return sum(max(0, last - there) for _, there, last in _lasts(connection, known))


def trail_head(connection: Connection, known: PushResponse | None) -> TrailHead | None:
    column = operator_events.c
    last: int = connection.execute(select(func.max(column.number))).scalar() or 0
    if not last:
        return None
    number = min(last, known.events or last) if known else last
    hash: str = connection.execute(select(column.hash).where(column.number == number)).scalar_one()
    return TrailHead(last, number, hash)
