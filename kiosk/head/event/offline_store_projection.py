"""Projection of a whole store outside the head: for its backup and for ``kiosk audit verify``.

It reports the events and records that a head started from this store would quarantine.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.i18n import Text, say
from kiosk.head.event.projection import fold
from kiosk.head.event.result_cards import READ
from kiosk.head.event.tournament_state import QuarantinedRecord
from kiosk.head.store.store_copies import reading
from kiosk.head.store.store_location_and_connections import StoreLocation
from kiosk.head.store.store_rows import quarantined_records, read_events, read_records


def quarantined_in(source: Path | StoreLocation) -> tuple[QuarantinedRecord, ...]:
    """Return what cannot be folded of a store or a backup.

    :raises StoreError: it cannot be read at all.
    """
    with reading(source) as connection:
        events = list(read_events(connection))
        return fold(events, read_records(connection, READ, quarantined_records(events))).aside


def as_json(record: QuarantinedRecord) -> dict[str, Any]:
    """Return the form that commands print with ``--json``."""
    return asdict(record) | {"why": str(record.why)}


def display_name(record: QuarantinedRecord) -> Text:
    """Return a sentence for the console, with the arguments of ``kiosk audit set-aside``."""
    notice = record.notice().text
    if record.number is not None:
        return notice
    return say("{notice} Its journal is {epoch}.", notice=notice, epoch=record.epoch)
