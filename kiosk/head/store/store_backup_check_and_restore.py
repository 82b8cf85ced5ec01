"""Copies of a store, written, checked and restored: one file with the whole store and the files that a head needs.

- A copy is written under another name, forced to the disk, read back from the disk (byte for byte), checked (format,
  hash chain of the operator events) and only then renamed.
- An old copy that contains anything the new one lacks is put aside, never overwritten.
- Copying never blocks the head: a reader sees one moment of the store and does not block the writer.
- A copy is an SQLite file, whatever database the store uses.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, Engine, create_engine, func, insert, select, text, update
from sqlalchemy.event import listen
from sqlalchemy.exc import SQLAlchemyError

from engine.i18n import Text, say
from kiosk import platform_compat, untrusted_file_sandbox
from kiosk.head.errors import StoreError
from kiosk.head.store import store_schema
from kiosk.head.store import untrusted_store_reader_and_digest as untrusted
from kiosk.head.store.hash_chain import ChainBreak, first_break
from kiosk.head.store.store_connections_and_locks import StoreLocation
from kiosk.head.store.store_rows import begin_transaction, read_events

#: for the last rows of an old backup, which may be anybody's, with as many journals as a copy may have
_LIMITS = untrusted_file_sandbox.Limits(
    memory=256 * 1024 * 1024, processor_s=int(untrusted.MAX_GLANCE_S), deadline_s=untrusted.MAX_GLANCE_S
)
#: rows that are copied at a time
_BATCH = 1000
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | platform_compat.BYTES


def local_minute(at: str) -> str:
    """Return an ISO time to the minute in this machine's time zone; a backup's text that is none unchanged."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return at


@dataclass(frozen=True, slots=True)
class StoreExtent:
    """Numbers of the last rows of a store. ``last_seq``: the last record of each table and epoch."""

    events: int
    last_hash: str
    last_at: str
    last_seq: Mapping[tuple[int, str], int]

    @property
    def records(self) -> int:
        return sum(self.last_seq.values())

    def description(self) -> Text:
        """Return a description by which a person compares two stores."""
        return say(
            "{events} operator events, the last at {last}, and {records} records of tables",
            events=self.events,
            last=local_minute(self.last_at) or "–",
            records=self.records,
        )


@contextmanager
def reading(source: Path | StoreLocation, *, quiet: bool = False) -> Iterator[Connection]:
    """Open a read-only connection that sees one moment. ``quiet``: nobody writes the file, because it is a finished
    copy.

    :raises StoreError: it is not a readable store.
    """
    if isinstance(source, Path) and not source.is_file():
        raise StoreError.saying("{source} is not there; name a data directory or a backup", source=source)
    try:
        with ExitStack() as undo:
            with platform_compat.as_owner_of(_folder_of(source)):  # until the files of the store are open
                engine = _file_engine(source, quiet) if isinstance(source, Path) else source.engine()
                undo.callback(engine.dispose)
                one_moment = "REPEATABLE READ" if engine.dialect.name == "postgresql" else "SERIALIZABLE"
                connection = engine.connect().execution_options(isolation_level=one_moment)
                undo.callback(connection.close)
                connection.begin()
                connection.execute(select(store_schema.meta.c.key).limit(1))
            yield connection
    except (SQLAlchemyError, sqlite3.Error) as error:
        why = " ".join(str(getattr(error, "orig", error)).split())
        raise StoreError.saying(
            "{source}: not a readable store ({why}); name another one", source=source, why=why
        ) from error


def _folder_of(source: Path | StoreLocation) -> Path:
    return source.parent if isinstance(source, Path) else source.directory


def extent(connection: Connection) -> StoreExtent:
    """Return how far the store goes, without checking it."""
    event, record = store_schema.operator_events.c, store_schema.records.c
    last = connection.execute(select(event.number, event.hash, event.at).order_by(event.number.desc()).limit(1)).first()
    seqs = select(record.table_no, record.epoch, func.max(record.seq)).group_by(record.table_no, record.epoch)
    last_seq = {(table, epoch): seq for table, epoch, seq in connection.execute(seqs)} | _venues(connection)
    number, hash, at = last or (0, "", "")
    return StoreExtent(number, hash, at, last_seq)


def _venues(connection: Connection) -> dict[tuple[int, str], int]:
    """Return how far the venues' rows go, at a federation's head."""
    event, record = store_schema.venue_events.c, store_schema.venue_records.c
    trails = select(event.venue, event.trail, func.max(event.number)).group_by(event.venue, event.trail)
    found = {(0, f"{venue}/{trail}"): number for venue, trail, number in connection.execute(trails)}
    seqs = select(record.venue, record.table_no, record.epoch, func.max(record.seq))
    rows = connection.execute(seqs.group_by(record.venue, record.table_no, record.epoch))
    return found | {(table, f"{venue}/{epoch}"): seq for venue, table, epoch, seq in rows}


