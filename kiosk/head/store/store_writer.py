"""The only thread that writes to the store.

A job's data is on the disk before its future is done. Jobs that wait together share one transaction and one fsync
(group commit); a failed job is rolled back alone, a failed commit fails every job in it.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from engine.i18n import Text, say
from kiosk.head.errors import StoreError
from kiosk.head.store.store_connections_and_locks import claim_writer, release_writer

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
                raise StoreError.saying("the store is closed because the head is stopping; start the head again")
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
        if self._connection is not None:
            with suppress(SQLAlchemyError):
                release_writer(self._connection)
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
        ended: list[tuple[Future[Any], Then, Any, Exception | None]] = []
        alone = len(batch) == 1  # a single job needs no savepoint: a failure rolls back only its own work
        try:
            connection = self._claim_connection()
            with connection.begin() as whole:
                for job, future, then in batch:
                    try:
                        with nullcontext() if alone else connection.begin_nested():
                            ended.append((future, then, job(connection), None))
                    except (IntegrityError, DataError, ValueError, TypeError, OverflowError) as error:
                        ended.append((future, then, None, _refusal(error)))
                        if alone:
                            whole.rollback()
            self.trouble = None
        except (SQLAlchemyError, StoreError) as error:
            self._drop_connection()
            self.trouble = _trouble(error)
            refusal = StoreError(self.trouble)
            ended = [(future, then, None, refusal) for _, future, then in batch]
        self.commits += 1
        self.jobs += len(batch)
        for future, then, value, problem in ended:
            then(problem is None)
            future.set_result(value) if problem is None else future.set_exception(problem)
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

    def _claim_connection(self) -> Connection:
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
            return StoreError.saying("the store refuses to write that twice ({orig})", orig=error.orig)
        case DataError():
            return StoreError.saying("the store cannot hold that ({split})", split=" ".join(str(error.orig).split()))
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
