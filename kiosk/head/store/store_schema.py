"""The store's tables, in SQLite and in PostgreSQL.

Operator events and records are append-only; triggers in the database enforce it.
"""

from __future__ import annotations

import secrets
from typing import Any

from sqlalchemy import Column, Connection, Engine, Integer, MetaData, String, Table, UniqueConstraint
from sqlalchemy import Text as SqlText

VERSION = 2

metadata = MetaData()


def _link_of_chain() -> list[Column[Any]]:
    return [
        Column("number", Integer, primary_key=True, autoincrement=False),
        Column("at", String, nullable=False),
        Column("person", String, nullable=False),
        Column("kind", String, nullable=False),
        Column("body", SqlText, nullable=False),  # canonical JSON
        Column("previous", String, nullable=False),
        Column("hash", String, nullable=False),
    ]


operator_events = Table("operator_events", metadata, *_link_of_chain())

records = Table(
    "records",
    metadata,
    Column("arrival", Integer, primary_key=True, autoincrement=False),
    Column("table_no", Integer, nullable=False),
    Column("epoch", String, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("type", String, nullable=False, index=True),
    Column("body", SqlText, nullable=False),  # JSON
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
    Column("body", SqlText, nullable=False),  # JSON
    Column("status", String, nullable=False),
    Column("reason", SqlText, nullable=False, default=""),
    Column("at", String, nullable=False),
)

#: the venues' rows, at a federation's head
venue_events = Table(
    "venue_events",
    metadata,
    Column("venue", String, primary_key=True),
    Column("trail", String, primary_key=True),
    *_link_of_chain(),
)

venue_records = Table(
    "venue_records",
    metadata,
    Column("venue", String, primary_key=True),
    Column("table_no", Integer, primary_key=True, autoincrement=False),
    Column("epoch", String, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("type", String, nullable=False),
    Column("body", SqlText, nullable=False),  # canonical JSON
    Column("arrival", Integer, nullable=False),
)

APPEND_ONLY = ("operator_events", "records", "venue_events", "venue_records")

#: ``version``: of this schema; ``trail``: the id of this life of the store, new after every restore
meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", String, nullable=False))

_SQLITE = """
CREATE TRIGGER IF NOT EXISTS {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""

_POSTGRESQL_REFUSE = """
CREATE OR REPLACE FUNCTION kiosk_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME; END $$
"""

_POSTGRESQL = """
CREATE OR REPLACE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION kiosk_append_only()
"""


def create(engine: Engine) -> None:
    """Create missing tables."""
    metadata.create_all(engine)
    with engine.begin() as connection:
        create_append_only_triggers(connection)


def create_append_only_triggers(connection: Connection) -> None:
    """Create the triggers that make tables append-only."""
    on_server = connection.dialect.name == "postgresql"
    if on_server:
        connection.exec_driver_sql(_POSTGRESQL_REFUSE)
    for table in APPEND_ONLY:
        for verb in ("update", "delete", *(("truncate",) if on_server else ())):
            connection.exec_driver_sql((_POSTGRESQL if on_server else _SQLITE).format(table=table, verb=verb))


def new_trail(after: int = 0) -> str:
    """Return a new id. ``after``: the last operator event of the previous life, 0 in a new store."""
    return f"{secrets.token_hex(8)}-{after}"


def last_event_before_restore(trail: str) -> int | None:
    """Return the last operator event of the previous life; None: the id was made by an older head."""
    _, _, after = trail.partition("-")
    return int(after) if after.isdecimal() else None
