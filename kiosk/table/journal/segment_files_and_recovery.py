"""Segment files of the journal: format, recovery, writer (docs/reference/link-and-journal.md).

- Data that is not provably intact is not read.
- A segment is the magic, a header frame and entry frames; a frame is length, CRC-32 and payload.
- The CRC of an entry starts from the CRC of its segment's header, which holds a random salt, so that a stale block of a
  deleted file is never accepted as a record.
"""

from __future__ import annotations

import contextlib
import secrets
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast, get_args

import msgspec

from engine.i18n import Text, reason_of, say
from kiosk.link.link_messages import RecordType, TableRecord
from kiosk.table.journal.journal_storage_and_sd_card_alarms import LOCK, JournalError, Storage, note_in

MAGIC = b"OTHELLO\n"
FORMAT = 1
#: largest payload of one frame; a frame of the link holds at least one
MAX_PAYLOAD = 65_536
RECORD_TYPES = frozenset(get_args(RecordType))
BOOT = "boot"
#: journal entries that are never sent to the head
TICK = "tick"
ACKNOWLEDGED = "ack"

_FRAME = struct.Struct("<II")


class JournalVersionError(JournalError, ValueError):
    """The journal was written by another version of the program."""


class JournalClosedError(JournalError, RuntimeError):
    """The journal is closed and accepts no more records."""


class JournalFullError(JournalError, RuntimeError):
    """So many records wait for a disk that accepts none that memory is used up."""


class UnfitRecordError(JournalError, ValueError):
    """A record that the journal cannot store. Nothing was written."""


class SegmentHeader(msgspec.Struct, frozen=True):
    """Header of a segment. ``epoch`` is the random name of a sequence of records numbered from 1; the head counts by
    (table, epoch). ``afresh``: the contents of older segments were dropped, and the sequence begins here.
    """

    format: int
    epoch: str
    segment: int
    salt: bytes
    afresh: bool = False


class JournalEntry(msgspec.Struct, frozen=True, array_like=True):
    """One entry. ``saved``: the highest seq known to be durable when this was queued, so records after a journal's
    greatest ``saved`` may never have been synced. A ``tick`` or ``ack`` carries the seq it refers to and has no number
    of its own.
    """

    seq: int
    at_ns: int
    type: str
    body: dict[str, Any]
    saved: int

    def as_sent(self) -> TableRecord:
        return TableRecord(self.seq, cast(RecordType, self.type), self.body)


@dataclass(frozen=True, slots=True)
class CorruptTail:
    """The unreadable bytes of a segment, with everything after them in that segment."""

    file: str
    offset: int
    bytes_lost: int
    why: Text


@dataclass(frozen=True, slots=True)
class JournalSegment:
    """A parsed segment. ``beyond``: intact entries after the cut. They cannot be used, but their ``saved`` marks show
    whether the missing ones before them had been saved.
    """

    header: SegmentHeader | None
    entries: tuple[tuple[JournalEntry, bytes], ...]
    cut: CorruptTail | None
    beyond: tuple[JournalEntry, ...] = ()


decode_entry = msgspec.msgpack.Decoder(JournalEntry).decode
_decode_header = msgspec.msgpack.Decoder(SegmentHeader).decode


def encode_entry(entry: JournalEntry) -> bytes:
    """Return the payload of an entry, verified to be readable.

    :raises UnfitRecordError: the body cannot be encoded as msgpack, does not decode to the same, or is too large.
    """
    try:
        payload = msgspec.msgpack.encode(entry)
        decode_entry(payload)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        text = say("the body of the {type} record {seq} cannot be journaled: {why}")
        raise UnfitRecordError(text(type=entry.type, seq=entry.seq, why=error)) from error
    if len(payload) > MAX_PAYLOAD:
        text = say("the {type} record {seq} has {n} bytes; a journal record holds {most}")
        raise UnfitRecordError(text(type=entry.type, seq=entry.seq, n=len(payload), most=MAX_PAYLOAD))
    return payload


def frame(payload: bytes, seed: int) -> bytes:
    return _FRAME.pack(len(payload), zlib.crc32(payload, seed)) + payload


def new_header(epoch: str, segment: int, afresh: bool = False) -> tuple[bytes, int]:
    """Return the first bytes of a segment, and the seed of its entries' CRCs."""
    payload = msgspec.msgpack.encode(SegmentHeader(FORMAT, epoch, segment, secrets.token_bytes(8), afresh))
    return MAGIC + frame(payload, 0), zlib.crc32(payload)


def _payload_at(data: bytes, offset: int, seed: int) -> bytes | Text:
    """Return the payload of the frame at an offset, or why it cannot be read."""
    body = offset + _FRAME.size
    if len(data) < body:
        return say("the file ends inside a frame's head")
    length, crc = _FRAME.unpack_from(data, offset)
    # A file system may fill an unsynced tail with zeros, and the CRC-32 of an empty payload is 0.
    if not 0 < length <= MAX_PAYLOAD:
        return say("a frame cannot have {length} bytes", length=length)
    payload = data[body : body + length]
    if len(payload) < length:
        return say("the file ends inside a record")
    if zlib.crc32(payload, seed) != crc:
        return say("the checksum is wrong")
    return payload


