"""The head's store: the operator's events, the tables' records and the commands to the tables.

The law: nothing is acknowledged before its commit. Of one table and epoch only record N+1 is accepted after N, so
there is never a gap and never a double.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection, Row, func, insert, select, update
from sqlalchemy.exc import DatabaseError

from kiosk.head.acting import acting
from kiosk.head.errors import StoreError
from kiosk.head.store import schema
from kiosk.head.store.chain import OperatorEvent, canonical, link, verify
from kiosk.head.store.writer import Writer


class TableRecord(Protocol):
    """A record as it comes from the link (``kiosk.link.messages.Record``)."""

    @property
    def seq(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def body(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A committed record. ``arrival`` counts all records of the hall in the order of their commits."""

    arrival: int
    table: int
    epoch: str
    seq: int
    type: str
    body: dict[str, Any]


class CommandStatus(StrEnum):
    """``sent`` until the table has answered."""

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
    reason: str = ""
    at: str = ""


def wall_clock() -> str:
    """The date and time for people to read."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Store:
    """One head's store in ``directory``. Writing methods return futures that are done after the commit."""

    def __init__(self, directory: Path) -> None:
        """:raises StoreError: another head uses it, it is damaged, or it belongs to a newer version."""
        directory.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(directory)
        self._engine = schema.open_engine(directory / "head.sqlite")
        try:
            schema.create(self._engine)
            self._check_version()
            verify(self.operator_events())
        except (DatabaseError, StoreError) as error:
            self._engine.dispose()
            self._lock.close()
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"{directory}/head.sqlite cannot be used ({error.__cause__}); restore a backup") from error
        self.writer = Writer(self._engine)

    def close(self) -> None:
        """Commits what is queued and lets go of the files."""
        self.writer.close()
        self._engine.dispose()
        self._lock.close()

    # operator events and commands

    def append(
        self, kind: str, body: dict[str, Any], orders: Sequence[CommandRow] = (), at: str = ""
    ) -> Future[OperatorEvent]:
        """Adds one operator event and the commands that follow from it, both or neither."""
        body = json.loads(canonical(body))  # what a later start will read, and nothing else
        person = acting()

        def job(connection: Connection) -> OperatorEvent:
            column = schema.operator_events.c
            last = connection.execute(select(schema.operator_events).order_by(column.number.desc()).limit(1)).first()
            event = link(_to_event(last) if last else None, at or wall_clock(), kind, body, person)
            connection.execute(insert(schema.operator_events), _event_row(event))
            if orders:
                connection.execute(insert(schema.commands), [_command_row(order, event.at) for order in orders])
            return event

        return self.writer.submit(job)

    def operator_events(self) -> list[OperatorEvent]:
        """The whole audit trail."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(schema.operator_events).order_by(schema.operator_events.c.number))
            return [_to_event(row) for row in rows]

    def command(self, order: CommandRow) -> Future[None]:
        """Queues a command for its table."""

        def job(connection: Connection) -> None:
            connection.execute(insert(schema.commands), _command_row(order, wall_clock()))

        return self.writer.submit(job)

    def commands(
        self,
        table: int | None = None,
        *,
        game: str | None = None,
        status: CommandStatus | None = None,
        limit: int | None = None,
    ) -> list[CommandRow]:
        """Commands in the order they were given; with ``limit`` the last ones."""
        column = schema.commands.c
        query = select(schema.commands).order_by(column.number.desc())
        if table is not None:
            query = query.where(column.table_no == table)
        if game is not None:
            query = query.where(column.game == game)
        if status is not None:
            query = query.where(column.status == status)
        with self._engine.connect() as connection:
            return [_to_command(row) for row in connection.execute(query.limit(limit))][::-1]

    # records of the tables

    def commit_records(
        self, table: int, epoch: str, records: Sequence[TableRecord]
    ) -> Future[tuple[int, list[StoredRecord]]]:
        """Commits those records that continue what is there; gives the last seq committed and what was new."""

        def job(connection: Connection) -> tuple[int, list[StoredRecord]]:
            have = _have(connection, table, epoch)
            arrival: int = connection.execute(select(func.coalesce(func.max(schema.records.c.arrival), 0))).scalar_one()
            new: list[StoredRecord] = []
            for record in records:
                if record.seq != have + 1:
                    continue
                have, arrival = record.seq, arrival + 1
                new.append(StoredRecord(arrival, table, epoch, record.seq, record.type, record.body))
            if new:
                connection.execute(insert(schema.records), [_record_row(record) for record in new])
            for record in new:
                if record.type == "command":
                    _answer(connection, table, record.body)
            return have, new

        return self.writer.submit(job)

    def have(self, table: int, epoch: str) -> int:
        """The last committed seq of a table's journal; 0 if there is none."""
        with self._engine.connect() as connection:
            return _have(connection, table, epoch)

    def records(self, *, table: int | None = None, type: str | None = None) -> Iterator[StoredRecord]:
        """Committed records in the order of their arrival."""
        query = select(schema.records).order_by(schema.records.c.arrival)
        if table is not None:
            query = query.where(schema.records.c.table_no == table)
        if type is not None:
            query = query.where(schema.records.c.type == type)
        with self._engine.connect() as connection:
            for row in connection.execute(query):
                yield _to_record(row)

    def present_game(self, table: int) -> Iterator[StoredRecord]:
        """A table's records from its last assignment on, in the order of their arrival."""
        column = schema.records.c
        last = select(func.max(column.arrival)).where(column.table_no == table, column.type == "assigned")
        query = select(schema.records).where(column.table_no == table, column.arrival >= last.scalar_subquery())
        with self._engine.connect() as connection:
            for row in connection.execute(query.order_by(column.arrival)):
                yield _to_record(row)

    def pragmas(self) -> tuple[str, int]:
        """The journal mode and the synchronous setting (2 = FULL) of a connection of this store."""
        with self._engine.connect() as connection:
            mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar_one()
            return mode, connection.exec_driver_sql("PRAGMA synchronous").scalar_one()

    def _check_version(self) -> None:
        with self._engine.begin() as connection:
            version = connection.execute(select(schema.meta.c.value).where(schema.meta.c.key == "version")).scalar()
            if version is None:
                connection.execute(insert(schema.meta), {"key": "version", "value": str(schema.VERSION)})
            elif version != str(schema.VERSION):
                raise StoreError(
                    f"the store was written by another version of the head (store version {version}, "
                    f"this head knows {schema.VERSION}); start that version, or name an empty data directory"
                )


