"""The head's copy of one table's journal, read beside a running head.

The law: nothing is written and nothing is locked; what is read is what was committed (write-ahead log).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.exc import DatabaseError

from kiosk.head.errors import StoreError
from kiosk.head.store import schema
from kiosk.head.store.place import STORE_FILE, Place
from kiosk.link.messages import Record


@dataclass(frozen=True, slots=True)
class TableCopy:
    """All records of the table's present epoch, from 1 on."""

    epoch: str
    records: tuple[Record, ...]


def copy_of_table(data: Path, table: int, url: str = "") -> TableCopy:
    """What the head with this data directory, or this PostgreSQL database, knows of a table.

    :raises StoreError: there is no store, or it has no record of that table.
    """
    place = Place(data, url)
    if not url and not (data / STORE_FILE).is_file():
        raise StoreError(f"{place} is not there; name the data directory of the head")
    column = schema.records.c
    last = select(column.epoch).where(column.table_no == table).order_by(column.arrival.desc()).limit(1)
    engine = place.engine()
    try:
        with engine.begin() as connection:
            epoch = connection.execute(last).scalar()
            if epoch is None:
                raise StoreError(f"{place} has no record of table {table}; a spare for it starts with an empty journal")
            query = select(column.seq, column.type, column.body).where(column.table_no == table, column.epoch == epoch)
            rows = connection.execute(query.order_by(column.seq)).all()
    except DatabaseError as error:
        raise StoreError(f"{place} cannot be read ({error.orig}); restore a backup") from error
    finally:
        engine.dispose()
    return TableCopy(epoch, tuple(Record(row.seq, row.type, json.loads(row.body)) for row in rows))