def _entry_at(data: bytes, offset: int, seed: int) -> tuple[JournalEntry, bytes] | Text:
    payload = _payload_at(data, offset, seed)
    if isinstance(payload, Text):
        return payload
    try:
        return decode_entry(payload), payload
    except ValueError:
        return say("it is no record")


def _entries_beyond(data: bytes, offset: int, seed: int) -> tuple[JournalEntry, ...]:
    """Search for intact entries further on. The upper half of a frame's length is zero, so only two zero bytes can
    begin one.
    """
    found: list[JournalEntry] = []
    at = data.find(b"\0\0", offset)
    while at >= 0:
        start = at - 2
        read = _entry_at(data, start, seed) if start > offset and any(data[start:at]) else None
        if read is None or isinstance(read, Text):
            at = data.find(b"\0\0", at + 1)
        else:
            found.append(read[0])
            at = data.find(b"\0\0", start + _FRAME.size + len(read[1]))
    return tuple(found)


def read_segment(file: str, data: bytes) -> JournalSegment:
    """Read a segment as far as it is intact. Zeros at the end were reserved, or written and never synced.

    :raises JournalVersionError: an intact header of another format.
    """

    def cut(offset: int, why: Text) -> CorruptTail:
        return CorruptTail(file, offset, len(data) - offset, why)

    if data[: len(MAGIC)] != MAGIC:
        return JournalSegment(None, (), cut(0, say("the file does not begin like a journal segment")))
    payload = _payload_at(data, len(MAGIC), 0)
    if isinstance(payload, Text):
        return JournalSegment(None, (), cut(0, payload))
    try:
        header = _decode_header(payload)
    except ValueError:
        return JournalSegment(None, (), cut(0, say("it is no header")))
    if header.format != FORMAT:
        text = say(
            "{file} has journal format {format}, this program reads {ours}; use the version that wrote "
            "it, or give the table an empty data directory"
        )
        raise JournalVersionError(text(file=file, format=header.format, ours=FORMAT))
    seed = zlib.crc32(payload)
    entries: list[tuple[JournalEntry, bytes]] = []
    offset, end = len(MAGIC) + _FRAME.size + len(payload), len(data.rstrip(b"\0"))
    while offset < end:
        read = _entry_at(data, offset, seed)
        if isinstance(read, Text):
            return JournalSegment(header, tuple(entries), cut(offset, read), _entries_beyond(data, offset, seed))
        entries.append(read)
        offset += _FRAME.size + len(read[1])
    return JournalSegment(header, tuple(entries), None)


# Recovery of a journal directory after a crash or damage.
#
# - Recovery returns records 1..n without a gap, reports what it cut off, and never changes a file.
# - A record is returned once, however often it was written.
# - Old segments are never appended to: a torn end stays and is cut every time.
# - The number of records saved when the last program began and ended is stored beside the segments. If fewer are found,
#   a file is missing, or was cut where its contents do not show it.

SUFFIX = ".journal"


@dataclass(slots=True)
class RecoveredJournal:
    """Recovered journal, assembled from segments in the order in which they were made. ``records``: each entry with its
    payload; the one at index i has seq i + 1. ``last_at_ns`` is the last instant at which the table program is
    known to have run; ``in_play_ns`` the last at which it did more than start, as the time between two starts is
    charged to nobody. ``damaged``: records are missing that no crash explains; without ``epoch``, all of them.
    ``unread``: a segment could not be read.
    ``obsolete``: segments from before the journal started anew. ``size``: bytes of all segments.
    """

    epoch: str | None = None
    records: list[tuple[JournalEntry, bytes]] = field(default_factory=list)
    saved: int = 0
    acknowledged: int = 0
    last_at_ns: int | None = None
    in_play_ns: int | None = None
    cuts: list[CorruptTail] = field(default_factory=list)
    damaged: bool = False
    unread: bool = False
    last_segment: int = 0
    obsolete: tuple[int, ...] = ()
    size: int = 0

    @property
    def entries(self) -> list[JournalEntry]:
        return [entry for entry, _ in self.records]

    @property
    def is_whole(self) -> bool:
        """Return whether everything that was saved is here, as far as can be detected. Torn ends were never saved."""
        return not (self.damaged or self.unread)

    def begin_segment(self, epoch: str, afresh: bool) -> None:
        if afresh:
            self.records.clear()
            self.saved = 0
        if epoch != self.epoch:
            # The head does not know the new epoch yet, and damage in the old one has been answered by the renewal.
            self.epoch, self.acknowledged, self.damaged = epoch, 0, False
            self.saved = min(self.saved, len(self.records))

    def add(self, entry: JournalEntry, payload: bytes) -> None:
        self.saved = max(self.saved, entry.saved)
        if entry.type == ACKNOWLEDGED:
            self.acknowledged = entry.seq
        elif entry.type == TICK:
            self._extend_until(entry)
        else:
            self._take_record(entry, payload)

    def _take_record(self, entry: JournalEntry, payload: bytes) -> None:
        known = len(self.records)
        if entry.seq > known + 1:
            self.damaged = True
            return
        if entry.seq <= known:
            if self.records[entry.seq - 1][1] == payload:
                return  # written again in a new segment after a failed sync
            # An earlier recovery did not see the old record and reused its number: the later record is valid.
            del self.records[entry.seq - 1 :]
        self.records.append((entry, payload))
        self._extend_until(entry)

    def _extend_until(self, entry: JournalEntry) -> None:
        self.last_at_ns = max(self.last_at_ns or 0, entry.at_ns)
        if entry.type != BOOT:
            self.in_play_ns = max(self.in_play_ns or 0, entry.at_ns)


