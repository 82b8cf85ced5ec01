"""The head's store: operator events, the tables' records and the commands to the tables.

Nothing is acknowledged before its commit. In each epoch of a table only record N+1 is accepted after N, so there is
never a gap or a duplicate.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Connection, Engine, func, insert, select, update
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from engine.i18n import say
from kiosk.head.current_user import acting
from kiosk.head.errors import StoreError
from kiosk.head.store import store_rows, store_schema
from kiosk.head.store.hash_chain import OperatorEvent, as_stored, verify
from kiosk.head.store.high_water_mark import HighWaterMark, MissingRows, missing_rows, read_mark
from kiosk.head.store.store_backup_check_and_restore import extent
from kiosk.head.store.store_connections_and_locks import StoreLocation, claim_writer, lock_directory
from kiosk.head.store.store_rows import CommandRow, CommandStatus, StoredRecord
from kiosk.head.store.store_writer import StoreWriter
from kiosk.link.link_messages import TableRecord

log = logging.getLogger(__name__)

T = TypeVar("T")
#: the kind and the body of an entry of the audit trail
_Entry: TypeAlias = tuple[str, dict[str, Any]]


class Store:
    """One head's store. Writing methods return futures that are done after the commit."""

    def __init__(
        self,
        directory: Path,
        url: str = "",
        writer: Callable[[Engine, Connection], StoreWriter] = StoreWriter,
        wall_clock: Callable[[], str] = store_rows.wall_clock,
    ) -> None:
        """``directory``: the head's data directory; ``url``: of a PostgreSQL database that contains the store instead.

        :raises StoreError: another head uses it, it is damaged, or it belongs to another version.
        """
        directory.mkdir(parents=True, exist_ok=True)
        self.wall_clock = wall_clock
        self.place = StoreLocation(directory, url)
        with ExitStack() as undo:
            undo.callback(lock_directory(directory).close)
            undo.callback((engine := self.place.engine()).dispose)
            before = read_mark(self.place.mark)
            try:
                writing = engine.connect()
                undo.callback(writing.close)
                claim_writer(writing)
                store_schema.create(engine)
                self.trail = _prepare(engine)
                self.restored_after = store_schema.last_event_before_restore(self.trail)
                self._engine = engine
                with engine.connect() as connection:
                    events = list(store_rows.read_events(connection, 0))
                    lost = missing_rows(before, connection)
                    mark = HighWaterMark(self.place.mark, extent(connection))
                undo.callback(mark.close)
                verify(events)
                self._withheld = store_rows.quarantined_records(events)
            except DatabaseError as error:
                server = say("see that the server runs and lets this user in")
                text = say("{place} cannot be used ({cause}); {advice}", cause=" ".join(str(error.orig).split()))
                advice = server if self.place.url else say("restore a backup")
                raise StoreError(text(place=self.place, advice=advice)) from error
            self._undo = undo.pop_all()
        self._mark, self._lost = mark, lost
        self.writer = writer(engine, writing)
        self.writer.checkpoint_due = True
        #: the commands that their tables have not answered
        self.pending = PendingCommandCache(lambda: self.commands(status=CommandStatus.SENT))
        if lost:
            self._note_lost(lost, events)
        else:
            mark.write_anew()

    def close(self) -> None:
        """Commit what is queued and release the files."""
        self.writer.close()
        self._undo.close()

    def _note_lost(self, lost: MissingRows, events: Sequence[OperatorEvent]) -> None:
        """Note in the audit trail what this store has lost, once. If its trail is shorter than it was, a new life
        begins, because the numbers of the lost entries are given again.
        """
        log.warning("%s: %s", self.place, " ".join(map(str, lost.sentences())))
        rows = [
            row for event in events if event.kind == store_rows.ROWS_MISSING for row in event.body.get("records", ())
        ]
        if lost.events is not None:
            self.begin_life("the end of the audit trail was lost", [(store_rows.ROWS_MISSING, lost.as_json())])
        elif any(row not in rows for row in lost.as_json()["records"]):
            self.append(store_rows.ROWS_MISSING, lost.as_json()).result()

    def missing_tables(self) -> list[int]:
        """Return the tables whose records this store has lost and not received again."""
        if not self._lost.records:
            return []
        with self.reading() as connection:
            rows = self._lost.records.items()
            return sorted({row[0] for row, (_, last) in rows if store_rows.last_seq(connection, *row) < last})

    # operator events and commands

    def append(
        self, kind: str, body: dict[str, Any], orders: Sequence[CommandRow] = (), at: str = ""
    ) -> Future[OperatorEvent]:
        """Add one operator event and the commands that follow from it, both or neither."""
        return self._append([(kind, body)], orders, lambda connection, added: added[0], at)

    def append_all(
        self, entries: Sequence[_Entry], orders: Sequence[CommandRow] = (), at: str = ""
    ) -> Future[Sequence[OperatorEvent]]:
        """Add operator events and the commands that follow from them, all or none."""
        return self._append(entries, orders, lambda connection, added: added, at)

    def _append(
        self,
        entries: Sequence[_Entry],
        orders: Sequence[CommandRow],
        result: Callable[[Connection, Sequence[OperatorEvent]], T],
        at: str,
    ) -> Future[T]:
        entries = [(kind, as_stored(body)) for kind, body in entries]

        def numbered(connection: Connection) -> Sequence[_Entry]:
            # A card counts from its game's seating on, so the seating notes how many records had arrived before.
            return [
                (kind, {**body, "arrived": store_rows.last_arrival(connection)} if kind == "game-seated" else body)
                for kind, body in entries
            ]

        return self._write(numbered, orders, result, at)

    def operator_events(self, *, after: int = 0) -> list[OperatorEvent]:
        """Return the audit trail after entry ``after``."""
        with self.reading() as connection:
            return list(store_rows.read_events(connection, after))

    def give(self, orders: Sequence[CommandRow]) -> Future[None]:
        """Queue commands for their tables, all or none. An arbiter's order is noted in the audit trail."""
        rows = [
            ("order-given", {"id": o.id, "table": o.table, "game": o.game, "order": o.kind, "body": o.body or {}})
            for o in orders
            if o.kind not in ("assign", "withdraw")  # these follow from events that are in the trail
        ]
        return self._write(lambda connection: rows, orders, lambda connection, added: None)

    def _write(
        self,
        entries: Callable[[Connection], Sequence[_Entry]],
        orders: Sequence[CommandRow],
        result: Callable[[Connection, Sequence[OperatorEvent]], T],
        at: str = "",
    ) -> Future[T]:
        """Add entries to the audit trail, and commands, all or nothing; ``result`` is called before the commit."""
        person = acting()
        commands: list[CommandRow] = []
        added: list[OperatorEvent] = []

        def job(connection: Connection) -> T:
            now = at or self.wall_clock()
            added.extend(store_rows.add_events(connection, now, person, entries(connection)))
            commands.extend(store_rows.add_commands(connection, now, orders))
            return result(connection, added)

        def then(committed: bool) -> None:
            self.pending.note_commit(committed, given=commands)
            if committed and added:
                self._mark.note_event(added[-1])
                self.writer.checkpoint_due |= any(event.kind == "round-published" for event in added)

        return self.writer.submit(job, then)

    def commands(
        self,
        table: int | None = None,
        *,
        game: str | None = None,
        status: CommandStatus | None = None,
        limit: int | None = None,
    ) -> list[CommandRow]:
        """Return commands in the order they were queued; with ``limit`` the last ones."""
        asked = {"table_no": table, "game": game, "status": status}
        rows = select(store_schema.commands).filter_by(**{name: one for name, one in asked.items() if one is not None})
        query = rows.order_by(store_schema.commands.c.number.desc())
        with self.reading() as connection:
            return [store_rows.to_command(row) for row in connection.execute(query.limit(limit))][::-1]

    # records of the tables

    def commit_records(
        self, table: int, epoch: str, records: Sequence[TableRecord]
    ) -> Future[tuple[int, list[StoredRecord]]]:
        """Commit those records that continue the journal; return the last committed seq and the new records."""

        def job(connection: Connection) -> tuple[int, list[StoredRecord]]:
            have, arrival = store_rows.last_seq_and_arrival(connection, table, epoch)
            for record in records:
                if record.seq != have + 1:
                    continue
                have, arrival = record.seq, arrival + 1
                new.append(StoredRecord(arrival, table, epoch, record.seq, record.type, record.body))
            if new:
                connection.execute(insert(store_schema.records), [store_rows.record_row(record) for record in new])
            for stored in new:
                if stored.type == "command" and store_rows.add_answer(connection, table, stored.body):
                    answered.add(str(stored.body.get("id")))
            return have, new

        def then(committed: bool) -> None:
            self.pending.note_commit(committed, answered=answered, table=table)
            if committed and new:
                self._mark.note_records(table, epoch, new[-1].seq)

        answered: set[str] = set()
        new: list[StoredRecord] = []
        return self.writer.submit(job, then)

    def set_aside(self, table: int, epoch: str, seq: int, reason: str) -> OperatorEvent:
        """Set a committed record aside: it stays in the store, and is ignored from the next start on.

        :raises StoreError: there is no such record, or it is set aside already.
        """
        column = store_schema.records.c
        place = select(column.type).where(column.table_no == table, column.epoch == epoch, column.seq == seq)
        with self.reading() as connection:
            type = connection.execute(place).scalar()
        record = {"table": table, "epoch": epoch, "seq": seq}
        if type is None:
            raise StoreError.saying(
                "there is no record {seq} of table {table} in its journal {epoch!r}; kiosk audit verify names them",
                **record,
            )
        if (table, epoch, seq) in self._withheld:
            raise StoreError.saying(
                "record {seq} of table {table} in its journal {epoch!r} is already excluded", **record
            )
        body = {**record, "type": type, "reason": reason}
        return self.append(store_rows.RECORD_SET_ASIDE, body).result()

    def begin_life(self, reason: str, why: Sequence[_Entry] = ()) -> None:
        """Begin a new life of this store, with another id: its federation treats it as a separate trail from the first
        entry, and tables may know more than it. ``reason``: for the audit trail; ``why``: entries before it.
        """
        rows = [*why, (store_rows.LIFE_BEGUN, {"before": self.trail, "reason": reason})]

        def renamed(connection: Connection, added: Sequence[OperatorEvent]) -> str:
            trail = store_schema.new_trail(added[-1].number)
            connection.execute(update(store_schema.meta).where(store_schema.meta.c.key == "trail").values(value=trail))
            return trail

        self.trail = self._write(lambda connection: rows, (), renamed).result()
        self.restored_after = store_schema.last_event_before_restore(self.trail)

    def last_committed_seq(self, table: int, epoch: str) -> int:
        """Return the last committed seq of a table's journal; 0 if there is none."""
        with self.reading() as connection:
            return store_rows.last_seq(connection, table, epoch)

    def differs(self, table: int, epoch: str, record: TableRecord) -> bool:
        """Check whether another record of this number is stored."""
        column, body = store_schema.records.c, json.dumps(record.body, ensure_ascii=False)
        here = column.table_no == table, column.epoch == epoch, column.seq == record.seq
        with self.reading() as connection:
            row = connection.execute(select(column.type, column.body).where(*here)).first()
        return row is not None and (row.type, json.loads(row.body)) != (record.type, json.loads(body))

    def records(
        self, *, table: int | None = None, type: str | Sequence[str] | None = None, after: int = 0, last: int = 0
    ) -> Iterator[StoredRecord]:
        """Yield committed records in the order of their arrival, after number ``after``. ``last``: only so many, the
        last ones.
        """
        column = store_schema.records.c
        query = select(store_schema.records).where(column.arrival > after)
        if table is not None:
            query = query.where(column.table_no == table)
        if type is not None:
            query = query.where(column.type.in_([type] if isinstance(type, str) else type))
        with self.reading() as connection:
            if last:
                begun = query.with_only_columns(column.arrival).order_by(column.arrival.desc()).offset(last - 1)
                query = query.where(column.arrival >= (connection.execute(begun.limit(1)).scalar() or 0))
            for row in connection.execute(query.order_by(column.arrival)):
                yield store_rows.to_record(row, self._withheld)

    def tables_heard(self) -> list[int]:
        """Return the tables of which there are records."""
        column = store_schema.records.c.table_no
        with self.reading() as connection:
            return list(connection.execute(select(column).distinct().order_by(column)).scalars())

    def present_game(self, table: int) -> Iterator[StoredRecord]:
        """Yield a table's records from its last assignment on, in the order of their arrival; from the journal that the
        table continues, if that has an assignment. Somebody with a stolen key has a separate journal.
        """
        column = store_schema.records.c
        here = column.table_no == table
        with self.reading() as connection:
            now = connection.execute(select(column.epoch).where(here).order_by(column.arrival.desc()).limit(1)).scalar()
            given = select(func.max(column.arrival)).where(here, column.type == "assigned")
            journal = connection.execute(given.where(column.epoch == now)).scalar()
            first = journal if journal is not None else given.scalar_subquery()
            query = select(store_schema.records).where(here, column.arrival >= first)
            if journal is not None:
                query = query.where(column.epoch == now)
            for row in connection.execute(query.order_by(column.arrival)):
                yield store_rows.to_record(row, self._withheld)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection for reading.

        :raises StoreError: the database is not available, or cannot be read.
        """
        try:
            with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            why = " ".join(str(error.__cause__ or error).split())
            raise StoreError.saying(
                "the head's store cannot be read ({why}); check the disk and the database of the head", why=why
            ) from error


def _prepare(engine: Engine) -> str:
    """Check that the store is of this version, and return the id of its present life."""
    with engine.begin() as connection:
        known: dict[str, str] = {row.key: row.value for row in connection.execute(select(store_schema.meta))}
        version = known.setdefault("version", str(store_schema.VERSION))
        if version != str(store_schema.VERSION):
            raise StoreError.saying(
                "the store was written by another version of the head (store version {version}, this head "
                "knows {version2}); start that version, or name an empty data directory",
                version=version,
                version2=store_schema.VERSION,
            )
        if "trail" not in known:
            known["trail"] = store_schema.new_trail()
            connection.execute(
                insert(store_schema.meta), [{"key": key, "value": known[key]} for key in ("version", "trail")]
            )
        return known["trail"]


class PendingCommandCache:
    """The commands that wait for their tables, in memory, because every table asks for its own every two seconds.

    It is changed by the store's writer only, after each commit and before anybody is notified. After a failed commit it
    is unknown what was committed; the commands are then read again with the next one.
    """

    def __init__(self, read: Callable[[], Iterable[CommandRow]]) -> None:
        """``read``: returns the unanswered commands of all tables from the store, in the order they were queued."""
        self._read = read
        self._known: dict[int, tuple[CommandRow, ...]] = {}
        self._is_current = False
        self.note_commit(True)

    def of(self, table: int) -> tuple[CommandRow, ...]:
        """Return the commands that the table has not answered, in the order they were queued."""
        return self._known.get(table, ())

    def note_commit(
        self, committed: bool, given: Iterable[CommandRow] = (), answered: Collection[str] = (), table: int = 0
    ) -> None:
        """Note the commands that a commit added, and those that ``table`` answered in it."""
        if not committed:
            self._is_current = False
            return
        if not self._is_current:
            with suppress(StoreError):  # it is tried again with the next commit
                self._known, given, answered = {}, self._read(), ()
                self._is_current = True
        for order in given:
            others = (one for one in self.of(order.table) if one.id != order.id)  # it may have been read just before
            self._known[order.table] = (*others, order)
        if answered:
            self._known[table] = tuple(order for order in self.of(table) if order.id not in answered)
