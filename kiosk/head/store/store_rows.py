"""The store's rows as values, with functions that read and write them.

All functions work in the caller's transaction; ``Store`` decides about commits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, cast

import msgspec
from sqlalchemy import Connection, Row, Table, bindparam, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from engine.copy_with_changes import replace
from engine.i18n import Text
from kiosk.head.store.hash_chain import OperatorEvent, append_link, canonical
from kiosk.head.store.store_schema import commands, operator_events, records
from kiosk.json_validation import warm_up
from kiosk.link.link_messages import SET_ASIDE, RecordType, TableRecord

#: the operator event that sets a record aside
RECORD_SET_ASIDE = "record-set-aside"
#: the event after which a store's life has another name (``Store.begin_life``)
LIFE_BEGUN = "venue-life-begun"
#: the event that says which rows the store has lost
ROWS_MISSING = "rows-missing"


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A committed record. ``arrival`` numbers all tables' records in the order of their commits."""

    arrival: int
    table: int
    epoch: str
    seq: int
    type: str
    body: dict[str, Any]

    def as_sent(self) -> TableRecord:
        return TableRecord(self.seq, cast(RecordType, self.type), self.body)


class CommandStatus(StrEnum):
    """Status of a command; ``sent`` until the table has answered."""

    SENT = "sent"
    APPLIED = "applied"
    REFUSED = "refused"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class CommandRow:
    """A command to a table; it stays in the store with the table's answer."""

    id: str
    table: int
    kind: str
    game: str | None = None
    revision: int | None = None
    expires_s: int | None = None
    body: dict[str, Any] | None = None
    status: CommandStatus = CommandStatus.SENT
    reason: Text | str = ""
    at: str = ""


def begin_transaction(connection: Connection) -> None:
    """Begin a transaction of an SQLite connection whose driver begins none by itself."""
    connection.exec_driver_sql("BEGIN")


