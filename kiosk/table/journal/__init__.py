"""Durable journal of one table: saved records are never lost (docs/reference/link-and-journal.md)."""

from kiosk.table.journal.format import (
    Entry,
    JournalClosedError,
    JournalError,
    JournalFullError,
    JournalInUseError,
    JournalVersionError,
    UnfitRecordError,
)
from kiosk.table.journal.journal import Calls, Journal, Writer
from kiosk.table.journal.rebuild import rebuild_journal
from kiosk.table.journal.recovery import Recovered, recover, segment_number
from kiosk.table.journal.storage import FileStorage, Storage

__all__ = [
    "Calls",
    "Entry",
    "FileStorage",
    "Journal",
    "JournalClosedError",
    "JournalError",
    "JournalFullError",
    "JournalInUseError",
    "JournalVersionError",
    "Recovered",
    "Storage",
    "UnfitRecordError",
    "Writer",
    "rebuild_journal",
    "recover",
    "segment_number",
]
