"""Reads an untrusted file that claims to be a copy of a store, with its signature and the digest that is signed.

- Nothing in it is used before all of it was checked: a plain file of limited size, with exactly this program's tables,
  indices and triggers, and in every column values of its type.
- No code in the file is run.
- The number and size of the files it contains are limited.
- A failed check is reported in one sentence. The head applies the same limits when it writes backups, so that they can
  be restored.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec
from sqlalchemy import Column as Col
from sqlalchemy import Connection, Integer, MetaData, Table, create_engine, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.types import LargeBinary, String

from engine.i18n import raised_as
from kiosk.errors import UNREADABLE
from kiosk.head.errors import StoreError
from kiosk.head.store import store_schema
from kiosk.json_validation import warm_up

#: an event of a weekend needs less than 50 MB, a federation's cards and audit trails of ten years 1.6 GB
MAX_FILE = 16 * 1024 * 1024 * 1024
#: largest value of a row, and largest contained file
MAX_VALUE = 64 * 1024 * 1024
MAX_FILES = 200
#: most tables' journals of one head; most trails of one venue
MAX_JOURNALS = 100_000
MAX_VENUES = 1000
#: a file can be built so that reading it never ends
MAX_S = 600.0
#: in a running head, which only compares how far a backup goes
MAX_GLANCE_S = 60.0

_MAGIC = b"SQLite format 3\0"

extra = MetaData()

FILES = Table(
    "carried_files", extra, Col("name", String, primary_key=True), Col("content", LargeBinary, nullable=False)
)

#: one row: who made the copy, and the signature over the digest of its whole content
SIGNATURE = Table(
    "signature",
    extra,
    Col("head", String, nullable=False),
    Col("at", String, nullable=False),
    Col("key", LargeBinary, nullable=False),
    Col("signature", LargeBinary, nullable=False),
)


_VENUE = re.compile(r"venue:[a-z0-9][a-z0-9-]{0,29}")


class _Heard(msgspec.Struct, forbid_unknown_fields=True):
    """Last contact with a venue; stored in ``meta`` beside the version and the id of the store's life."""

    at: str
    trail: str
    waiting: int
    ahead_s: int = 0
    own: int = 0


@dataclass(frozen=True, slots=True)
class Signature:
    """Signature of a copy. ``head``: the machine's own name; ``key``: its public key; ``signature``: over the digest
    and the rest.
    """

    head: str
    at: str
    key: bytes
    signature: bytes


@contextmanager
def open_untrusted(file: Path, *, whole: bool = True) -> Iterator[Connection]:
    """Open a finished copy whose format was checked; the rows' content was not (``read_whole`` checks it). Not
    ``whole``: the tables are checked, but not every page of the file.

    :raises StoreError: it is no copy of a store, or exceeds the limits.
    """
    _check_file(file)
    engine = create_engine("sqlite://", creator=lambda: _open(file, MAX_S if whole else MAX_GLANCE_S))
    try:
        with engine.connect() as connection:
            _check_form(connection, whole)
            yield connection
    except (SQLAlchemyError, sqlite3.Error, RecursionError) as error:
        why = " ".join(str(getattr(error, "orig", error)).split())
        raise StoreError.saying(
            "{file}: not a readable copy of a store ({why}); name another one", file=file, why=why
        ) from error
    finally:
        engine.dispose()


def files_in(connection: Connection) -> dict[str, bytes]:
    """Return the files that a copy contains; none if it is a bare store."""
    return {row.name: row.content for row in connection.execute(select(FILES))} if _has(connection, FILES) else {}


def signature_in(connection: Connection) -> Signature | None:
    if not _has(connection, SIGNATURE):
        return None
    rows = connection.execute(select(SIGNATURE).limit(2)).all()
    if len(rows) != 1:
        raise StoreError.saying("the backup does not have exactly one signature; use another backup")
    return Signature(*rows[0])


def digest(connection: Connection, files: Mapping[str, bytes]) -> bytes:
    """Return a digest of every row of the store and every contained file, but not of the id of the store's life.

    Each row is one line of JSON, so different contents give different lines.
    """
    found = hashlib.sha256(f"othello-backup/1 store {store_schema.VERSION}\n".encode())
    encoder = msgspec.json.Encoder()
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    for table in store_schema.metadata.sorted_tables:
        found.update(f"table {table.name}\n".encode())
        columns, key = (", ".join(column.name for column in some) for some in (table.columns, table.primary_key))
        but = " WHERE key != 'trail'" if table is store_schema.meta else ""
        for row in raw.execute(f"SELECT {columns} FROM {table.name}{but} ORDER BY {key}"):
            found.update(encoder.encode(row) + b"\n")
    for name in sorted(files):
        found.update(encoder.encode(("file", name, hashlib.sha256(files[name]).hexdigest())) + b"\n")
    return found.digest()


@cache
def schema_statements() -> tuple[str, ...]:
    """Return the SQL statements that create the store's tables, indices and triggers in a file."""
    return _created_statements(store_schema.metadata, guarded=True)


@cache
def _known_statements() -> frozenset[str]:
    """Return all statements that a copy may contain, normalised by ``_plain``."""
    return frozenset(map(_plain, (*schema_statements(), *_created_statements(extra))))


