"""The head's store: the operator's events, the tables' records and the commands to the tables.

The law: nothing is acknowledged before its commit. Of one table and epoch only record N+1 is accepted after N, so
there is never a gap and never a double.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, Row, func, insert, select, update
from sqlalchemy.exc import DatabaseError

from kiosk.head.acting import acting
from kiosk.head.errors import StoreError
from kiosk.head.store import schema
from kiosk.head.store.chain import OperatorEvent, canonical, link, verify
from kiosk.head.store.place import Place, claim, durability, lock_directory
from kiosk.head.store.waiting import Waiting
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
    """One head's store. Writing methods return futures that are done after the commit."""

    def __init__(self, directory: Path, url: str = "") -> None:
        """``directory``: the head's data directory; ``url``: of a PostgreSQL database that holds the store instead.

        :raises StoreError: another head uses it, it is damaged, or it belongs to another version.
        """
        directory.mkdir(parents=True, exist_ok=True)
        self.place = Place(directory, url)
        with ExitStack() as undo:
            undo.callback(lock_directory(directory).close)
            undo.callback((engine := self.place.engine()).dispose)
            try:
                writing = engine.connect()
                undo.callback(writing.close)
                claim(writing)
                schema.create(engine)
                self.trail = _prepare(engine)
                self._engine = engine
                verify(self.operator_events())
            except DatabaseError as error:
                raise StoreError(f"{self.place} cannot be used ({_cause(error)}); {self._advice()}") from error
            self._undo = undo.pop_all()
        self.writer = Writer(engine, writing)
        self._waiting = Waiting(lambda table: tuple(self.commands(table, status=CommandStatus.SENT)))

    def close(self) -> None:
        """Commits what is queued and lets go of the files."""
        self.writer.close()
        self._undo.close()

    def _advice(self) -> str:
        return "see that the server runs and lets this user in" if self.place.url else "restore a backup"

    # operator events and commands

    def append(
        self, kind: str, body: dict[str, Any], orders: Sequence[CommandRow] = (), at: str = ""
    ) -> Future[OperatorEvent]:
        """Adds one operator event and the commands that follow from it, both or neither."""
        body = json.loads(canonical(body))  # what a later start will read, and nothing else
        person = acting()

        def job(connection: Connection) -> OperatorEvent:
            (event,) = _add_events(connection, at or wall_clock(), person, [(kind, body)])
            given.extend(_add_commands(connection, event.at, orders))
            return event

        given: list[CommandRow] = []
        return self.writer.submit(job, lambda committed: self._note_given(committed, given))

    def operator_events(self, *, after: int = 0) -> list[OperatorEvent]:
        """The audit trail from the entry that follows ``after``."""
        with self._engine.connect() as connection:
            return list(read_events(connection, after))

    def command(self, order: CommandRow) -> Future[None]:
        """Queues a command for its table. The audit trail tells what an arbiter ordered."""
        return self.give([order])

    def give(self, orders: Sequence[CommandRow]) -> Future[None]:
        """Queues commands for their tables, all or none."""
        person = acting()

        def job(connection: Connection) -> None:
            at = wall_clock()
            given.extend(_add_commands(connection, at, orders))
            told = [
                ("order-given", {"id": o.id, "table": o.table, "game": o.game, "order": o.kind, "body": o.body or {}})
                for o in orders
                if o.kind not in ("assign", "withdraw")  # these follow from events that are in the trail
            ]
            _add_events(connection, at, person, told)

        given: list[CommandRow] = []
        return self.writer.submit(job, lambda committed: self._note_given(committed, given))

    def _note_given(self, committed: bool, orders: Sequence[CommandRow]) -> None:
        if committed:
            self._waiting.given(orders)
        else:
            self._waiting.forget()

    def waiting(self, table: int) -> tuple[CommandRow, ...]:
        """The commands that the table has not answered, in the order they were given. Mostly from memory."""
        return self._waiting.of(table)

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
                if record.type == "command" and _answer(connection, table, record.body):
                    answered.add(str(record.body.get("id")))
            return have, new

        def then(committed: bool) -> None:
            if not committed:
                self._waiting.forget()
            elif answered:
                self._waiting.answered(table, frozenset(answered))

        answered: set[str] = set()
        return self.writer.submit(job, then)

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

    def reading(self) -> Connection:
        """A connection for reading, to be closed."""
        return self._engine.connect()

    def durability(self) -> tuple[str, str]:
        """What the database says of its safety (``place.durability``)."""
        with self._engine.connect() as connection:
            return durability(connection)


def _prepare(engine: Engine) -> str:
    """Sees that the store is of this version, and gives the name of its present life."""
    with engine.begin() as connection:
        known: dict[str, str] = {row.key: row.value for row in connection.execute(select(schema.meta))}
        version = known.setdefault("version", str(schema.VERSION))
        if version != str(schema.VERSION):
            raise StoreError(
                f"the store was written by another version of the head (store version {version}, "
                f"this head knows {schema.VERSION}); start that version, or name an empty data directory"
            )
        if "trail" not in known:
            known["trail"] = schema.new_trail()
            connection.execute(insert(schema.meta), [{"key": key, "value": known[key]} for key in ("version", "trail")])
        return known["trail"]


def read_events(connection: Connection, after: int = 0) -> Iterator[OperatorEvent]:
    """The audit trail as it stands. A body that was rewritten makes an event that fits nowhere."""
    number = schema.operator_events.c.number
    for row in connection.execute(select(schema.operator_events).where(number > after).order_by(number)):
        try:
            body = json.loads(row.body)
            as_written = isinstance(body, dict) and canonical(body) == row.body
        except (ValueError, TypeError):
            body, as_written = {}, False
        hash = row.hash if as_written else ""
        yield OperatorEvent(row.number, row.at, row.kind, body, row.previous, hash, row.person)


def _add_events(
    connection: Connection, at: str, person: str, told: Sequence[tuple[str, dict[str, Any]]]
) -> list[OperatorEvent]:
    if not told:
        return []
    column = schema.operator_events.c
    row = connection.execute(select(schema.operator_events).order_by(column.number.desc()).limit(1)).first()
    last = _to_event(row) if row else None
    events: list[OperatorEvent] = []
    for kind, body in told:
        last = link(last, at, kind, body, person)
        events.append(last)
    connection.execute(insert(schema.operator_events), [_event_row(event) for event in events])
    return events


def _add_commands(connection: Connection, at: str, orders: Sequence[CommandRow]) -> list[CommandRow]:
    """Gives them as a later start will read them."""
    if orders:
        connection.execute(insert(schema.commands), [_command_row(order, at) for order in orders])
    return [replace(order, at=at, body=json.loads(json.dumps(order.body or {}))) for order in orders]


def _cause(error: DatabaseError) -> str:
    return " ".join(str(error.orig).split())


def _have(connection: Connection, table: int, epoch: str) -> int:
    column = schema.records.c
    query = select(func.max(column.seq)).where(column.table_no == table, column.epoch == epoch)
    return connection.execute(query).scalar() or 0


def _answer(connection: Connection, table: int, body: dict[str, Any]) -> bool:
    """Notes a table's answer to a command, and gives whether it is one. A command's first answer stands; one to an
    unknown command changes nothing."""
    if body.get("status") not in (CommandStatus.APPLIED, CommandStatus.REFUSED, CommandStatus.EXPIRED):
        return False
    column = schema.commands.c
    connection.execute(
        update(schema.commands)
        .where(column.id == str(body.get("id")), column.table_no == table, column.status == CommandStatus.SENT)
        .values(status=body["status"], reason=str(body.get("reason") or ""))
    )
    return True


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
