"""Durable journal of one table, which is also the outbox of the link (promise 2).

- ``append`` never waits for the disk. One writer thread commits what is queued with one ``fdatasync``; a record is
  saved only when that has returned without an error.
- After any error everything unsaved is written again into a new segment. The game goes on, and the arbiter is informed.
- Records stay in memory (some hundred bytes each) until the program ends, and on disk, because a head restored from a
  backup fetches them all again. Only a journal beyond its size limit starts anew, at a program start, if its owner no
  longer needs its records.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from engine.i18n import say
from kiosk.link.link_messages import TableRecord, TroubleInfo
from kiosk.table.journal.journal_storage_and_sd_card_alarms import (
    JOURNAL_GONE,
    RECORDS_LOST,
    JournalAlarms,
    JournalInUseError,
    Storage,
)
from kiosk.table.journal.segment_files_and_recovery import (
    ACKNOWLEDGED,
    BOOT,
    RECORD_TYPES,
    TICK,
    JournalClosedError,
    JournalEntry,
    JournalFullError,
    RecoveredJournal,
    SegmentWriter,
    UnfitRecordError,
    decode_entry,
    encode_entry,
    recover,
    segment_name,
    segment_number,
)

log = logging.getLogger(__name__)

#: most records in one commit, so that a disk with little room left still accepts some
BATCH_RECORDS = 4096
#: limit of bytes that wait for a failing disk; a game is about 50 kB
MAX_UNSAVED_BYTES = 32 * 1024 * 1024
#: size after which a new segment is begun
SEGMENT_BYTES = 4 * 1024 * 1024
#: size limit of the journal; more than a thousand games
MAX_BYTES = 64 * 1024 * 1024
#: the head's acknowledgements are written with the next batch, or after this time without one
ACK_S = 5.0


@dataclass(frozen=True, slots=True)
class JournalCallbacks:
    """Callbacks of the journal. They run in the writer's or the link's thread and must only forward the news.
    ``trouble`` receives all present alarms, and none when all is well again.
    """

    durable: Callable[[int], None] = lambda seq: None
    acknowledged: Callable[[int], None] = lambda seq: None
    trouble: Callable[[tuple[TroubleInfo, ...]], None] = lambda troubles: None
    now_ns: Callable[[], int] = time.monotonic_ns
    wall_ns: Callable[[], int] = time.time_ns


@dataclass(frozen=True, slots=True)
class _Batch:
    epoch: str
    records: list[bytes]
    local: list[bytes]
    acknowledged: int


def kernel_boot_id() -> str:
    """Return the id of the running kernel: monotonic times of two starts are comparable only if it is the same."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return secrets.token_hex(16)


def _empty_after(recovered: RecoveredJournal) -> RecoveredJournal:
    """Return an empty journal that replaces this one."""
    last = recovered.last_segment
    return RecoveredJournal(last_at_ns=recovered.last_at_ns, last_segment=last, obsolete=tuple(range(1, last + 1)))


class JournalWriter(Protocol):
    """What writes the journal's queue: a thread, or any other caller of ``Journal.write_some``."""

    def start(self) -> None: ...

    def wake(self) -> None:
        """Signal that something is queued. Called with the journal's lock held; never waits."""

    def join(self, timeout_s: float) -> bool:
        """Write what is left after the journal was closed. False: it did not finish in that time."""