def _lock(directory: Path) -> Any:
    """Two heads on one store would break the audit trail."""
    file = (directory / "head.lock").open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise StoreError(f"{directory} is in use by another head; stop it, or name another data directory") from error
    return file


def _have(connection: Connection, table: int, epoch: str) -> int:
    column = schema.records.c
    query = select(func.max(column.seq)).where(column.table_no == table, column.epoch == epoch)
    return connection.execute(query).scalar() or 0


def _answer(connection: Connection, table: int, body: dict[str, Any]) -> None:
    """Notes a table's answer to a command. Its first answer stands; one to an unknown command changes nothing."""
    if body.get("status") not in (CommandStatus.APPLIED, CommandStatus.REFUSED, CommandStatus.EXPIRED):
        return
    column = schema.commands.c
    connection.execute(
        update(schema.commands)
        .where(column.id == str(body.get("id")), column.table_no == table, column.status == CommandStatus.SENT)
        .values(status=body["status"], reason=str(body.get("reason") or ""))
    )


def _to_event(row: Row[Any]) -> OperatorEvent:
    return OperatorEvent(row.number, row.at, row.kind, json.loads(row.body), row.previous, row.hash, row.person)


def _event_row(event: OperatorEvent) -> dict[str, Any]:
    return {
        "number": event.number,
        "at": event.at,
        "person": event.person,
        "kind": event.kind,
        "body": canonical(event.body),
        "previous": event.previous,
        "hash": event.hash,
    }


def _to_record(row: Row[Any]) -> StoredRecord:
    return StoredRecord(row.arrival, row.table_no, row.epoch, row.seq, row.type, json.loads(row.body))


def _record_row(record: StoredRecord) -> dict[str, Any]:
    return {
        "arrival": record.arrival,
        "table_no": record.table,
        "epoch": record.epoch,
        "seq": record.seq,
        "type": record.type,
        "body": json.dumps(record.body, ensure_ascii=False),
    }


def _command_row(order: CommandRow, at: str) -> dict[str, Any]:
    return {
        "id": order.id,
        "table_no": order.table,
        "game": order.game,
        "kind": order.kind,
        "revision": order.revision,
        "expires_s": order.expires_s,
        "body": json.dumps(order.body or {}, ensure_ascii=False),
        "status": order.status,
        "reason": order.reason,
        "at": at,
    }


def _to_command(row: Row[Any]) -> CommandRow:
    return CommandRow(
        row.id,
        row.table_no,
        row.kind,
        row.game,
        row.revision,
        row.expires_s,
        json.loads(row.body),
        CommandStatus(row.status),
        row.reason,
        row.at,
    )
