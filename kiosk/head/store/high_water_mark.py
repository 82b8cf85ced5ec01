"""The high-water mark of a store: a file beside it that says how far the store went, so that a lost end is noticed.

A database checks what it finds, not what is gone: SQLite ends its write-ahead log at the first damaged frame, and an
older copy is a valid store. A line is appended after each commit, before anybody is notified of it. It is not synced:
after a power cut the mark may be behind the store, never ahead of it.
"""

from __future__ import annotations

import json
import logging
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from engine.i18n import Text, say
from kiosk import platform_compat
from kiosk.head.store import store_schema
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.head.store.store_backup_check_and_restore import StoreExtent, extent, reading
from kiosk.head.store.store_connections_and_locks import StoreLocation, mark_of
from kiosk.platform_compat import write_secret

log = logging.getLogger(__name__)

#: table, epoch
Journal = tuple[int, str]


@dataclass(frozen=True, slots=True)
class MissingRows:
    """What a store lacks of its mark: the first and the last number of the operator events, the last at ``at``, and of
    each journal's records.
    """

    events: tuple[int, int] | None = None
    at: str = ""
    records: Mapping[Journal, tuple[int, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.events is not None or bool(self.records)

    @property
    def tables(self) -> tuple[int, ...]:
        return tuple(sorted({table for table, _ in self.records}))

    def as_json(self) -> dict[str, Any]:
        rows = [
            {"table": table, "epoch": epoch, "first": first, "last": last}
            for (table, epoch), (first, last) in sorted(self.records.items())
        ]
        return {"events": None if self.events is None else list(self.events), "at": self.at, "records": rows}

    def sentences(self) -> list[Text]:
        """Return a sentence for each kind of rows that are missing."""
        events = [] if self.events is None else [events_missing(self.events, self.at)]
        return events + ([records_missing(self.tables)] if self.records else [])


def events_missing(numbers: tuple[int, int], at: str) -> Text:
    first, last = numbers
    return say(
        "The head's disk lost entries {first} to {last} of the audit trail; the last was made at {at}. Do again at the "
        "desk what is missing.",
        first=first,
        last=last,
        at=at,
    )


def records_missing(tables: Iterable[int]) -> Text:
    return say(
        "The head's disk lost records of these tables: {tables}. A connected table sends them again by itself; results "
        "may be missing until then.",
        tables=", ".join(map(str, tables)),
    )


class HighWaterMark:
    """The mark of a store that is open; used by its writer only. A mark that cannot be written stops nothing."""

    def __init__(self, path: Path, now: StoreExtent) -> None:
        """``now``: how far the store goes. The file stays as it was until something is noted or it is written anew;
        records that the store lost stay in it until they are there again.
        """
        self._path = path
        before = read_mark(path)
        lost = {} if before is None else before.last_seq
        self._events: tuple[int, str, str] = now.events, now.last_hash, now.last_at
        self._seqs = dict(now.last_seq) | {row: seq for row, seq in lost.items() if seq > now.last_seq.get(row, 0)}
        self._file: int | None = None
        self._is_reported = False

    def note_event(self, event: OperatorEvent) -> None:
        self._events = event.number, event.hash, event.at
        self._add(_line("event", *self._events))

    def note_records(self, table: int, epoch: str, seq: int) -> None:
        self._seqs[table, epoch] = max(seq, self._seqs.get((table, epoch), 0))
        self._add(_line("records", table, epoch, seq))

    def write_anew(self) -> None:
        """Write the mark without its history, and force it to the disk."""
        self.close()
        lines = [_line("event", *self._events), *(_line("records", *row, seq) for row, seq in self._seqs.items())]
        try:
            write_secret(self._path, b"".join(lines))
            platform_compat.sync_folder(self._path.parent)
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | platform_compat.NO_LINK)
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _add(self, line: bytes) -> None:
        if self._file is None:
            self.write_anew()
            return
        try:
            if os.write(self._file, line) != len(line):
                self.write_anew()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        self.close()
        if not self._is_reported:
            log.warning("%s cannot be written (%s); a lost end of the store would not be noticed", self._path, error)
        self._is_reported = True


def read_mark(path: Path) -> StoreExtent | None:
    """Return how far the store beside a mark went; None: there is no mark. Damaged lines are skipped."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return None
    event = 0, "", ""
    seqs: dict[Journal, int] = {}
    for line in lines:
        match _values(line):
            case ["event", int(number), str(hash), str(at)]:
                event = number, hash, at
            case ["records", int(table), str(epoch), int(seq)]:
                seqs[table, epoch] = max(seq, seqs.get((table, epoch), 0))
    return StoreExtent(*event, seqs)


def missing_rows(mark: StoreExtent | None, connection: Connection) -> MissingRows:
    """Return what a store lacks of its mark. Read the mark first: a store in use grows."""
    if mark is None:
        return MissingRows()
    now, event = extent(connection), store_schema.operator_events.c
    hash = connection.execute(select(event.hash).where(event.number == mark.events)).scalar()
    events = (min(now.events + 1, mark.events), mark.events) if mark.events and hash != mark.last_hash else None
    records = {
        row: (now.last_seq.get(row, 0) + 1, seq) for row, seq in mark.last_seq.items() if seq > now.last_seq.get(row, 0)
    }
    return MissingRows(events, mark.last_at, records)


def rows_missing_in(source: Path | StoreLocation) -> MissingRows:
    """Return what a store, which may be in use, lacks of the mark beside it.

    :raises StoreError: it cannot be read.
    """
    mark = read_mark(mark_of(source) if isinstance(source, Path) else source.mark)
    with reading(source) as connection:
        return missing_rows(mark, connection)


def _line(*values: object) -> bytes:
    text = json.dumps(values, ensure_ascii=False).encode()
    return b"%08x %b\n" % (zlib.crc32(text), text)


def _values(line: bytes) -> object:
    check, _, text = line.partition(b" ")
    try:
        return json.loads(text) if int(check, 16) == zlib.crc32(text) else None
    except ValueError:
        return None
