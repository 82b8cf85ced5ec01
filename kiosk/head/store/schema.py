"""The store's tables, and how a connection to them is made.

The law: write-ahead log and synchronous=FULL on *every* connection. NORMAL loses acknowledged commits on a power cut.
Operator events and records can be added, never changed or removed; triggers see to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Column, Engine, Integer, MetaData, String, Table, Text, UniqueConstraint, create_engine, event

VERSION = 2

metadata = MetaData()

operator_events = Table(
    "operator_events",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("at", String, nullable=False),
    Column("person", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("body", Text, nullable=False),  # canonical JSON
    Column("previous", String, nullable=False),
    Column("hash", String, nullable=False),
)

records = Table(
    "records",
    metadata,
    Column("arrival", Integer, primary_key=True),
    Column("table_no", Integer, nullable=False),
    Column("epoch", String, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("type", String, nullable=False, index=True),
    Column("body", Text, nullable=False),  # JSON
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
    Column("body", Text, nullable=False),  # JSON
    Column("status", String, nullable=False),
    Column("reason", Text, nullable=False, default=""),
    Column("at", String, nullable=False),
)

meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", String, nullable=False))

_APPEND_ONLY = """
CREATE TRIGGER IF NOT EXISTS {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""


def open_engine(path: Path) -> Engine:
    """An engine on the store at ``path``; every connection of it is durable."""
    engine = create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _make_durable)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


def create(engine: Engine) -> None:
    """Creates what is missing."""
    metadata.create_all(engine)
    with engine.begin() as connection:
        for table in ("operator_events", "records"):
            for verb in ("update", "delete"):
                connection.exec_driver_sql(_APPEND_ONLY.format(table=table, verb=verb))


def _make_durable(raw: Any, _record: object) -> None:
    raw.isolation_level = None  # SQLAlchemy's BEGIN, not the driver's guess, opens transactions
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000"):
        raw.execute(f"PRAGMA {pragma}")