def contains_extent(connection: Connection, other: StoreExtent) -> bool:
    """Check whether the store contains everything that ``other`` has."""
    mine = extent(connection)
    if any(seq > mine.last_seq.get(row, 0) for row, seq in other.last_seq.items()):
        return False
    event = store_schema.operator_events.c
    found = connection.execute(select(event.hash).where(event.number == other.events)).scalar()
    return other.events == 0 or found == other.last_hash


@dataclass(frozen=True, slots=True)
class StoreCopy:
    """Content of a copy, read completely, with an unbroken audit trail. The signature is not checked."""

    extent: StoreExtent
    files: Mapping[str, bytes]
    digest: bytes
    signature: untrusted.Signature | None


def read_whole(file: Path) -> StoreCopy:
    """Read and check all of an untrusted copy.

    :raises StoreError: it is damaged, exceeds the limits, or its audit trail is broken.
    """
    with untrusted.open_untrusted(file) as connection:
        _check_chain(connection)
        files = untrusted.files_in(connection)
        return StoreCopy(
            extent(connection), files, untrusted.digest(connection, files), untrusted.signature_in(connection)
        )


def _check_chain(connection: Connection) -> None:
    if found := first_break(read_events(connection)):
        raise StoreError.saying(
            "the audit trail is broken at entry {number} ({why})", number=found.number, why=found.why
        )


def audit(source: Path | StoreLocation) -> tuple[StoreExtent, ChainBreak | None]:
    """Return how far a store goes, and the first broken entry of its audit trail.

    :raises StoreError: it cannot be read at all.
    """
    with reading(source) as connection:
        return extent(connection), first_break(read_events(connection))


def write_snapshot(
    source: Path | StoreLocation, target: Path, files: Mapping[str, bytes], sign: Callable[[bytes], untrusted.Signature]
) -> StoreExtent:
    """Copy a store, which may be in use, and ``files`` into the one file ``target``, signed by its head.

    :raises StoreError: the store is damaged. :raises OSError: the target cannot be written.
    """
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        _copy_store(source, draft, files, sign)
        written = _bytes_of(draft)
        sync_and_drop_cache(draft)
        if _bytes_of(draft) != written:
            raise StoreError.saying(
                "{parent}: what was read is not what was written; use another disk", parent=target.parent
            )
        with untrusted.open_untrusted(draft) as copy:
            _check_chain(copy)
            made = extent(copy)
            _put_aside_what_is_not_in(copy, target)
        draft.replace(target)
        platform_compat.sync_folder(target.parent)
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)
    return made


def _copy_store(
    source: Path | StoreLocation, draft: Path, files: Mapping[str, bytes], sign: Callable[[bytes], untrusted.Signature]
) -> None:
    folder = _folder_of(source)
    if platform_compat.other_owner(folder) is None:
        with reading(source) as connection:
            extent(connection)  # raises if it is no store
            _copy(_uri(source) if isinstance(source, Path) else connection, draft, files, sign)
        return
    # the store is read as its owner, who need not be able to write to the target
    with platform_compat.as_owner_of(folder), TemporaryDirectory(prefix=".copy-", dir=folder) as own:
        with reading(source) as connection:
            _copy(_uri(source) if isinstance(source, Path) else connection, Path(own, draft.name), files, sign)
        made = platform_compat.open_untrusted(Path(own), draft.name)
    with os.fdopen(made, "rb") as copy, os.fdopen(os.open(draft, _NEW, 0o600), "wb") as out:
        shutil.copyfileobj(copy, out)


def write_store(source: Path, draft: Path, files: Mapping[str, bytes]) -> StoreCopy:
    """Create a new store with the rows of an untrusted backup; return its content, with ``files``.

    :raises StoreError: as ``read_whole``. :raises OSError: it cannot be written.
    """
    with untrusted.open_untrusted(source):
        _copy(_uri(source, quiet=True), draft, {}, None)
    sync_and_drop_cache(draft)
    with untrusted.open_untrusted(draft) as copy:
        return StoreCopy(extent(copy), files, untrusted.digest(copy, files), None)


def fill_database(source: Path, place: StoreLocation) -> None:
    """Copy a backup into an empty PostgreSQL database, all or nothing.

    :raises StoreError: the database contains a store already, or cannot be written.
    """
    engine = place.engine()
    try:
        with reading(source, quiet=True) as copy, engine.begin() as connection:
            store_schema.metadata.create_all(connection)
            if extent(connection).events or extent(connection).records:
                raise StoreError.saying(
                    "{place} holds a store already ({spoken}); name an empty database",
                    place=place,
                    spoken=extent(connection).description(),
                )
            connection.execute(store_schema.meta.delete())
            _copy_rows(copy, connection)
            _new_life(connection)
            connection.execute(
                text("SELECT setval(pg_get_serial_sequence('commands', 'number'), :next, false)"),
                {"next": 1 + (connection.execute(select(func.max(store_schema.commands.c.number))).scalar() or 0)},
            )
            store_schema.create_append_only_triggers(connection)
    except SQLAlchemyError as error:
        raise StoreError.saying(
            "{place} cannot be written ({split})", place=place, split=" ".join(str(error).split())
        ) from error
    finally:
        engine.dispose()


