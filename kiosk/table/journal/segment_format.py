"""File format of the journal: bytes to entries and back (docs/reference/link-and-journal.md).

- Data that is not provably intact is not read.
- A segment is the magic, a header frame and entry frames; a frame is length, CRC-32 and payload.
- The CRC of an entry starts from the CRC of its segment's header, which holds a random salt, so that a stale block of a
  deleted file is never accepted as a record.
"""

from __future__ import annotations

import secrets
import struct
import zlib
from dataclasses import dataclass
from typing import Any, get_args

import msgspec

from engine.i18n import LocalizedError, say
from kiosk.link.link_messages import RecordType

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


class JournalError(LocalizedError):
    """Base class of errors of a journal."""


class JournalVersionError(JournalError, ValueError):
    """The journal was written by another version of the program."""


class JournalInUseError(JournalError, RuntimeError):
    """Another process has the journal open for writing."""


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


@dataclass(frozen=True, slots=True)
class CorruptTail:
    """The unreadable bytes of a segment, with everything after them in that segment."""

    file: str
    offset: int
    bytes_lost: int
    why: str


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
        raise UnfitRecordError(
            say(
                "the body of the {type} record {seq} cannot be journaled: {why}",
                type=entry.type,
                seq=entry.seq,
                why=error,
            )
        ) from error
    if len(payload) > MAX_PAYLOAD:
        raise UnfitRecordError(
            say(
                "the {type} record {seq} has {n} bytes; a journal record holds {most}",
                type=entry.type,
                seq=entry.seq,
                n=len(payload),
                most=MAX_PAYLOAD,
            )
        )
    return payload


def frame(payload: bytes, seed: int) -> bytes:
    return _FRAME.pack(len(payload), zlib.crc32(payload, seed)) + payload


def new_header(epoch: str, segment: int, afresh: bool = False) -> tuple[bytes, int]:
    """Return the first bytes of a segment, and the seed of its entries' CRCs."""
    payload = msgspec.msgpack.encode(SegmentHeader(FORMAT, epoch, segment, secrets.token_bytes(8), afresh))
    return MAGIC + frame(payload, 0), zlib.crc32(payload)


def _payload_at(data: bytes, offset: int, seed: int) -> bytes | str:
    """Return the payload of the frame at an offset, or why it cannot be read."""
    body = offset + _FRAME.size
    if len(data) < body:
        return "the file ends inside a frame's head"
    length, crc = _FRAME.unpack_from(data, offset)
    # A file system may fill an unsynced tail with zeros, and the CRC-32 of an empty payload is 0.
    if not 0 < length <= MAX_PAYLOAD:
        return f"a frame cannot have {length} bytes"
    payload = data[body : body + length]
    if len(payload) < length:
        return "the file ends inside a record"
    if zlib.crc32(payload, seed) != crc:
        return "the checksum is wrong"
    return payload


def _entry_at(data: bytes, offset: int, seed: int) -> tuple[JournalEntry, bytes] | str:
    payload = _payload_at(data, offset, seed)
    if isinstance(payload, str):
        return payload
    try:
        return decode_entry(payload), payload
    except ValueError as error:
        return f"not a record: {error}"


def _entries_beyond(data: bytes, offset: int, seed: int) -> tuple[JournalEntry, ...]:
    """Search for intact entries further on. The upper half of a frame's length is zero, so only two zero bytes can
    begin one.
    """
    found: list[JournalEntry] = []
    at = data.find(b"\0\0", offset)
    while at >= 0:
        start = at - 2
        read = _entry_at(data, start, seed) if start > offset and any(data[start:at]) else ""
        if isinstance(read, str):
            at = data.find(b"\0\0", at + 1)
        else:
            found.append(read[0])
            at = data.find(b"\0\0", start + _FRAME.size + len(read[1]))
    return tuple(found)


def read_segment(file: str, data: bytes) -> JournalSegment:
    """Read a segment as far as it is intact. Zeros at the end were reserved, or written and never synced.

    :raises JournalVersionError: an intact header of another format.
    """

    def cut(offset: int, why: str) -> CorruptTail:
        return CorruptTail(file, offset, len(data) - offset, why)

    if data[: len(MAGIC)] != MAGIC:
        return JournalSegment(None, (), cut(0, "the file does not begin like a journal segment"))
    payload = _payload_at(data, len(MAGIC), 0)
    if isinstance(payload, str):
        return JournalSegment(None, (), cut(0, payload))
    try:
        header = _decode_header(payload)
    except ValueError as error:
        return JournalSegment(None, (), cut(0, f"not a header: {error}"))
    if header.format != FORMAT:
        raise JournalVersionError(
            say(
                "{file} has journal format {format}, this program reads {ours}; use the version that wrote "
                "it, or give the table an empty data directory",
                file=file,
                format=header.format,
                ours=FORMAT,
            )
        )
    seed = zlib.crc32(payload)
    entries: list[tuple[JournalEntry, bytes]] = []
    offset, end = len(MAGIC) + _FRAME.size + len(payload), len(data.rstrip(b"\0"))
    while offset < end:
        read = _entry_at(data, offset, seed)
        if isinstance(read, str):
            return JournalSegment(header, tuple(entries), cut(offset, read), _entries_beyond(data, offset, seed))
        entries.append(read)
        offset += _FRAME.size + len(read[1])
    return JournalSegment(header, tuple(entries), None)
