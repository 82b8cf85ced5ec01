"""Authenticated messages between a table and its head about updates, logs and diagnostics (docs/setup/updates.md).

- One question of the table gets one answer of the head, both sealed with the table's key; a question counts only with
  the ticket of the last answer, so none counts twice.
- The messages are independent of the link's version, so a head that was updated first can still update the tables.
  Seals, versions and reading are those of ``kiosk.link.message_macs_versions_handshake``.
"""

from __future__ import annotations

import secrets
import struct
from enum import StrEnum
from typing import Literal

import msgspec

from engine.i18n import Text
from kiosk.link.errors import RemoteProtocolError
from kiosk.link.message_macs_versions_handshake import Seal, VersionRange, check_versions, read_message

PATH = "/service"
#: versions of these messages; programs of 2026 do not name theirs, which is the first
VERSIONS = FIRST = VersionRange(1, 1)
#: bytes of one chunk of an archive, of one report, and of a whole question or answer, at most
PIECE, REPORT, MAX_MESSAGE = 192 * 1024, 96 * 1024, 256 * 1024
TICKET_BYTES = 16

_HEAD = struct.Struct(f">4sH16s{TICKET_BYTES}s32s")
_MAGIC = b"OTHs"
_TO_HEAD, _TO_TABLE = b"othello-kiosk service to the head", b"othello-kiosk service to the table"

What = Literal["doctor", "log"]


class UpdateStage(StrEnum):
    """Progress of an update at a table. ``DONE``: the new version runs; ``FAILED``: the old version runs."""

    NONE = "none"
    FETCHING = "fetching"
    STAGING = "staging"
    STAGED = "staged"
    SWITCHING = "switching"
    DONE = "done"
    FAILED = "failed"


class UpdateOffer(msgspec.Struct, frozen=True):
    """An update offered to a table. ``id`` distinguishes repeated offers of one archive; ``size``: bytes of the
    archive.
    """

    id: str
    version: str
    sha256: str
    size: int


class ChunkRequest(msgspec.Struct, frozen=True):
    """The next chunk of an archive that a table requests."""

    sha256: str
    offset: int


class Inquiry(msgspec.Struct, frozen=True):
    id: str
    what: What


class InquiryReport(msgspec.Struct, frozen=True):
    """The answer to an inquiry, of at most ``REPORT`` bytes."""

    id: str
    what: What
    text: str


class TableReport(msgspec.Struct, frozen=True):
    """The table's question. ``offer``: the id of the offer that ``stage`` and ``why`` refer to; ``done``: bytes of it
    already received; ``takes``: whether this table supports updates by this path; ``rests``: whether it has no game.
    """

    version: str
    stage: UpdateStage = UpdateStage.NONE
    offer: str = ""
    done: int = 0
    why: Text | None = None
    rests: bool = True
    takes: bool = True
    want: ChunkRequest | None = None
    report: InquiryReport | None = None
    versions: VersionRange = FIRST


class HeadReply(msgspec.Struct, frozen=True):
    """The head's answer. ``counted``: whether the question had the right ticket; if not, the rest is empty and the
    table asks again. ``goes``: whether tables may download and change versions now (no event is running).
    """

    ticket: bytes
    counted: bool = True
    offer: UpdateOffer | None = None
    goes: bool = True
    piece: bytes = b""
    inquiry: Inquiry | None = None
    again_s: float = 20.0
    versions: VersionRange = FIRST


class SignedRequest:
    """A sent question, with the data to verify its answer.

    ``ticket``: of the last answer; empty bytes if there was none.
    """

    def __init__(
        self, table: int, key: bytes, ticket: bytes, report: TableReport, versions: VersionRange = VERSIONS
    ) -> None:
        self._key, self._nonce = key, secrets.token_bytes(16)
        payload = msgspec.msgpack.encode(msgspec.structs.replace(report, versions=versions))
        head = _HEAD.pack(_MAGIC, table, self._nonce, ticket.ljust(TICKET_BYTES, b"\0"), bytes(32))[:-32]
        self.frame = head + Seal(key, _TO_HEAD).of(head, payload) + payload

    def verify_reply(self, frame: bytes) -> HeadReply:
        """Return the answer in a frame.

        :raises RemoteProtocolError: it is not the head's answer to this question.
        """
        mac, payload = frame[:32], frame[32:]
        if not Seal(self._key, _TO_TABLE).proves(mac, self._nonce, payload):
            raise RemoteProtocolError.saying("the head does not prove this table's key")
        reply = read_message(HeadReply, payload)
        check_versions(VERSIONS, reply.versions)
        return reply


class ReceivedRequest(msgspec.Struct, frozen=True):
    """A received question before authentication."""

    table: int
    nonce: bytes
    ticket: bytes
    frame: bytes

    def verify_report(self, key: bytes) -> TableReport:
        """Return the content of the question.

        :raises RemoteProtocolError: not sealed with this key.
        """
        sealed, payload = self.frame[: _HEAD.size], self.frame[_HEAD.size :]
        if not Seal(key, _TO_HEAD).proves(sealed[-32:], sealed[:-32], payload):
            raise RemoteProtocolError.saying("the table does not prove its key")
        report = read_message(TableReport, payload)
        check_versions(VERSIONS, report.versions)
        return report

    def sign_reply(self, key: bytes, answer: HeadReply) -> bytes:
        payload = msgspec.msgpack.encode(msgspec.structs.replace(answer, versions=VERSIONS))
        return Seal(key, _TO_TABLE).of(self.nonce, payload) + payload


def read_request(frame: bytes) -> ReceivedRequest:
    """Return the question in a frame, not yet authenticated.

    :raises RemoteProtocolError: no question of a table.
    """
    if not _HEAD.size < len(frame) <= MAX_MESSAGE:
        raise RemoteProtocolError.saying("a question of {n} bytes", n=len(frame))
    magic, table, nonce, ticket, _ = _HEAD.unpack(frame[: _HEAD.size])
    if magic != _MAGIC:
        raise RemoteProtocolError.saying("no question of a table")
    return ReceivedRequest(table, nonce, ticket, frame)
