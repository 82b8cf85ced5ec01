"""Reads the head's copy of one table's journal from a store, also beside a running head.

Nothing is written or locked; only committed records are read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from engine.i18n import say
from kiosk.head.errors import StoreError
from kiosk.head.store import store_schema
from kiosk.head.store.store_copies import reading
from kiosk.head.store.store_location_and_connections import StoreLocation
from kiosk.link.link_messages import TableRecord


@dataclass(frozen=True, slots=True)
class TableJournalCopy:
    """All records of the table's present epoch, from 1 on."""

    epoch: str
    records: tuple[TableRecord, ...]


def copy_of_table(source: Path | StoreLocation, table: int) -> TableJournalCopy:
    """Return the records that a store has of a table.

    :raises StoreError: there is no store, or it has no record of that table.
    """
    column = store_schema.records.c
    last = select(column.epoch).where(column.table_no == table).order_by(column.arrival.desc()).limit(1)
    with reading(source) as connection:
        epoch = connection.execute(last).scalar()
        if epoch is None:
            raise StoreError(
                say(
                    "{source} has no record of table {table}; a spare for it starts with an empty journal",
                    source=source,
                    table=table,
                )
            )
        query = select(column.seq, column.type, column.body).where(column.table_no == table, column.epoch == epoch)
        rows = connection.execute(query.order_by(column.seq)).all()
    return TableJournalCopy(epoch, tuple(TableRecord(row.seq, row.type, json.loads(row.body)) for row in rows))
