"""Location of the federation's database, and its tables and views.

It lies beside the store and never in it: a schema of its own in the same PostgreSQL database, or a file of its own. It
can be rebuilt, so its commits wait for no disk, and tables of another version are made anew, without rows; settings
stay. The views are created again when they differ.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError

from kiosk.head.errors import StoreError
from kiosk.head.federation.database import database_schema as db
from kiosk.head.store.store_connections_and_locks import open_engine, open_server

#: "fed", the number of the writers' advisory lock
_LOCK = 0x666564


def open_database(directory: Path, url: str) -> Engine:
    """Open the database of the store in ``directory`` or at ``url``, with the tables and views of this version.

    :raises StoreError: it cannot be reached.
    """
    engine = open_server(url) if url else open_engine(directory / db.FILE)
    event.listen(engine, "connect", _in_its_schema if url else _with_foreign_keys)
    try:
        with engine.begin() as connection:
            if url:
                lock(connection)
                if connection.execute(text("SELECT to_regnamespace(:name)"), {"name": db.SCHEMA}).scalar() is None:
                    connection.execute(text(f"CREATE SCHEMA {db.SCHEMA}"))
            _update_tables_and_views(connection)
    except SQLAlchemyError as error:
        engine.dispose()
        why = " ".join(str(error.__cause__ or error).split())
        raise StoreError.saying(
            "the federation's database cannot be used ({why}); see that the server lets this user in", why=why
        ) from error
    return engine


def lock(connection: Connection) -> None:
    """Exclude other writers until the transaction ends, so that head and console never write at the same time."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
    else:
        connection.execute(text("DELETE FROM settings WHERE name = ''"))  # takes SQLite's write lock


def _in_its_schema(raw: Any, _record: object) -> None:
    raw.execute(f"SET search_path TO {db.SCHEMA}")
    raw.execute("SET synchronous_commit TO off")
    raw.commit()


def _with_foreign_keys(raw: Any, _record: object) -> None:
    raw.execute("PRAGMA foreign_keys=ON")


def _update_tables_and_views(connection: Connection) -> None:
    db.settings.create(connection, checkfirst=True)
    made = setting(connection, "tables") == db.TABLES_NOW
    if made and setting(connection, "views") == db.VIEWS_NOW:
        return
    for view in reversed(db.VIEWS):
        connection.execute(text(f"DROP VIEW IF EXISTS {view.name}"))
    if not made:
        _drop_tables(connection)
        db.metadata.create_all(connection)
    _make_views(connection)
    set_setting(connection, "tables", db.TABLES_NOW)
    set_setting(connection, "views", db.VIEWS_NOW)


def _drop_tables(connection: Connection) -> None:
    """Drop the tables of another version except the settings; their rows are rebuilt."""
    schema, more = (db.SCHEMA, " CASCADE") if connection.dialect.name == "postgresql" else (None, "")
    for name, _ in reversed(inspect(connection).get_sorted_table_and_fkc_names(schema)):
        if name not in (None, db.settings.name):
            connection.execute(text(f"DROP TABLE IF EXISTS {name}{more}"))


def setting(connection: Connection, name: str) -> str | None:
    """Return a setting of the database; None: it is not set."""
    value: str | None = connection.execute(select(db.settings.c.value).where(db.settings.c.name == name)).scalar()
    return value


def set_setting(connection: Connection, name: str, value: str) -> None:
    connection.execute(db.settings.delete().where(db.settings.c.name == name))
    connection.execute(db.settings.insert(), {"name": name, "value": value})


def clear(connection: Connection) -> None:
    """Delete all derived rows, which are then rebuilt. Settings stay."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"TRUNCATE {', '.join(table.name for table in db.DERIVED)}"))
    else:
        for table in db.DERIVED:
            connection.execute(table.delete())


def _make_views(connection: Connection) -> None:
    for view in db.VIEWS:
        connection.exec_driver_sql(view.sql)
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"COMMENT ON VIEW {view.name} IS {_quoted(view.comment)}")
            for name, (_, comment) in view.columns.items():
                connection.exec_driver_sql(f"COMMENT ON COLUMN {view.name}.{name} IS {_quoted(comment)}")


def _quoted(comment: str) -> str:
    return "'" + comment.replace("'", "''").replace("%", "%%") + "'"
