"""Frames: the bytes of one message, and the proof of who sent them (docs/link.md).

The law: nothing that an unproven peer sent reaches a decoder. The two handshake frames that come before the proof have
a fixed layout; every other byte is looked at only after the MAC over it, over both sides' handshake and over the
direction and counter was found right.
"""

from __future__ import annotations

import hmac
import struct
from dataclasses import dataclass
from enum import Enum

from engine.text import say
from kiosk.link.errors import RemoteProtocolError

#: protocol versions this program speaks. A field more in a message is another version; the layout of challenge, claim
#: and seal is the same in all, so that two versions can tell each other that they differ
OLDEST_VERSION = NEWEST_VERSION = 2
NONCE_BYTES = 16
MAC_BYTES = 16
KEY_BYTES = 32
#: the largest frame either side takes
MAX_FRAME = 262_144
MAX_TABLE = 65_535

_CHALLENGE = struct.Struct(f">4sBB{NONCE_BYTES}s")
_CLAIM = struct.Struct(f">4sBH{NONCE_BYTES}s")
_CHALLENGE_MAGIC, _CLAIM_MAGIC = b"OTHh", b"OTHt"
_COUNTER = struct.Struct(">Q")
#: what sealing adds to a payload
SEAL_BYTES = _COUNTER.size + MAC_BYTES


class Direction(Enum):
    TO_HEAD = b"t"
    TO_TABLE = b"h"


@dataclass(frozen=True, slots=True)
class Challenge:
    """The head's first word: the versions it speaks and its nonce."""

    oldest: int
    newest: int
    nonce: bytes

    def encode(self) -> bytes:
        return _CHALLENGE.pack(_CHALLENGE_MAGIC, self.oldest, self.newest, self.nonce)

    @classmethod
    def decode(cls, frame: bytes) -> Challenge:
        if len(frame) != _CHALLENGE.size or not frame.startswith(_CHALLENGE_MAGIC):
            raise RemoteProtocolError(say("the other side does not speak like a head; check the address"))
        return cls(*_CHALLENGE.unpack(frame)[1:])


@dataclass(frozen=True, slots=True)
class Claim:
    """The head of a hello frame: which table this claims to be, the version it chose, and its nonce."""

    version: int
    table: int
    nonce: bytes

    def encode(self) -> bytes:
        return _CLAIM.pack(_CLAIM_MAGIC, self.version, self.table, self.nonce)

    @classmethod
    def decode(cls, frame: bytes) -> tuple[Claim, bytes]:
        """The claim and the sealed rest, which is to prove it."""
        if len(frame) < _CLAIM.size or not frame.startswith(_CLAIM_MAGIC):
            raise RemoteProtocolError(say("the other side does not speak like a table"))
        return cls(*_CLAIM.unpack_from(frame)[1:]), frame[_CLAIM.size :]


def handshake_of(challenge: Challenge, claim: Claim) -> bytes:
    """What both sides said before the first seal, as it was on the wire: with the nonces also the offered and the
    chosen version and the table."""
    return challenge.encode() + claim.encode()


class Sealer:
    """Seals the frames of one direction of one connection; its ``handshake`` is under every MAC."""

    def __init__(self, key: bytes, handshake: bytes, direction: Direction) -> None:
        self._mac = hmac.new(key, direction.value + handshake, "sha256")
        self._counter = 0

    def seal(self, payload: bytes) -> bytes:
        self._counter += 1
        counter = _COUNTER.pack(self._counter)
        return counter + _mac(self._mac, counter + payload) + payload


class Opener:
    """Opens the frames of one direction. A counter may jump, since carriers lose frames; one that stays or falls is a
    frame that a carrier doubled or held back, or somebody's replay: it counts as lost."""

    def __init__(self, key: bytes, handshake: bytes, direction: Direction) -> None:
        self._mac = hmac.new(key, direction.value + handshake, "sha256")
        self._counter = 0

    def open(self, frame: bytes) -> bytes | None:
        """The payload; None for a genuine frame that was opened before, or that comes after a later one.

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
    """Of a frame's ``data``, after what ``begun`` has. Not by ``hmac.digest``: that lets other threads run at every
    frame, and a head that told 500 tables to stop waited 60 µs each time for its turn."""
    mac = begun.copy()
    mac.update(data)
    return mac.digest()[:MAC_BYTES]
