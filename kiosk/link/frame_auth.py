"""Frames: the bytes of one message and their authentication (docs/reference/link-and-journal.md).

Nothing from an unauthenticated peer reaches a decoder. The two handshake frames before authentication have a fixed
layout; all other bytes are read only after the MAC over them, over both sides' handshake and over the direction and
counter has been verified.
"""

from __future__ import annotations

import hmac
import struct
from dataclasses import dataclass
from enum import Enum

from engine.translatable_text import say
from kiosk.link.errors import RemoteProtocolError

#: protocol versions of this program. An additional field in a message is another version; the layout of challenge,
#: claim and seal is the same in all, so that two versions can report to each other that they differ
OLDEST_VERSION = NEWEST_VERSION = 2
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
    """The head's first message: the versions it speaks and its nonce."""

    oldest: int
    newest: int
    nonce: bytes

    def encode(self) -> bytes:
        return _CHALLENGE.pack(_CHALLENGE_MAGIC, self.oldest, self.newest, self.nonce)

    @classmethod
    def decode(cls, frame: bytes) -> AuthChallenge:
        if len(frame) != _CHALLENGE.size or not frame.startswith(_CHALLENGE_MAGIC):
            raise RemoteProtocolError(say("the other side does not behave like a head; check the address"))
        return cls(*_CHALLENGE.unpack(frame)[1:])


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
        self._mac = hmac.new(key, direction.value + handshake, "sha256")
        self._counter = 0

    def seal(self, payload: bytes) -> bytes:
        self._counter += 1
        counter = _COUNTER.pack(self._counter)
        return counter + _mac(self._mac, counter + payload) + payload


class MacReader:
    """Opener of the frames of one direction. A counter may skip values, because carriers lose frames; a frame whose
    counter does not rise is a duplicate, late or a replay, and is ignored.
    """

    def __init__(self, key: bytes, handshake: bytes, direction: FrameDirection) -> None:
        self._mac = hmac.new(key, direction.value + handshake, "sha256")
        self._counter = 0

    def open(self, frame: bytes) -> bytes | None:
        """Return the payload; None for a genuine frame that was opened before, or that comes after a later one.

        :raises RemoteProtocolError: forged, changed, or not of this connection and direction.
        """
        counter, mac, payload = frame[: _COUNTER.size], frame[_COUNTER.size : SEAL_BYTES], frame[SEAL_BYTES:]
        if not hmac.compare_digest(mac, _mac(self._mac, counter + payload)):
            raise RemoteProtocolError(
                say("a frame does not prove the key; both sides need the same key for this table")
            )
        (number,) = _COUNTER.unpack(counter)
        if number <= self._counter:
            return None
        self._counter = number
        return payload


def _mac(begun: hmac.HMAC, data: bytes) -> bytes:
    """Return the MAC of a frame's ``data`` appended to what ``begun`` has. ``hmac.digest`` is not used: it releases the
    GIL at every frame, which cost 60 µs each when a head stopped 500 tables.
    """
    mac = begun.copy()
    mac.update(data)
    return mac.digest()[:MAC_BYTES]
