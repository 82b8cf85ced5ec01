"""Durable journal of one table: saved records are never lost (docs/reference/link-and-journal.md)."""

from kiosk.table.journal.journal import Journal, JournalCallbacks, JournalWriter, rebuild_journal
from kiosk.table.journal.segment_format import (
    JournalClosedError,
    JournalEntry,
    JournalError,
    JournalFullError,
    JournalInUseError,
    JournalVersionError,
    RecoveredJournal,
    UnfitRecordError,
    recover,
    segment_number,
)
from kiosk.table.journal.storage_interface import FileStorage, Storage

__all__ = [
    "FileStorage",
    "Journal",
    "JournalCallbacks",
    "JournalClosedError",
    "JournalEntry",
    "JournalError",
    "JournalFullError",
    "JournalInUseError",
    "JournalVersionError",
    "JournalWriter",
    "RecoveredJournal",
    "Storage",
    "UnfitRecordError",
    "rebuild_journal",
    "recover",
    "segment_number",
]
