"""The store's tables, in SQLite and in PostgreSQL.

Operator events and records are append-only; triggers in the database enforce it.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

import msgspec
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Row,
    String,
    Table,
    UniqueConstraint,
    bindparam,
    create_engine,
    event,
    func,
    insert,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy import (
    Text as SqlText,
)
from sqlalchemy.exc import ArgumentError

from engine.copy_with_changes import replace
from engine.i18n import Text, raised_as, say
from kiosk import platform_compat
from kiosk.errors import MissingExtraError, require_extra
from kiosk.head.errors import StoreError
from kiosk.head.store.hash_chain import OperatorEvent, append_link, canonical
from kiosk.json_validation import warm_up
from kiosk.link.link_messages import SET_ASIDE

VERSION = 2

metadata = MetaData()

operator_events = Table(
    "operator_events",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", String, nullable=False),
    Column("person", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("body", SqlText, nullable=False),  # canonical JSON
    Column("previous", String, nullable=False),
    Column("hash", String, nullable=False),
)

records = Table(
    "records",
    metadata,
    Column("arrival", Integer, primary_key=True, autoincrement=False),
    Column("table_no", Integer, nullable=False),
    Column("epoch", String, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("type", String, nullable=False, index=True),
    Column("body", SqlText, nullable=False),  # JSON
    UniqueConstraint("table_no", "epoch", "seq"),
)

commands = Table(
    "commands",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("table_no", Integer, nullable=False, index=True),
    Column("game", String, index=True),
    Column("kind", String, nullable=False),
    Column("revision", Integer),
    Column("expires_s", Integer),
    Column("body", SqlText, nullable=False),  # JSON
    Column("status", String, nullable=False),
    Column("reason", SqlText, nullable=False, default=""),
    Column("at", String, nullable=False),
)

#: the venues' rows, at a federation's head
venue_events = Table(
    "venue_events",
    metadata,
    Column("venue", String, primary_key=True),
    Column("trail", String, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", String, nullable=False),
    Column("person", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("body", SqlText, nullable=False),  # canonical JSON
    Column("previous", String, nullable=False),
    Column("hash", String, nullable=False),
)

venue_records = Table(
    "venue_records",
    metadata,
    Column("venue", String, primary_key=True),
    Column("table_no", Integer, primary_key=True, autoincrement=False),
    Column("epoch", String, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("type", String, nullable=False),
    Column("body", SqlText, nullable=False),  # canonical JSON
    Column("arrival", Integer, nullable=False),
)

APPEND_ONLY = ("operator_events", "records", "venue_events", "venue_records")

#: ``version``: of this schema; ``trail``: the id of this life of the store, new after every restore
meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", String, nullable=False))

_SQLITE = """
CREATE TRIGGER IF NOT EXISTS {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""

_POSTGRESQL_REFUSE = """
CREATE OR REPLACE FUNCTION kiosk_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME; END $$
"""

_POSTGRESQL = """
CREATE OR REPLACE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION kiosk_append_only()
"""


def create(engine: Engine) -> None:
    """Create missing tables."""
    metadata.create_all(engine)
    with engine.begin() as connection:
        create_append_only_triggers(connection)


def create_append_only_triggers(connection: Connection) -> None:
    """Create the triggers that make tables append-only."""
    on_server = connection.dialect.name == "postgresql"
    if on_server:
        connection.exec_driver_sql(_POSTGRESQL_REFUSE)
    for table in APPEND_ONLY:
        for verb in ("update", "delete", *(("truncate",) if on_server else ())):
            connection.exec_driver_sql((_POSTGRESQL if on_server else _SQLITE).format(table=table, verb=verb))


def new_trail(after: int = 0) -> str:
    """Return a new id. ``after``: the last operator event of the previous life, 0 in a new store."""
    return f"{secrets.token_hex(8)}-{after}"


def last_event_before_restore(trail: str) -> int | None:
    """Return the last operator event of the previous life; None: the id was made by an older head."""
    _, _, after = trail.partition("-")
    return int(after) if after.isdecimal() else None


# Location of a store, and the connections to it.
#
# - Only its owner can read a store's files, however the head was started.
# - Every connection is durable. SQLite: write-ahead log and synchronous=FULL (NORMAL loses acknowledged commits on a
#   power cut). PostgreSQL: synchronous_commit on; a server with fsync off is refused.

#: the store's file in a data directory
STORE_FILE = "head.sqlite"

#: "othello", the number of a head's advisory lock in its PostgreSQL database
_LOCK = 0x6F7468656C6C6F


@dataclass(frozen=True, slots=True)
class StoreLocation:
    """A head's data directory, and the address of its PostgreSQL database if the store is in one."""

    directory: Path
    url: str = ""

    def __str__(self) -> str:
        """Return it for display, without a password."""
        if not self.url:
            return str(self.directory / STORE_FILE)
        address = make_url(self.url)
        return f"the PostgreSQL database {address.database or '(of the user)'}"

    @property
    def mark(self) -> Path:
        """Return the file of the high-water mark; each database of a server has its own."""
        if not self.url:
            return mark_of(self.directory / STORE_FILE)
        address = make_url(self.url).set(password=None).render_as_string()
        return self.directory / f"postgresql-{hashlib.sha256(address.encode()).hexdigest()[:8]}.mark"

    def engine(self) -> Engine:
        """Open the store's database.

        :raises StoreError: the address is invalid.
        """
        return open_server(self.url) if self.url else open_engine(self.directory / STORE_FILE)


def mark_of(store: Path) -> Path:
    """Return the file of the high-water mark of an SQLite store."""
    return store.with_name(f"{store.name}.mark")


def open_engine(path: Path) -> Engine:
    """Return an engine on the SQLite file ``path``; it and its auxiliary files are readable by their owner only.

    :raises StoreError: the file cannot be created.
    """
    with raised_as(StoreError, say("{path} cannot be used ({why}); check the disk of the head", path=path), OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | platform_compat.NO_LINK, 0o600))
        for file in (path, *(path.with_name(f"{path.name}-{one}") for one in ("wal", "shm", "journal"))):
            if file.exists() and not file.is_symlink():
                file.chmod(0o600)
    engine = create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _make_durable)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


