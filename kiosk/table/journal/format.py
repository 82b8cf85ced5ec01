"""How a journal lies in its files (docs/journal.md).

The law: bytes -> entries, and back; what is not provably whole is not read. A segment is the magic, a header frame and
entry frames; a frame is length, CRC-32 and payload. The CRC of an entry starts from the CRC of its segment's header,
which holds a random salt, so that a stale block of a deleted file is never taken for a record.
"""

from __future__ import annotations

import secrets
import struct
import zlib
from dataclasses import dataclass
from typing import Any, get_args

import msgspec

from engine.text import TextError, say
from kiosk.link.messages import RecordType

MAGIC = b"OTHELLO\n"
FORMAT = 1
#: the largest payload of one frame; the link's frames hold at least one of these
MAX_PAYLOAD = 65_536
RECORD_TYPES = frozenset(get_args(RecordType))
BOOT = "boot"
#: entries of the journal that never leave the table
TICK = "tick"
ACKNOWLEDGED = "ack"

_FRAME = struct.Struct("<II")


class JournalError(TextError):
    """Something is wrong with a journal."""


class JournalVersionError(JournalError, ValueError):
    """The journal was written by another version of the program."""


class JournalInUseError(JournalError, RuntimeError):
    """Another process writes this journal."""


class JournalClosedError(JournalError, RuntimeError):
    """The journal takes no more records."""


class JournalFullError(JournalError, RuntimeError):
    """So many records wait for a medium that takes nothing that no more fit into memory."""


class UnfitRecordError(JournalError, ValueError):
    """A record that the journal cannot hold. Nothing was written."""


class Header(msgspec.Struct, frozen=True):
    """``epoch`` is the random name of a row of records numbered from 1; the head counts by (table, epoch). ``afresh``:
    what older segments hold was let go, and the row begins here."""

    format: int
    epoch: str
    segment: int
    salt: bytes
    afresh: bool = False


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """``saved``: what was known to be durable when this was queued, so records after the greatest ``saved`` of a
    journal may never have been synced. A ``tick`` or ``ack`` carries the seq it speaks of and has no number."""

    seq: int
    at_ns: int
    type: str
    body: dict[str, Any]
    saved: int


@dataclass(frozen=True, slots=True)
class Cut:
    """Bytes of a segment that could not be read, and everything after them in that segment."""

    file: str
    offset: int
    bytes_lost: int
    why: str


@dataclass(frozen=True, slots=True)
class Segment:
    """``beyond``: whole entries after the cut. They follow on nothing, but their ``saved`` marks tell whether what is
    missing before them was ever called saved."""

    header: Header | None
    entries: tuple[tuple[Entry, bytes], ...]
    cut: Cut | None
    beyond: tuple[Entry, ...] = ()


decode_entry = msgspec.msgpack.Decoder(Entry).decode
_decode_header = msgspec.msgpack.Decoder(Header).decode


def encode_entry(entry: Entry) -> bytes:
    """The payload of an entry, which is proved to be readable.

    :raises UnfitRecordError: the body cannot be written as msgpack, does not come back, or is too large.
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
    """The first bytes of a segment, and the seed of its entries' CRCs."""
    payload = msgspec.msgpack.encode(Header(FORMAT, epoch, segment, secrets.token_bytes(8), afresh))
    return MAGIC + frame(payload, 0), zlib.crc32(payload)


def _payload_at(data: bytes, offset: int, seed: int) -> bytes | str:
    """The payload of the frame at an offset, or why there is none."""
    body = offset + _FRAME.size
    if len(data) < body:
        return "the file ends inside a frame's head"
    length, crc = _FRAME.unpack_from(data, offset)
    # a file system may fill an unsynced tail with zeros, and the CRC-32 of nothing is 0
    if not 0 < length <= MAX_PAYLOAD:
        return f"a frame cannot have {length} bytes"
    payload = data[body : body + length]
    if len(payload) < length:
        return "the file ends inside a record"
    if zlib.crc32(payload, seed) != crc:
        return "the checksum is wrong"
    return payload


def _entry_at(data: bytes, offset: int, seed: int) -> tuple[Entry, bytes] | str:
    payload = _payload_at(data, offset, seed)
    if isinstance(payload, str):
        return payload
    try:
        return decode_entry(payload), payload
    except ValueError as error:
        return f"not a record: {error}"


def _entries_beyond(data: bytes, offset: int, seed: int) -> tuple[Entry, ...]:
    """Looks for whole entries further on. The upper half of a frame's length is zero, so only two zeros can be one."""
    found: list[Entry] = []
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


def read_segment(file: str, data: bytes) -> Segment:
    """Reads as far as everything is whole. Zeros at the end were set aside, or written and never synced.

    :raises JournalVersionError: a whole header of another format.
    """

    def cut(offset: int, why: str) -> Cut:
        return Cut(file, offset, len(data) - offset, why)

    if data[: len(MAGIC)] != MAGIC:
        return Segment(None, (), cut(0, "the file does not begin like a journal segment"))
    payload = _payload_at(data, len(MAGIC), 0)
    if isinstance(payload, str):
        return Segment(None, (), cut(0, payload))
    try:
        header = _decode_header(payload)
    except ValueError as error:
        return Segment(None, (), cut(0, f"not a header: {error}"))
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
    entries: list[tuple[Entry, bytes]] = []
    offset, end = len(MAGIC) + _FRAME.size + len(payload), len(data.rstrip(b"\0"))
    while offset < end:
        read = _entry_at(data, offset, seed)
        if isinstance(read, str):
            return Segment(header, tuple(entries), cut(offset, read), _entries_beyond(data, offset, seed))
        entries.append(read)
        offset += _FRAME.size + len(read[1])
    return Segment(header, tuple(entries), None)
