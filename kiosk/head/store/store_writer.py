"""The only thread that writes to the store.

A job's data is on the disk before its future is done. Jobs that wait together share one transaction and one fsync
(group commit); a failed job is rolled back alone, a failed commit fails every job in it.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from engine.i18n import Text, say
from kiosk import platform_compat
from kiosk.head.errors import StoreError
from kiosk.head.store import store_schema
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.head.store.store_backup_and_check import StoreExtent, extent, reading
from kiosk.head.store.store_schema import StoreLocation, claim_writer, mark_of
from kiosk.platform_compat import write_secret

T = TypeVar("T")
Then = Callable[[bool], None]
Job = tuple[Callable[[Connection], Any], "Future[Any]", Then]

#: most jobs in one transaction, so that the first never waits long for the last
BATCH = 512


class StoreWriter:
    """A queue of jobs, run in their order. ``commits`` and ``jobs`` are counted for the benchmark."""

    def __init__(self, engine: Engine, connection: Connection) -> None:
        """``connection``: the claimed one (``claim_writer``); a broken one is replaced, and claimed again."""
        self._engine = engine
        self._connection: Connection | None = connection
        self._jobs: queue.Queue[Job | None] = queue.Queue()
        self._open = True
        self._gate = threading.Lock()
        self.commits = 0
        self.jobs = 0
        #: why nothing is committed at present
        self.trouble: Text | None = None
        #: whether the write-ahead log of an SQLite store is copied into its main file after the next commit
        self.checkpoint_due = False
        # started by the first job
        self._thread = threading.Thread(target=self._run, name="head-store-writer", daemon=True)

    def submit(self, job: Callable[[Connection], T], then: Then = lambda committed: None) -> Future[T]:
        """Queue a job; the future is done after its commit. ``then`` is called between the two, with whether it was
        certainly committed.

        :raises StoreError: the store was closed.
        """
        future: Future[T] = Future()
        with self._gate:
            if not self._open:
                raise StoreError(say("the store is closed because the head is stopping; start the head again"))
            self._jobs.put((job, future, then))
            if self._thread.ident is None:
                self._start()
        return future

    def close(self) -> None:
        """Finish what is queued, then stop."""
        with self._gate:
            if self._open:
                self._open = False
                self._jobs.put(None)
        if self._thread.is_alive():
            self._thread.join()
        self._drop_connection()

    def _start(self) -> None:
        self._thread.start()

    def _run(self) -> None:
        while (first := self._jobs.get()) is not None:
            batch, last = self._next_batch(first)
            self._commit(batch)
            if last:
                return

    def _next_batch(self, first: Job) -> tuple[list[Job], bool]:
        batch = [first]
        while len(batch) < BATCH:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                return batch, True
            batch.append(job)
        return batch, False

    def _commit(self, batch: list[Job]) -> None:
        done: list[tuple[Future[Any], Any, Then]] = []
        failed: list[tuple[Future[Any], Exception, Then]] = []
        alone = len(batch) == 1  # a single job needs no savepoint: a failure rolls back only its own work
        try:
            connection = self._claimed()
            with connection.begin() as whole:
                for job, future, then in batch:
                    try:
                        with nullcontext() if alone else connection.begin_nested():
                            done.append((future, job(connection), then))
                    except (IntegrityError, DataError, ValueError, TypeError, OverflowError) as error:
                        failed.append((future, _refusal(error), then))
                        if alone:
                            whole.rollback()
            self.trouble = None
        except (SQLAlchemyError, StoreError) as error:
            self._drop_connection()
            self.trouble = _trouble(error)
            refusal = StoreError(self.trouble)
            done, failed = [], [(future, refusal, then) for _, future, then in batch]
        self.commits += 1
        self.jobs += len(batch)
        for future, value, then in done:
            then(True)
            future.set_result(value)
        for future, problem, then in failed:
            then(False)
            future.set_exception(problem)
        if self.checkpoint_due and self._connection is not None:
            self.checkpoint_due = False
            self._checkpoint(self._connection)

    def _checkpoint(self, connection: Connection) -> None:
        """Copy what no reader needs to stay in the log. An error also occurs in the next commit, and is reported
        there."""
        if connection.dialect.name == "sqlite":
            raw = connection.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection)
            with suppress(sqlite3.Error):
                raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def _claimed(self) -> Connection:
        if self._connection is None:
            fresh = self._engine.connect()
            try:
                claim_writer(fresh)
            except (SQLAlchemyError, StoreError):
                fresh.close()
                raise
            self._connection = fresh
        return self._connection

    def _drop_connection(self) -> None:
        """Drop a connection that failed; the next batch claims another one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()


