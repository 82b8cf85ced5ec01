"""The saved records of a journal that is open for writing."""

from __future__ import annotations

from kiosk.table.journal.journal_and_link_outbox import Journal
from kiosk.table.journal.segment_files_and_recovery import JournalEntry, decode_entry


def saved_after(journal: Journal, seq: int) -> list[JournalEntry]:
    """Return saved records for reading only; they do not count as offered to the head."""
    with journal._wake:
        payloads = journal._payloads[seq : journal._saved]
    return [decode_entry(payload) for payload in payloads]
