"""Authentication of messages between machines: handshake, MACs and protocol versions, and the decoding of
authenticated messages (docs/reference/link-and-journal.md).

- A message is read only after its seal was verified. A field that this version does not know is ignored, so a new field
  needs no new version; a field that must not be ignored does.
- Both sides name the range of versions that they read, and use the newest common one.

The link, updates and the federation share it. The frames of the link are here too: nothing from an unauthenticated peer
reaches a decoder. The two handshake frames before authentication have a fixed layout; all other bytes are read only
after the MAC over them, over both sides' handshake and over the direction and counter has been verified.
"""

from __future__ import annotations

import hmac
import struct
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeVar

import msgspec

from engine.i18n import say
from kiosk.json_validation import warm_up
from kiosk.link.errors import RemoteProtocolError

T = TypeVar("T")


class VersionRange(NamedTuple):
    """The versions of a protocol that a side reads."""

    oldest: int
    newest: int

    def common(self, theirs: VersionRange) -> int | None:
        """Return the newest version that both sides read; None: there is none."""
        newest = min(self.newest, theirs.newest)
        return newest if newest >= max(self.oldest, theirs.oldest) else None


def check_versions(ours: VersionRange, theirs: VersionRange) -> None:
    """Check that both sides read a common version.

    :raises RemoteProtocolError: they do not; the message names the side to update.
    """
    if ours.common(theirs) is None:
        sentence = (
            say("the other side reads versions {theirs}, this side {ours}; update this side")
            if ours.newest < theirs.oldest
            else say("the other side reads versions {theirs}, this side {ours}; update the other side")
        )
        raise RemoteProtocolError(sentence(theirs="{}-{}".format(*theirs), ours="{}-{}".format(*ours)))


class Seal:
    """HMAC-SHA256 with one key over a context and a message. The context is not sent: it binds a message to its
    direction, connection or question.
    """

    def __init__(self, key: bytes, context: bytes, size: int = 32) -> None:
        """``size``: bytes of the seal."""
        self._begun, self._size = hmac.new(key, context, "sha256"), size

    def of(self, *parts: bytes) -> bytes:
        """Return the seal of a message. ``hmac.digest`` is not used: it releases the GIL at every frame, which cost
        60 µs each when a head stopped 500 tables.
        """
        mac = self._begun.copy()
        for part in parts:
            mac.update(part)
        return mac.digest()[: self._size]

    def proves(self, found: bytes, *parts: bytes) -> bool:
        """Check the seal of a message."""
        return hmac.compare_digest(found, self.of(*parts))


def read_message(kind: type[T], payload: bytes) -> T:
    """Return the message in a payload whose seal was verified.

    :raises RemoteProtocolError: it is not of this kind.
    """
    try:
        return msgspec.msgpack.decode(payload, type=warm_up(kind))
    except (ValueError, RecursionError) as error:
        raise RemoteProtocolError(say("a message cannot be read: {why}", why=error)) from None


#: versions of the link. Version 2 rejects unknown fields. The layout of challenge, claim and seal is the same in all,
#: so that two versions can report to each other that they differ
VERSIONS = VersionRange(2, 3)
NONCE_BYTES = 16
MAC_BYTES = 16
KEY_BYTES = 32
#: the largest frame either side accepts
MAX_FRAME = 262_144
MAX_TABLE = 65_535

_CHALLENGE = struct.Struct(f">4sBB{NONCE_BYTES}s")
_CLAIM = struct.Struct(f">4sBH{NONCE_BYTES}s")
_CHALLENGE_MAGIC, _CLAIM_MAGIC = b"OTHh", b"OTHt"
_COUNTER = struct.Struct(">Q")
#: bytes that sealing adds to a payload
SEAL_BYTES = _COUNTER.size + MAC_BYTES


class FrameDirection(Enum):
    TO_HEAD = b"t"
    TO_TABLE = b"h"


@dataclass(frozen=True, slots=True)
class AuthChallenge:
    """The head's first message: the protocol versions it supports and its nonce."""

    versions: VersionRange
    nonce: bytes

    def encode(self) -> bytes:
        return _CHALLENGE.pack(_CHALLENGE_MAGIC, *self.versions, self.nonce)

    @classmethod
    def decode(cls, frame: bytes) -> AuthChallenge:
        if len(frame) != _CHALLENGE.size or not frame.startswith(_CHALLENGE_MAGIC):
            raise RemoteProtocolError(say("the other side does not behave like a head; check the address"))
        _, oldest, newest, nonce = _CHALLENGE.unpack(frame)
        return cls(VersionRange(oldest, newest), nonce)


@dataclass(frozen=True, slots=True)
class Hello:
    """The first part of a hello frame: the claimed table, the version it chose, and its nonce."""

    version: int
    table: int
    nonce: bytes

    def encode(self) -> bytes:
        return _CLAIM.pack(_CLAIM_MAGIC, self.version, self.table, self.nonce)

    @classmethod
    def decode(cls, frame: bytes) -> tuple[Hello, bytes]:
        """Return the claim and the sealed rest that must prove it."""
        if len(frame) < _CLAIM.size or not frame.startswith(_CLAIM_MAGIC):
            raise RemoteProtocolError(say("the other side does not behave like a table"))
        return cls(*_CLAIM.unpack_from(frame)[1:]), frame[_CLAIM.size :]


def handshake_bytes(challenge: AuthChallenge, claim: Hello) -> bytes:
    """Return the handshake bytes of both sides before the first seal, as sent: nonces, offered versions, chosen version
    and table.
    """
    return challenge.encode() + claim.encode()


class MacWriter:
    """Sealer of the frames of one direction of one connection; its ``handshake`` is covered by every MAC."""

    def __init__(self, key: bytes, handshake: bytes, direction: FrameDirection) -> None:
        self._seal = Seal(key, direction.value + handshake, MAC_BYTES)
        self._counter = 0

    def seal(self, payload: bytes) -> bytes:
        self._counter += 1
        counter = _COUNTER.pack(self._counter)
        return counter + self._seal.of(counter, payload) + payload


class MacReader:
    """Opener of the frames of one direction. A counter may skip values, because carriers lose frames; a frame whose
    counter does not rise is a duplicate, late or a replay, and is ignored.
    """

    def __init__(self, key: bytes, handshake: bytes, direction: FrameDirection) -> None:
        self._seal = Seal(key, direction.value + handshake, MAC_BYTES)
        self._counter = 0

    def open(self, frame: bytes) -> bytes | None:
        """Return the payload; None for a genuine frame that was opened before, or that comes after a later one.

        :raises RemoteProtocolError: forged, changed, or not of this connection and direction.
        """
        counter, mac, payload = frame[: _COUNTER.size], frame[_COUNTER.size : SEAL_BYTES], frame[SEAL_BYTES:]
        if not self._seal.proves(mac, counter, payload):
            raise RemoteProtocolError(
                say("a frame does not prove the key; both sides need the same key for this table")
            )
        (number,) = _COUNTER.unpack(counter)
        if number <= self._counter:
            return None
        self._counter = number
        return payload