def _refusal(error: Exception) -> Exception:
    """Return the error of one job, while the others of its batch are committed."""
    match error:
        case IntegrityError():
            return StoreError(say("the store refuses to write that twice ({orig})", orig=error.orig))
        case DataError():
            return StoreError(say("the store cannot hold that ({split})", split=" ".join(str(error.orig).split())))
        case _:
            return error


def _trouble(error: Exception) -> Text:
    """Return the message for a failed commit. A full disk ends SQLite's transaction, and the error raised is only the
    missing savepoint; so earlier errors in the chain are checked too.
    """
    chain, one = [], error  # type: tuple[list[str], BaseException | None]
    while one is not None:
        chain.append(str(getattr(one, "sqlite_errorname", "")))
        one = one.__cause__ or one.__context__
    if any(name.startswith("SQLITE_READONLY") for name in chain):
        return say(
            "the head's disk is read-only, so nothing is saved there; tables keep their records: "
            "repair the disk, or restore the backup on another machine"
        )
    if "SQLITE_FULL" in chain:
        return say("the head's disk is full, so nothing is saved there; tables keep their records: free space on it")
    why = " ".join(str(error.__cause__ or error).split())
    return say("the store could not commit ({why}); check the disk and the database of the head", why=why)


class InlineWriter(StoreWriter):
    """A writer without a thread, for single-threaded programs: a job is committed alone, before ``submit`` returns."""

    def submit(self, job: Callable[[Connection], T], then: Then = lambda committed: None) -> Future[T]:
        future = super().submit(job, then)
        self._commit([cast(Job, self._jobs.get_nowait())])
        return future

    def close(self) -> None:
        self._open = False
        self._drop_connection()

    def _start(self) -> None:
        pass


# The high-water mark of a store: a file beside it that says how far the store went, so that a lost end is noticed.
#
# A database checks what it finds, not what is gone: SQLite ends its write-ahead log at the first damaged frame, and an
# older copy is a valid store. A line is appended after each commit, before anybody is notified of it. It is not synced:
# after a power cut the mark may be behind the store, never ahead of it.

log = logging.getLogger(__name__)

#: table, epoch
Journal = tuple[int, str]


