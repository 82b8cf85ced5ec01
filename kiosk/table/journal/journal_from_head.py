"""Rebuilding of a table's journal from the head's copy of its records, for a spare device that replaces the table.

- The spare continues in the same epoch after the last record that the head has, so nothing is sent twice.
- The table's key must be replaced first: the old device may hold other records under the next numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.i18n import say
from kiosk.link.link_messages import TableRecord
from kiosk.table.journal.segment_format import ACKNOWLEDGED, JournalEntry, JournalInUseError, encode_entry
from kiosk.table.journal.segment_recovery import segment_number
from kiosk.table.journal.segment_writer import SegmentWriter
from kiosk.table.journal.storage_interface import FileStorage


def rebuild_journal(directory: Path, epoch: str, records: Sequence[TableRecord]) -> None:
    """Write the journal; it is durable on return.

    :raises JournalInUseError: the directory already has a journal.
    :raises OSError: it cannot be written.
    """
    storage = FileStorage()
    storage.make_directory(directory)
    if any(segment_number(name) is not None for name in storage.names(directory)):
        raise JournalInUseError(
            say("{directory} holds a journal already; name an empty directory for the spare", directory=directory)
        )
    entries = _entries(records)
    writer = SegmentWriter(storage, directory, epoch, 1)
    writer.commit(map(encode_entry, entries))
    # A record counts as saved only by a mark written after it.
    last = entries[-1]
    writer.commit([encode_entry(JournalEntry(last.seq, last.at_ns, ACKNOWLEDGED, {}, last.seq))])
    writer.close()


def _entries(records: Sequence[TableRecord]) -> list[JournalEntry]:
    """Return the journal entries. The head keeps only the times of match events; other records get the time of the
    event before them.
    """
    times = [record.body["event"]["at_ns"] for record in records if record.type == "event"]
    at_ns = times[0] if times else 0
    entries = []
    for record in records:
        if record.type == "event":
            at_ns = max(at_ns, record.body["event"]["at_ns"])
        entries.append(JournalEntry(record.seq, at_ns, record.type, record.body, 0))
    return entries