def sync_and_drop_cache(file: Path) -> None:
    """Force a file to the disk and drop it from the cache, so that it is read back from the disk."""
    descriptor = os.open(file, os.O_RDWR)
    try:
        os.fsync(descriptor)
        platform_compat.drop_page_cache(descriptor)
    finally:
        os.close(descriptor)


def _bytes_of(file: Path) -> bytes:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()


def unused_name(file: Path) -> Path:
    """Return an unused name for a file that is put aside."""
    number = 1
    while (kept := file.with_name(f"{file.name}.kept-{number}")).exists():
        number += 1
    return kept


def _file_engine(file: Path, quiet: bool) -> Engine:
    uri = _uri(file, quiet=quiet)
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None))
    listen(engine, "begin", begin_transaction)
    return engine


def _uri(file: Path, *, quiet: bool = False) -> str:
    return f"{file.resolve().as_uri()}?{'immutable=1' if quiet else 'mode=ro'}"


def _copy(
    source: Connection | str,
    draft: Path,
    files: Mapping[str, bytes],
    sign: Callable[[bytes], untrusted.Signature] | None,
) -> None:
    """Write the rows of a store (a connection, or the address of an SQLite file) into a new file that contains nothing
    else. Without ``sign`` it begins a new life of the store.
    """
    os.close(os.open(draft, _NEW, 0o600))
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(draft.absolute().as_uri(), uri=True))
    try:
        with engine.connect() as copy:
            # a single file without a journal beside it; an incomplete draft is deleted
            copy.exec_driver_sql("PRAGMA journal_mode=MEMORY")
            for statement in untrusted.schema_statements():
                copy.exec_driver_sql(statement)
            if isinstance(source, str):
                _pour(source, copy)
            else:
                _copy_rows(source, copy)
            if files:
                untrusted.FILES.create(copy)
                copy.execute(
                    insert(untrusted.FILES), [{"name": name, "content": files[name]} for name in sorted(files)]
                )
            if sign is None:
                _new_life(copy)
            else:
                signed = sign(untrusted.digest(copy, files))
                untrusted.SIGNATURE.create(copy)
                fields = {"head": signed.head, "at": signed.at, "key": signed.key, "signature": signed.signature}
                copy.execute(insert(untrusted.SIGNATURE), fields)
            copy.commit()
    except (SQLAlchemyError, sqlite3.OperationalError) as error:
        raise OSError(f"{draft.parent}: {getattr(error, 'orig', error)}") from error
    finally:
        engine.dispose()


def _copy_rows(source: Connection, target: Connection) -> None:
    for table in store_schema.metadata.sorted_tables:
        every = select(table).order_by(*table.primary_key)
        # without it PostgreSQL would send the whole table before the first row
        rows = source.execute(every, execution_options={"yield_per": _BATCH}).mappings()
        for batch in rows.partitions(_BATCH):
            target.execute(insert(table), [dict(row) for row in batch])


def _pour(uri: str, target: Connection) -> None:
    """Copy from file to file in one moment of the source, inside SQLite, so that the head's threads are not blocked."""
    raw = target.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    raw.execute("PRAGMA trusted_schema=OFF")
    raw.execute("ATTACH ? AS source", (uri,))
    for table in store_schema.metadata.sorted_tables:
        columns, key = (", ".join(column.name for column in some) for some in (table.columns, table.primary_key))
        raw.execute(f"INSERT INTO {table.name} ({columns}) SELECT {columns} FROM source.{table.name} ORDER BY {key}")


def _new_life(connection: Connection) -> None:
    trail = store_schema.new_trail(extent(connection).events)
    connection.execute(update(store_schema.meta).where(store_schema.meta.c.key == "trail").values(value=trail))


def _put_aside_what_is_not_in(copy: Connection, target: Path) -> None:
    """Keep an old backup that contains more than this store: another event, or the state before the
    head lost its disk.
    """
    if not target.exists():
        return
    try:
        events, last_hash, last_at, seqs = untrusted_file_sandbox.run(
            extent_of_file, os.fsencode(target.absolute()), _LIMITS
        )
        there = StoreExtent(events, last_hash, last_at, {(table, epoch): seq for table, epoch, seq in seqs})
        replaceable = contains_extent(copy, there)
    except untrusted_file_sandbox.SandboxError:
        replaceable = False
    if not replaceable:
        target.rename(unused_name(target))


def extent_of_file(path: bytes) -> tuple[int, str, str, list[tuple[int, str, int]]]:
    """Return how far an untrusted copy goes, as encodable values: the fields of ``StoreExtent``."""
    with untrusted.open_untrusted(Path(os.fsdecode(path)), whole=False) as there:
        found = extent(there)
    return found.events, found.last_hash, found.last_at, [(*journal, seq) for journal, seq in found.last_seq.items()]