@dataclass(frozen=True, slots=True)
class MissingRows:
    """What a store lacks of its mark: the first and the last number of the operator events, the last at ``at``, and of
    each journal's records.
    """

    events: tuple[int, int] | None = None
    at: str = ""
    records: Mapping[Journal, tuple[int, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.events is not None or bool(self.records)

    @property
    def tables(self) -> tuple[int, ...]:
        return tuple(sorted({table for table, _ in self.records}))

    def as_json(self) -> dict[str, Any]:
        rows = [
            {"table": table, "epoch": epoch, "first": first, "last": last}
            for (table, epoch), (first, last) in sorted(self.records.items())
        ]
        return {"events": None if self.events is None else list(self.events), "at": self.at, "records": rows}

    def sentences(self) -> list[Text]:
        """Return a sentence for each kind of rows that are missing."""
        events = [] if self.events is None else [events_missing(self.events, self.at)]
        return events + ([records_missing(self.tables)] if self.records else [])


def events_missing(numbers: tuple[int, int], at: str) -> Text:
    first, last = numbers
    return say(
        "The head's disk lost entries {first} to {last} of the audit trail; the last was made at {at}. Do again at the "
        "desk what is missing.",
        first=first,
        last=last,
        at=at,
    )


def records_missing(tables: Iterable[int]) -> Text:
    return say(
        "The head's disk lost records of these tables: {tables}. A connected table sends them again by itself; results "
        "may be missing until then.",
        tables=", ".join(map(str, tables)),
    )


class HighWaterMark:
    """The mark of a store that is open; used by its writer only. A mark that cannot be written stops nothing."""

    def __init__(self, path: Path, now: StoreExtent) -> None:
        """``now``: how far the store goes. The file stays as it was until something is noted or it is written anew;
        records that the store lost stay in it until they are there again.
        """
        self._path = path
        before = read_mark(path)
        lost = {} if before is None else before.last_seq
        self._events: tuple[int, str, str] = now.events, now.last_hash, now.last_at
        self._seqs = dict(now.last_seq) | {row: seq for row, seq in lost.items() if seq > now.last_seq.get(row, 0)}
        self._file: int | None = None
        self._is_reported = False

    def note_event(self, event: OperatorEvent) -> None:
        self._events = event.number, event.hash, event.at
        self._add(_line("event", *self._events))

    def note_records(self, table: int, epoch: str, seq: int) -> None:
        self._seqs[table, epoch] = max(seq, self._seqs.get((table, epoch), 0))
        self._add(_line("records", table, epoch, seq))

    def write_anew(self) -> None:
        """Write the mark without its history, and force it to the disk."""
        self.close()
        lines = [_line("event", *self._events), *(_line("records", *row, seq) for row, seq in self._seqs.items())]
        try:
            write_secret(self._path, b"".join(lines))
            platform_compat.sync_folder(self._path.parent)
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | platform_compat.NO_LINK)
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _add(self, line: bytes) -> None:
        if self._file is None:
            self.write_anew()
            return
        try:
            if os.write(self._file, line) != len(line):
                self.write_anew()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        self.close()
        if not self._is_reported:
            log.warning("%s cannot be written (%s); a lost end of the store would not be noticed", self._path, error)
        self._is_reported = True


def read_mark(path: Path) -> StoreExtent | None:
    """Return how far the store beside a mark went; None: there is no mark. Damaged lines are skipped."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return None
    event = 0, "", ""
    seqs: dict[Journal, int] = {}
    for line in lines:
        match _values(line):
            case ["event", int(number), str(hash), str(at)]:
                event = number, hash, at
            case ["records", int(table), str(epoch), int(seq)]:
                seqs[table, epoch] = max(seq, seqs.get((table, epoch), 0))
    return StoreExtent(*event, seqs)


def missing_rows(mark: StoreExtent | None, connection: Connection) -> MissingRows:
    """Return what a store lacks of its mark. Read the mark first: a store in use grows."""
    if mark is None:
        return MissingRows()
    now, event = extent(connection), store_schema.operator_events.c
    hash = connection.execute(select(event.hash).where(event.number == mark.events)).scalar()
    events = (min(now.events + 1, mark.events), mark.events) if mark.events and hash != mark.last_hash else None
    records = {
        row: (now.last_seq.get(row, 0) + 1, seq) for row, seq in mark.last_seq.items() if seq > now.last_seq.get(row, 0)
    }
    return MissingRows(events, mark.last_at, records)


def rows_missing_in(source: Path | StoreLocation) -> MissingRows:
    """Return what a store, which may be in use, lacks of the mark beside it.

    :raises StoreError: it cannot be read.
    """
    mark = read_mark(mark_of(source) if isinstance(source, Path) else source.mark)
    with reading(source) as connection:
        return missing_rows(mark, connection)


def _line(*values: object) -> bytes:
    text = json.dumps(values, ensure_ascii=False).encode()
    return b"%08x %b\n" % (zlib.crc32(text), text)


def _values(line: bytes) -> object:
    check, _, text = line.partition(b" ")
    try:
        return json.loads(text) if int(check, 16) == zlib.crc32(text) else None
    except ValueError:
        return None