def open_server(url: str) -> Engine:
    """Return an engine on a PostgreSQL database.

    :raises StoreError: the address is invalid, or the extra ``postgres`` is not installed.
    """
    try:
        address = make_url(url)
    except ArgumentError:
        address = None
    if address is None or address.get_backend_name() != "postgresql":
        raise StoreError(
            say("store is not the address of a database; write postgresql://USER@HOST/DATABASE, or leave it out")
        )
    try:
        require_extra("postgres")
    except MissingExtraError as error:
        raise StoreError(error.text) from None
    return create_engine(
        address.set(drivername="postgresql+psycopg"),
        pool_pre_ping=True,
        connect_args={"options": "-c synchronous_commit=on", "application_name": "othello-head"},
    )


def claim_writer(connection: Connection) -> None:
    """Make this connection the only writer until it is closed.

    :raises StoreError: another head writes to this database, or the server may lose what it has committed.
    """
    if connection.dialect.name != "postgresql":
        return  # ``lock_directory`` excludes others
    if connection.execute(text("SHOW fsync")).scalar_one() != "on":
        raise StoreError(
            say("the PostgreSQL server runs with fsync off and may lose results; set fsync = on and restart it")
        )
    if not connection.execute(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": _LOCK}).scalar_one():
        raise StoreError(say("the PostgreSQL database is in use by another head; stop it, or name another database"))
    connection.commit()


def lock_directory(directory: Path) -> TextIO:
    """Lock the data directory for one head; two would break the audit trail.

    :raises StoreError: a head holds the lock.
    """
    # links are not followed, because the head may run as root in a folder that somebody else prepared
    file = os.fdopen(os.open(directory / "head.lock", os.O_WRONLY | os.O_CREAT | platform_compat.NO_LINK, 0o600), "a")
    try:
        platform_compat.lock(file.fileno())
    except OSError as error:
        file.close()
        raise StoreError(
            say("{directory} is in use by another head; stop it, or name another data directory", directory=directory)
        ) from error
    return file


def _make_durable(raw: Any, _record: object) -> None:
    raw.isolation_level = None  # transactions are opened by SQLAlchemy's BEGIN, not by the driver
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000"):
        raw.execute(f"PRAGMA {pragma}")


# The store's rows as values, with functions that read and write them.
#
# All functions work in the caller's transaction; ``Store`` decides about commits.

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
    last = to_event(row) if row else None
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


def to_event(row: Row[Any]) -> OperatorEvent:
    return OperatorEvent(row.number, row.at, row.kind, json.loads(row.body), row.previous, row.hash, row.person)


def event_row(event: OperatorEvent) -> dict[str, Any]:
    return {
        "number": event.number,
        "at": event.at,
        "person": event.person,
        "kind": event.kind,
        "body": canonical(event.body),
        "previous": event.previous,
        "hash": event.hash,
    }


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
    return {
        "arrival": record.arrival,
        "table_no": record.table,
        "epoch": record.epoch,
        "seq": record.seq,
        "type": record.type,
        "body": json.dumps(record.body, ensure_ascii=False),
    }


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
    return {
        "id": order.id,
        "table_no": order.table,
        "game": order.game,
        "kind": order.kind,
        "revision": order.revision,
        "expires_s": order.expires_s,
        "body": json.dumps(order.body or {}, ensure_ascii=False),
        "status": order.status,
        "reason": _reason_text(order.reason),
        "at": at,
    }


def to_command(row: Row[Any]) -> CommandRow:
    return CommandRow(
        row.id,
        row.table_no,
        row.kind,
        row.game,
        row.revision,
        row.expires_s,
        json.loads(row.body),
        CommandStatus(row.status),
        _reason_of(row.reason),
        row.at,
    )