def _created_statements(metadata: MetaData, *, guarded: bool = False) -> tuple[str, ...]:
    engine = create_engine("sqlite://")
    try:
        with engine.connect() as connection:
            metadata.create_all(connection)
            if guarded:
                store_schema.create_append_only_triggers(connection)
            found = connection.execute(text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"))
            return tuple(found.scalars())
    finally:
        engine.dispose()


def _check_file(file: Path) -> None:
    """Check what is visible without opening the database."""
    with raised_as(StoreError, UNREADABLE(path=file), OSError):
        seen = file.lstat()
        if stat.S_ISLNK(seen.st_mode):
            raise StoreError.saying("{file} is a link; name the file itself", file=file)
        if not stat.S_ISREG(seen.st_mode):
            raise StoreError.saying("{file} is not a file; name a backup", file=file)
        with file.open("rb") as opened:
            head = opened.read(20)
    if seen.st_size > MAX_FILE:
        raise StoreError.saying(
            "{file} has {st_size} bytes, a backup {max_file} at most; name a backup",
            file=file,
            st_size=seen.st_size,
            max_file=MAX_FILE,
        )
    if not head.startswith(_MAGIC) or len(head) < 20:
        raise StoreError.saying("{file}: not a readable copy of a store; name another one", file=file)
    if head[18:20] != b"\x01\x01":  # the last commits are in another file beside it
        raise StoreError.saying(
            "{file} is a head's own store and no backup; make one of it with kiosk backup, restore that", file=file
        )


def _open(file: Path, most_s: float) -> sqlite3.Connection:
    """Open without writing, without other files, and without trusting code in the file's schema."""
    raw = sqlite3.connect(f"{file.resolve().as_uri()}?immutable=1", uri=True, check_same_thread=False)
    raw.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
    raw.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    ends_s = time.monotonic() + most_s
    raw.set_progress_handler(lambda: time.monotonic() > ends_s, 1_000_000)
    for pragma in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0"):
        raw.execute(f"PRAGMA {pragma}")
    return raw


def _check_form(connection: Connection, whole: bool) -> None:
    there = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL LIMIT 100")).all()
    strange = [row.name for row in there if _plain(row.sql) not in _known_statements()]
    if strange:
        raise StoreError.saying(
            "it contains {plain}, which no store of this version has; use another one",
            plain=f"{_plain(strange[0])!r:.60}",
        )
    if missing := [table.name for table in store_schema.metadata.sorted_tables if not _has(connection, table)]:
        raise StoreError.saying("it has no {missing}, which every store has; use another backup", missing=missing[0])
    _check_journals(connection)
    if not whole:
        return
    faults = connection.execute(text("PRAGMA integrity_check(1)")).scalars().all()
    if faults != ["ok"]:
        raise StoreError.saying(
            "the copy of the store is damaged ({said}); use another disk", said=f"{faults[0]!s:.200}"
        )
    for table in (*store_schema.metadata.sorted_tables, *(one for one in extra.sorted_tables if _has(connection, one))):
        _check_kinds(connection, table)
    _check_meta({row.key: row.value for row in connection.execute(select(store_schema.meta).limit(MAX_VENUES + 3))})
    if _has(connection, FILES) and connection.execute(select(FILES.c.name).offset(MAX_FILES).limit(1)).first():
        raise StoreError.saying("it carries more than {max_files} files; use another backup", max_files=MAX_FILES)


def _check_journals(connection: Connection) -> None:
    for kind in ("records", "venue_records", "venue_events"):
        journal = "trail" if kind == "venue_events" else "table_no, epoch"
        whose = "''" if kind == "records" else "venue"  # a federation has years of many venues, more than one head's
        each = f"SELECT DISTINCT {whose} AS whose, {journal} FROM {kind}"
        query = text(f"SELECT 1 FROM ({each}) GROUP BY whose HAVING count(*) > :most LIMIT 1")
        if connection.execute(query, {"most": MAX_JOURNALS}).first():
            raise StoreError.saying(
                "its {kind} are of more than {max_journals} journals; use another backup",
                kind=kind,
                max_journals=MAX_JOURNALS,
            )


def _check_meta(meta: dict[str, str]) -> None:
    version, trail = meta.pop("version", ""), meta.pop("trail", "")
    if version != str(store_schema.VERSION):
        raise StoreError.saying(
            "it was written by another version of the head (store version {version}, this one "
            "knows {version2}); install that version",
            version=f"{version!r:.20}",
            version2=store_schema.VERSION,
        )
    try:
        for value in meta.values():
            msgspec.json.decode(value, type=warm_up(_Heard))
    except (ValueError, RecursionError):
        trail = ""
    if not trail or len(meta) > MAX_VENUES or not all(_VENUE.fullmatch(key) for key in meta):
        raise StoreError.saying("table meta does not belong to a store; use another backup")


def _check_kinds(connection: Connection, table: Table) -> None:
    """Check the types of all values, because SQLite accepts any type in any column."""
    wrong = []
    for column in table.columns:
        kind = {Integer: "integer", LargeBinary: "blob"}.get(type(column.type), "text")
        wrong.append(f"typeof({column.name}) NOT IN ('{kind}'{', ' + repr('null') if column.nullable else ''})")
    if connection.execute(text(f"SELECT 1 FROM {table.name} WHERE {' OR '.join(wrong)} LIMIT 1")).first():
        raise StoreError.saying("table {name} contains a value of the wrong type; use another backup", name=table.name)


def _has(connection: Connection, table: Table) -> bool:
    found = text("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = :name")
    return connection.execute(found, {"name": table.name}).first() is not None


def _plain(statement: str) -> str:
    return " ".join(statement.split())