def wall_clock() -> str:
    """Return the date and time for people to read."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def read_events(connection: Connection, after: int = 0) -> Iterator[OperatorEvent]:
    """Yield the audit trail as stored. A manipulated body yields an event that does not fit the chain."""
    number = operator_events.c.number
    for row in connection.execute(select(operator_events).where(number > after).order_by(number)):
        try:
            body = json.loads(row.body)
            as_written = isinstance(body, dict) and canonical(body) == row.body
        except (ValueError, TypeError, RecursionError):
            body, as_written = {}, False
        hash = row.hash if as_written else ""
        yield OperatorEvent(row.number, row.at, row.kind, body, row.previous, hash, row.person)


def add_events(
    connection: Connection, at: str, person: str, new_events: Sequence[tuple[str, dict[str, Any]]]
) -> list[OperatorEvent]:
    if not new_events:
        return []
    column = operator_events.c
    row = connection.execute(select(operator_events).order_by(column.number.desc()).limit(1)).first()
    last = OperatorEvent(row.number, row.at, row.kind, {}, row.previous, row.hash, row.person) if row else None
    events: list[OperatorEvent] = []
    for kind, body in new_events:
        last = append_link(last, at, kind, body, person)
        events.append(last)
    connection.execute(insert(operator_events), [event_row(event) for event in events])
    return events


def add_commands(connection: Connection, at: str, orders: Sequence[CommandRow]) -> list[CommandRow]:
    """Add commands; return them as a later start will read them. Equal bodies are shared."""
    rows = [command_row(order, at) for order in orders]
    if rows:
        connection.execute(insert(commands), rows)
    bodies = {text: json.loads(text) for text in {row["body"] for row in rows}}
    return [replace(order, at=at, body=bodies[row["body"]]) for order, row in zip(orders, rows, strict=True)]


_LAST_SEQ = select(func.max(records.c.seq)).where(
    records.c.table_no == bindparam("table"), records.c.epoch == bindparam("epoch")
)
_LAST_ARRIVAL = select(func.max(records.c.arrival))
_LAST = select(_LAST_SEQ.scalar_subquery(), _LAST_ARRIVAL.scalar_subquery())


def last_seq(connection: Connection, table: int, epoch: str) -> int:
    return connection.execute(_LAST_SEQ, {"table": table, "epoch": epoch}).scalar() or 0


def last_seq_and_arrival(connection: Connection, table: int, epoch: str) -> tuple[int, int]:
    seq, arrival = connection.execute(_LAST, {"table": table, "epoch": epoch}).one()
    return seq or 0, arrival or 0


def last_arrival(connection: Connection) -> int:
    return connection.execute(_LAST_ARRIVAL).scalar() or 0


def add_answer(connection: Connection, table: int, body: dict[str, Any]) -> bool:
    """Note a table's answer to a command; return whether it is a new answer. Only the first answer to a command counts;
    one to an unknown command changes nothing.
    """
    if body.get("status") not in (CommandStatus.APPLIED, CommandStatus.REFUSED, CommandStatus.EXPIRED):
        return False
    column = commands.c
    connection.execute(
        update(commands)
        .where(column.id == str(body.get("id")), column.table_no == table, column.status == CommandStatus.SENT)
        .values(status=body["status"], reason=_reason_text(body.get("reason")))
    )
    return True


def event_row(event: OperatorEvent) -> dict[str, Any]:
    return _as_row(event, body=canonical(event.body))


def _as_row(value: OperatorEvent | StoredRecord | CommandRow, **stored: object) -> dict[str, Any]:
    """Return the fields of a value by column. ``stored``: those that the columns hold in another form."""
    fields = {name: getattr(value, name) for name in value.__slots__} | stored
    return {"table_no" if name == "table" else name: field for name, field in fields.items()}


#: identifies a record: table, epoch, seq
RecordPlace = tuple[int, str, int]


def quarantined_records(events: Iterable[OperatorEvent]) -> dict[RecordPlace, str]:
    """Return the records that were set aside with ``kiosk audit set-aside``, and why. Invalid events, as in another
    installation's backup, are skipped.
    """
    found = {}
    for body in (one.body for one in events if one.kind == RECORD_SET_ASIDE):
        match body:
            case {"table": int(table), "epoch": str(epoch), "seq": int(seq), "reason": str(reason)}:
                found[table, epoch, seq] = reason
    return found


def to_record(row: Row[Any], withheld: Mapping[RecordPlace, str]) -> StoredRecord:
    """Return a record as it is folded: if it was set aside or cannot be parsed, its body says so."""
    type, why = row.type, withheld.get((row.table_no, row.epoch, row.seq))
    body: dict[str, Any] = {}
    try:
        body = json.loads(row.body)
    except (ValueError, RecursionError) as error:  # stored unchecked by an older head
        why = why or str(error)
    if why is not None:
        type, body = SET_ASIDE, {"type": row.type, "why": why}
    return StoredRecord(row.arrival, row.table_no, row.epoch, row.seq, type, body)


def read_records(
    connection: Connection, types: Sequence[str], withheld: Mapping[RecordPlace, str]
) -> Iterator[StoredRecord]:
    """Yield the records of these types in the order of their arrival."""
    column = records.c
    query = select(records).where(column.type.in_(types)).order_by(column.arrival)
    return (to_record(row, withheld) for row in connection.execute(query))


def record_row(record: StoredRecord) -> dict[str, Any]:
    return _as_row(record, body=json.dumps(record.body, ensure_ascii=False))


def _reason_text(reason: object) -> str:
    """Return a table's answer as the column stores it: a text as JSON; an older table's English text unchanged."""
    if isinstance(reason, str | None):
        return reason or ""
    return msgspec.json.encode(reason).decode()


def _reason_of(text: str) -> Text | str:
    try:
        return msgspec.json.decode(text, type=warm_up(Text))
    except msgspec.MsgspecError:
        return text


def command_row(order: CommandRow, at: str) -> dict[str, Any]:
    body = json.dumps(order.body or {}, ensure_ascii=False)
    return _as_row(order, body=body, reason=_reason_text(order.reason), at=at)


def to_command(row: Row[Any]) -> CommandRow:
    order = row.id, row.table_no, row.kind, row.game, row.revision, row.expires_s, json.loads(row.body)
    return CommandRow(*order, CommandStatus(row.status), _reason_of(row.reason), row.at)


def storable_text(text: str) -> str:
    """Return text in a form that a database can hold; venues may send invalid characters."""
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()


def upsert_rows(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows, or replace those with the same key."""
    if not rows:
        return
    statement = _insert(connection, table)
    values = {column.name: statement.excluded[column.name] for column in table.c if not column.primary_key}
    key = [column.name for column in table.primary_key]
    connection.execute(statement.on_conflict_do_update(index_elements=key, set_=values), rows)


def insert_missing_rows(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows whose key does not exist yet."""
    if rows:
        connection.execute(_insert(connection, table).on_conflict_do_nothing(), rows)


def _insert(connection: Connection, table: Table) -> Any:
    """Return the database's own INSERT statement, which can say what to do about an existing key."""
    dialect: Any = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table)