def segment_number(name: str) -> int | None:
    stem = name.removesuffix(SUFFIX)
    return int(stem) if name.endswith(SUFFIX) and stem.isascii() and stem.isdigit() else None


def segment_name(number: int) -> str:
    return f"{number:08d}{SUFFIX}"


def recover(directory: Path, storage: Storage | None = None) -> RecoveredJournal:
    """Read a journal without writing or locking anything.

    :raises JournalVersionError: another format.
    :raises OSError: the directory cannot be listed.
    """
    storage = storage or Storage()
    names = storage.names(directory)
    numbers = sorted(n for name in names if (n := segment_number(name)) is not None)
    found = RecoveredJournal(last_segment=numbers[-1] if numbers else 0)
    for number in numbers:
        name = segment_name(number)
        try:
            data = storage.read(directory / name)
        except OSError as error:
            found.cuts.append(CorruptTail(name, 0, 0, say("the file cannot be read: {why}", why=reason_of(error))))
            found.unread = True
            continue
        found.size += len(data)
        segment = read_segment(name, data)
        if segment.cut is not None:
            found.cuts.append(segment.cut)
        if segment.header is not None:
            found.begin_segment(segment.header.epoch, segment.header.afresh)
            if segment.header.afresh:
                found.obsolete = tuple(older for older in numbers if older < number)
            for entry, payload in segment.entries:
                found.add(entry, payload)
            for entry in segment.beyond:
                found.saved = max(found.saved, entry.saved)
    last = len(found.records)
    epoch, noted = "", 0
    with contextlib.suppress(OSError):  # best effort; some systems do not allow reading a locked file
        epoch, noted = _read_lock_note(storage.read(directory / LOCK)) if LOCK in names else ("", 0)
    found.damaged |= found.saved > last or (noted > last and found.epoch in (epoch, None))
    found.saved, found.acknowledged = min(found.saved, last), min(found.acknowledged, last)
    return found


def _read_lock_note(lock: bytes) -> tuple[str, int]:
    epoch, _, saved = note_in(lock).partition(" ")
    return epoch, int(saved) if saved.isascii() and saved.isdigit() and len(saved) < 12 else 0


# Writer of one journal segment.
#
# A segment in which any operation failed is never written or synced again. After a failed ``fdatasync`` the kernel may
# mark the lost pages clean, and a second try would report success although the data is lost.

#: space is reserved in steps of the second once a segment exceeds the first
FIRST_BYTES, STEP_BYTES = 4 * 1024, 128 * 1024


class SegmentWriter:
    """Writer of a new segment file, whose name is durable when the constructor returns.

    Space is reserved before it is needed, which halves what a sync writes or better. A segment that
    ends early, as when a program restarts again and again, reserves nothing.

    :raises OSError: by the constructor and ``commit``; then call ``abandon``.
    """

    def __init__(self, storage: Storage, directory: Path, epoch: str, number: int, afresh: bool = False) -> None:
        self.epoch = epoch
        self.size = 0
        self._storage = storage
        self._path = directory / segment_name(number)
        self._nothing_saved = True
        self._reserved = FIRST_BYTES
        start, self._seed = new_header(epoch, number, afresh)
        self._file = storage.create(self._path)
        try:
            self._write(start)
            storage.sync_directory(directory)
        except OSError:
            self.abandon()
            raise

    def commit(self, payloads: Iterable[bytes]) -> None:
        """Return when the payloads are durable."""
        data = b"".join(frame(payload, self._seed) for payload in payloads)
        self._make_room(len(data))
        self._write(data)
        self._file.sync()
        self._nothing_saved = False

    def abandon(self) -> None:
        """Give the segment up. One that never saved anything is removed, so that a full disk does not fill further."""
        with contextlib.suppress(OSError):
            self._file.close()
        if self._nothing_saved:
            with contextlib.suppress(OSError):
                self._storage.remove(self._path)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._file.trim()
        with contextlib.suppress(OSError):
            self._file.close()

    def _make_room(self, more: int) -> None:
        if self.size + more > self._reserved:
            self._reserved = self.size + more + STEP_BYTES
            with contextlib.suppress(OSError):  # a disk with little room, or one that cannot reserve space
                self._file.reserve(self._reserved)

    def _write(self, data: bytes) -> None:
        self.size += len(data)
        view = memoryview(data)
        while view:
            view = view[self._file.write(bytes(view)) :]