class WriterThread:
    """Writer thread, woken by the journal's own lock."""

    def __init__(self, journal: Journal) -> None:
        self._thread = threading.Thread(target=journal.write_until_closed, name="journal", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        pass

    def join(self, timeout_s: float) -> bool:
        if self._thread.ident is None:
            self._thread.start()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()


class Journal:
    """A journal open for writing. ``recovered`` is what the directory held before this start's ``boot`` record.

    ``append``, ``tick`` and what a screen reads belong to the main loop, the outbox methods to the link's thread.
    """

    def __init__(
        self,
        directory: Path,
        *,
        storage: Storage | None = None,
        calls: JournalCallbacks | None = None,
        retry_s: float = 1.0,
        max_bytes: int = MAX_BYTES,
        may_begin_afresh: Callable[[RecoveredJournal], bool] = lambda recovered: False,
        about: Mapping[str, object] = MappingProxyType({}),
        writer: Callable[[Journal], JournalWriter] = WriterThread,
    ) -> None:
        """Lock and recover the directory, and append this start's ``boot`` record with ``about``, information on this
        start for the arbiter. Nothing is written before ``start``.

        ``calls.now_ns`` may restart from zero with each boot of the machine: the journal's times are ``offset_ns``
        later and never go back.

        :raises JournalInUseError: another program has it open.
        :raises JournalVersionError: another version wrote it.
        :raises OSError: the directory cannot be made or listed.
        """
        self.directory, self._storage, self._retry_s = directory, storage or Storage(), retry_s
        self._storage.make_directory(directory)
        self._lock = self._storage.lock(directory)
        try:
            recovered = recover(directory, self._storage)
        except BaseException:
            self._lock.close()
            raise
        for cut in recovered.cuts:
            log.warning("%s: %s at byte %d; %d bytes are not read", cut.file, cut.why, cut.offset, cut.bytes_lost)
        calls = calls or JournalCallbacks()
        now_ns, wall_ns = calls.now_ns, calls.wall_ns
        self.offset_ns = offset_ns = max(0, (recovered.last_at_ns or 0) - now_ns())
        if recovered.size > max_bytes and recovered.is_whole and may_begin_afresh(recovered):
            recovered = _empty_after(recovered)
        self.recovered = recovered
        self._calls = replace(calls, now_ns=lambda: now_ns() + offset_ns)
        self._wake = threading.Condition()
        self._payloads = [payload for _, payload in recovered.records]
        # Records after the last known sync may exist only in the page cache, so they are written and synced again.
        self._saved = recovered.saved
        self._unsaved_bytes = sum(map(len, self._payloads[self._saved :]))
        self._epoch = recovered.epoch or secrets.token_hex(8)
        self._offered = len(self._payloads)
        self._acknowledged = self._acknowledged_on_disk = recovered.acknowledged
        self._starts_anew = bool(recovered.obsolete) and recovered.epoch is None
        self._obsolete = recovered.obsolete
        self._tick: bytes | None = None
        self._segment: SegmentWriter | None = None
        self._segment_number = recovered.last_segment
        self._troubles = JournalAlarms()
        self._closing = False
        self._noted = False
        if recovered.damaged:
            self._renew_epoch(JOURNAL_GONE if recovered.epoch is None else RECORDS_LOST)
        self._writer: JournalWriter = writer(self)
        at_ns = self._calls.now_ns()  # with the wall time it dates the following records for readers
        self.append(BOOT, {"boot_id": kernel_boot_id(), "wall_ns": wall_ns(), "at_ns": at_ns, **about}, at_ns)

    def start(self) -> Journal:
        """Begin to write."""
        self._writer.start()
        return self

    # --- the loop's side -------------------------------------------------------------------------------------------

    def append(self, type: str, body: dict[str, Any], at_ns: int | None = None) -> int:
        """Queue a record and return its seq. Never waits for the disk.

        :raises UnfitRecordError: the type or the body cannot be stored.
        :raises JournalFullError: the disk has failed for so long that memory is used up.
        :raises JournalClosedError: after ``close``.
        """
        if type not in RECORD_TYPES:
            text = say("no record has the type {type!r}; the types are {known}")
            raise UnfitRecordError(text(type=type, known=", ".join(sorted(RECORD_TYPES))))
        at_ns = self._calls.now_ns() if at_ns is None else at_ns
        with self._wake:
            if self._closing:
                raise JournalClosedError(say("the journal is closed; open it again to append"))
            if self._unsaved_bytes > MAX_UNSAVED_BYTES:
                text = say("{n} bytes could not yet be written to {directory}; repair the disk")
                raise JournalFullError(text(n=self._unsaved_bytes, directory=self.directory))
            seq = len(self._payloads) + 1
            payload = encode_entry(JournalEntry(seq, at_ns, type, body, self._saved))
            self._payloads.append(payload)
            self._unsaved_bytes += len(payload)
            self._notify()
        return seq

    def tick(self, at_ns: int) -> None:
        """Record that the program is alive, so that a restored clock is at most one tick off. Of ticks waiting for the
        disk only the last is kept.
        """
        with self._wake:
            self._tick = encode_entry(JournalEntry(len(self._payloads), at_ns, TICK, {}, self._saved))
            self._notify()

    @property
    def appended(self) -> int:
        """Seq of the last record, saved or not."""
        return len(self._payloads)

    def entries(self, first: int, last: int | None = None) -> list[JournalEntry]:
        """Return the records ``first`` to ``last``, or to the end, saved or not."""
        with self._wake:
            payloads = self._payloads[first - 1 : last]
        return [decode_entry(payload) for payload in payloads]

    @property
    def unsynced(self) -> int:
        """Number of records that the head has not acknowledged."""
        return len(self._payloads) - self._acknowledged

    @property
    def unsynced_since_ns(self) -> int | None:
        """Return when the oldest record that the head has not acknowledged was written."""
        with self._wake:
            if self._acknowledged >= len(self._payloads):
                return None
            return decode_entry(self._payloads[self._acknowledged]).at_ns

    @property
    def troubles(self) -> tuple[TroubleInfo, ...]:
        return self._troubles()

    def flush(self, timeout_s: float) -> bool:
        """Wait until everything appended so far is saved. Not for the main loop."""
        with self._wake:
            seq = len(self._payloads)
            return self._wake.wait_for(lambda: self._saved >= seq, timeout_s)

    def close(self, timeout_s: float = 5.0) -> bool:
        """Save what can be saved and stop. False: the disk did not accept everything in that time."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        if not self._writer.join(timeout_s):
            return False  # a write may still complete, so the lock stays until the process ends
        self._note()
        self._lock.close()
        return self._saved == len(self._payloads)

    # --- the link's side (kiosk.link.endpoints.table_link.RecordOutbox) --------------------------------------------

    @property
    def epoch(self) -> str:
        return self._epoch

    def last_seq(self) -> int:
        """Return the seq of the last saved record; unsaved records are never sent."""
        return self._saved

    def records_after(self, seq: int, limit: int) -> list[TableRecord]:
        with self._wake:
            payloads = self._payloads[seq : min(seq + limit, self._saved)]
            self._offered = max(self._offered, seq + len(payloads))
        return [decode_entry(payload).as_sent() for payload in payloads]

    def acknowledged(self, seq: int) -> None:
        """Note that the head has committed 1..seq of this epoch. Written with the next batch only, since the head
        stores it too.

        If the head has records that this journal never offered, the card has lost saved records, and numbers after the
        loss are ambiguous. All remaining records are then sent again under a new epoch.
        """
        with self._wake:
            lost = seq > self._offered
            if lost:
                self._renew_epoch(RECORDS_LOST)
            else:
                self._acknowledged = seq
            self._notify()
        self._calls.acknowledged(0 if lost else seq)
        if lost:
            self._calls.trouble(self._troubles())

    def _notify(self) -> None:
        self._wake.notify_all()
        self._writer.wake()

    def _renew_epoch(self, why: TroubleInfo) -> None:
        self._epoch = secrets.token_hex(8)
        self._acknowledged = self._acknowledged_on_disk = self._offered = 0
        self._troubles.lost(why)

    # --- the writer ------------------------------------------------------------------------------------------------

    def write_until_closed(self) -> None:
        """Run the writer's thread until the journal is closed."""
        self.report_alarms()
        failures = 0
        while (batch := self._next_batch()) is not None:
            if self._write(batch):
                failures = 0
            else:
                failures += 1
                if failures > 1:  # the first retry is immediate: a new segment solves a failed sync
                    self._wait_for_retry()
                if self._closing and failures > 2:
                    break
        if self._segment is not None:
            self._segment.close()

    def report_alarms(self) -> None:
        """Report the alarms found at the start to the callback."""
        if self._troubles():
            self._calls.trouble(self._troubles())

    def write_some(self) -> bool:
        """Commit what is queued, up to one batch, without waiting; for a writer that is not a thread. False: the disk
        failed, and the same batch is to be written again.
        """
        with self._wake:
            batch = self._batch() if self.has_news else None
        return batch is None or self._write(batch)

    @property
    def has_work(self) -> bool:
        """Return whether records wait to be saved. Call it with the journal's lock held, or without other threads."""
        renewed = self._segment is not None and self._segment.epoch != self._epoch
        return self._saved < len(self._payloads) or self._tick is not None or renewed

    @property
    def has_news(self) -> bool:
        """Return whether anything waits to be written, including acknowledgements, which may wait for ``ACK_S``."""
        return self.has_work or self._acknowledged != self._acknowledged_on_disk

    def _next_batch(self) -> _Batch | None:
        """Return what to write next; None when the journal is closed and nothing is left."""
        with self._wake:
            while not (self._closing or self.has_work):
                news = self._acknowledged != self._acknowledged_on_disk
                if not self._wake.wait(ACK_S if news else None):
                    break  # only an acknowledgement, and nothing to write it with arrived in time
            return self._batch() if self.has_news else None

    def _batch(self) -> _Batch:
        records = self._payloads[self._saved : self._saved + BATCH_RECORDS]
        local = [] if self._tick is None else [self._tick]
        self._tick = None
        if self._acknowledged != self._acknowledged_on_disk:
            entry = JournalEntry(self._acknowledged, self._calls.now_ns(), ACKNOWLEDGED, {}, self._saved)
            local.append(encode_entry(entry))
        return _Batch(self._epoch, records, local, self._acknowledged)

    def _write(self, batch: _Batch) -> bool:
        try:
            self._commit(batch)
        except OSError as error:
            self._give_up_segment(error)
            return False
        self._mark_saved(batch)
        return True

    def _commit(self, batch: _Batch) -> None:
        segment = self._segment
        if segment is None or segment.epoch != batch.epoch or segment.size > SEGMENT_BYTES:
            if segment is not None:
                segment.close()
                self._segment = None
            self._segment_number += 1
            self._segment = segment = SegmentWriter(
                self._storage, self.directory, batch.epoch, self._segment_number, self._starts_anew
            )
        segment.commit([*batch.records, *batch.local])

    def _mark_saved(self, batch: _Batch) -> None:
        with self._wake:
            self._saved += len(batch.records)
            self._unsaved_bytes -= sum(map(len, batch.records))
            if batch.epoch == self._epoch:
                self._acknowledged_on_disk = batch.acknowledged
            news = self._troubles.saved()
            saved = self._saved
            self._wake.notify_all()
        if self._obsolete:
            self._remove_obsolete()
        if batch.records:
            self._calls.durable(saved)
        if not self._noted:
            self._note()
        if news:
            self._calls.trouble(self._troubles())

    def _note(self) -> None:
        self._noted = True
        if self._segment is not None:  # otherwise nothing of this start is on the disk, not even its epoch
            self._lock.note(f"{self._segment.epoch} {self._saved}")

    def _remove_obsolete(self) -> None:
        """Remove the old segments after a fresh start, once a record of it is saved."""
        self._starts_anew = False
        for number in self._obsolete:
            with contextlib.suppress(OSError):  # the next start tries again
                self._storage.remove(self.directory / segment_name(number))
        self._obsolete = ()

    def _give_up_segment(self, error: OSError) -> None:
        if self._segment is not None:
            self._segment.abandon()
            self._segment = None
        if self._troubles.failed(error):
            self._calls.trouble(self._troubles())

    def _wait_for_retry(self) -> None:
        with self._wake:
            self._wake.wait_for(lambda: self._closing, self._retry_s)


def rebuild_journal(directory: Path, epoch: str, records: Sequence[TableRecord]) -> None:
    """Write a table's journal from the head's copy of its records, for a spare that replaces the table; it is durable
    on return. The spare continues in the same epoch, so nothing is sent twice. The table's key must be replaced first:
    the old device may hold other records under the next numbers.

    :raises JournalInUseError: the directory already has a journal.
    :raises OSError: it cannot be written.
    """
    storage = Storage()
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
    event before them. A game that the head assigned again begins before its first event, which is written again with
    its earlier time.
    """
    times = [_event_ns(record) for record in records if record.type == "event"]
    at_ns = times[0] if times else 0
    entries = []
    for n, record in enumerate(records):
        if record.type == "event":
            at_ns = max(at_ns, _event_ns(record))
        elif record.type == "assigned":
            game = takewhile(lambda one: one.type not in ("assigned", "withdrawn"), records[n + 1 :])
            first_ns = next((_event_ns(one) for one in game if one.type == "event"), None)
            if n and first_ns is not None and first_ns <= at_ns:
                at_ns = first_ns - 1
        entries.append(JournalEntry(record.seq, at_ns, record.type, record.body, 0))
    return entries


def _event_ns(record: TableRecord) -> int:
    at_ns: int = record.body["event"]["at_ns"]
    return at_ns
