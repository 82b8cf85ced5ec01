"""Copies of the store: one file that holds the whole store and the files that a head needs beside it.

The law: a copy has its name only when it is whole. It is written under another name, forced to the disk, read again
from the disk and checked (SQLite's integrity check, the chain of the operator's events); then it is renamed. A copy
that holds anything the new one lacks is put aside, never overwritten. Copying never blocks the head: in write-ahead
mode a reader does not hold up the writer.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from kiosk.head.errors import StoreError
from kiosk.head.store.chain import Break, OperatorEvent, canonical, first_break

#: the store's file in a data directory
STORE_FILE = "head.sqlite"

_FILES = "CREATE TABLE carried_files (name TEXT PRIMARY KEY, content BLOB NOT NULL)"


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a store goes. ``last_seq``: the last record of each table and epoch."""

    events: int
    last_hash: str
    last_at: str
    last_seq: Mapping[tuple[int, str], int]

    @property
    def records(self) -> int:
        return sum(self.last_seq.values())

    def spoken(self) -> str:
        """For a person who compares two stores."""
        last = f", the last at {self.last_at}" if self.last_at else ""
        return f"{self.events} operator events{last} and {self.records} records of tables"


@contextmanager
def reading(file: Path, *, quiet: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection that changes nothing. ``quiet``: nobody writes the file, as with a finished copy.

    :raises StoreError: it is not a readable store.
    """
    if not file.is_file():
        raise StoreError(f"{file}: there is no such store; name a data directory or a backup")
    try:
        uri = f"{file.resolve().as_uri()}?{'immutable=1' if quiet else 'mode=ro'}"
        with closing(sqlite3.connect(uri, uri=True, timeout=5)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise StoreError(f"{file}: not a readable store ({error}); name another one") from error


def operator_events(connection: sqlite3.Connection) -> Iterator[OperatorEvent]:
    """The audit trail as it stands in the file. A body that was rewritten makes an event that fits nowhere."""
    rows = connection.execute(
        "SELECT number, at, kind, body, previous, hash, person FROM operator_events ORDER BY number"
    )
    for number, at, kind, text, previous, hash, person in rows:
        try:
            body = json.loads(text)
            as_written = isinstance(body, dict) and canonical(body) == text
        except (ValueError, TypeError):
            body, as_written = {}, False
        yield OperatorEvent(number, at, kind, body, previous, hash if as_written else "", person)


def extent(connection: sqlite3.Connection) -> Extent:
    """How far the store goes, without looking whether it is sound."""
    row = connection.execute("SELECT number, hash, at FROM operator_events ORDER BY number DESC LIMIT 1").fetchone()
    seqs = connection.execute("SELECT table_no, epoch, MAX(seq) FROM records GROUP BY table_no, epoch")
    last_seq = {(table, epoch): seq for table, epoch, seq in seqs}
    number, hash, at = row or (0, "", "")
    return Extent(number, hash, at, last_seq)


def holds(connection: sqlite3.Connection, other: Extent) -> bool:
    """Whether everything that ``other`` has is in this store too."""
    mine = extent(connection)
    if any(seq > mine.last_seq.get(row, 0) for row, seq in other.last_seq.items()):
        return False
    found = connection.execute("SELECT hash FROM operator_events WHERE number = ?", (other.events,)).fetchone()
    return other.events == 0 or (found is not None and found[0] == other.last_hash)


def check_whole(connection: sqlite3.Connection) -> Extent:
    """Reads all of a store.

    :raises StoreError: SQLite finds damage, or the audit trail is broken.
    """
    said = [row[0] for row in connection.execute("PRAGMA integrity_check(1)")]
    if said != ["ok"]:
        raise StoreError(f"the copy of the store is damaged ({said[0]}); use another disk")
    if found := first_break(operator_events(connection)):
        raise StoreError(f"the audit trail is broken at entry {found.number} ({found.why})")
    return extent(connection)


def audit(file: Path) -> tuple[Extent, Break | None]:
    """How far a store goes, and the first broken entry of its audit trail.

    :raises StoreError: it cannot be read at all.
    """
    with reading(file) as connection:
        return extent(connection), first_break(operator_events(connection))


def write_snapshot(store: Path, target: Path, files: Mapping[str, bytes]) -> Extent:
    """Copies ``store``, which may be in use, and ``files`` into the one file ``target``.

    :raises StoreError: the store is damaged. :raises OSError: the target cannot be written.
    """
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with reading(store) as source:
            _copy(source, draft, files)
        settle(draft)
        with reading(draft, quiet=True) as copy:
            written = check_whole(copy)
            _put_aside_what_is_not_in(copy, target)
        draft.replace(target)
        sync_folder(target.parent)
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)
    return written


def carried_files(file: Path) -> dict[str, bytes]:
    """The files that a copy carries; none if it is a bare store."""
    with reading(file, quiet=True) as connection:
        there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'carried_files'").fetchone()
        return dict(connection.execute("SELECT name, content FROM carried_files")) if there else {}


def settle(file: Path) -> None:
    """Forces a file to the disk and forgets it, so that what is read next comes from the disk."""
    descriptor = os.open(file, os.O_RDWR)
    try:
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Makes a rename in ``folder`` last."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def aside(file: Path) -> Path:
    """A free name for a file that is put aside."""
    number = 1
    while (kept := file.with_name(f"{file.name}.kept-{number}")).exists():
        number += 1
    return kept


def _copy(source: sqlite3.Connection, draft: Path, files: Mapping[str, bytes]) -> None:
    try:
        with closing(sqlite3.connect(draft, isolation_level=None)) as copy:
            copy.execute("PRAGMA journal_mode=MEMORY")  # a draft that is cut off is thrown away
            source.backup(copy)
            # One file that needs no other beside it, readable from a stick that is write-protected
            copy.execute("PRAGMA journal_mode=DELETE")
            copy.execute("DROP TABLE IF EXISTS carried_files")
            if files:
                copy.execute(_FILES)
                copy.executemany("INSERT INTO carried_files VALUES (?, ?)", sorted(files.items()))
    except sqlite3.OperationalError as error:
        raise OSError(f"{draft.parent}: {error}") from error


def _put_aside_what_is_not_in(copy: sqlite3.Connection, target: Path) -> None:
    """A stick may hold more than this head knows: another event, or the state before the head lost its disk."""
    if not target.exists():
        return
    try:
        with reading(target, quiet=True) as there:
            replaceable = holds(copy, extent(there))
    except StoreError:
        replaceable = False
    if not replaceable:
        target.rename(aside(target))
