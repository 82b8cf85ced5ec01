"""Location of a store, and the connections to it.

- Only its owner can read a store's files, however the head was started.
- Every connection is durable. SQLite: write-ahead log and synchronous=FULL (NORMAL loses acknowledged commits on a
  power cut). PostgreSQL: synchronous_commit on; a server with fsync off is refused.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError

from engine.i18n import raised_as, say
from kiosk import platform_compat
from kiosk.errors import MissingExtraError, require_extra
from kiosk.head.errors import StoreError
from kiosk.head.store.store_rows import begin_transaction

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
    event.listen(engine, "begin", begin_transaction)
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
        raise StoreError.saying(
            "store is not the address of a database; write postgresql://USER@HOST/DATABASE, or leave it out"
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
        raise StoreError.saying(
            "the PostgreSQL server runs with fsync off and may lose results; set fsync = on and restart it"
        )
    if not connection.execute(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": _LOCK}).scalar_one():
        raise StoreError.saying("the PostgreSQL database is in use by another head; stop it, or name another database")
    connection.commit()


def release_writer(connection: Connection) -> None:
    """Let another head claim the database at once; a server may notice the end of a connection only later."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": _LOCK})
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
        raise StoreError.saying(
            "{directory} is in use by another head; stop it, or name another data directory", directory=directory
        ) from error
    return file


def _make_durable(raw: Any, _record: object) -> None:
    raw.isolation_level = None  # transactions are opened by SQLAlchemy's BEGIN, not by the driver
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000"):
        raw.execute(f"PRAGMA {pragma}")
