"""Authentication of messages between machines: MACs, protocol versions, and the link's handshake
(docs/reference/link-and-journal.md). The link, updates and the federation share it.

- A message is decoded only after its MAC was verified. An unknown field is ignored, so a new field needs no new
  version; a field that must not be ignored does.
- Both sides name the range of versions that they read, and use the newest common one.
- On the link, the two handshake frames before authentication have a fixed layout. The MAC of every other frame covers
  both sides' handshake, the direction and a counter.
"""

from __future__ import annotations

import hmac
import struct
from dataclasses import dataclass
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

import msgspec

from engine.i18n import Text, raised_as, say
from kiosk.json_validation import warm_up
from kiosk.link.errors import LocalProtocolError, RemoteProtocolError

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
        """Return the seal of a message. Not by ``hmac.digest``, which releases the GIL at every frame: 60 µs each when
        a head sends to 500 tables.
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
    with raised_as(RemoteProtocolError, say("a message cannot be read: {why}"), ValueError, RecursionError):
        return msgspec.msgpack.decode(payload, type=warm_up(kind))


#: versions of the link. Version 2 rejects unknown fields. The layout of challenge, hello and seal is the same in
#: all, so that two versions can report to each other that they differ
VERSIONS = VersionRange(2, 3)
NONCE_BYTES = 16
MAC_BYTES = 16
KEY_BYTES = 32
#: the largest frame either side accepts
MAX_FRAME = 262_144
MAX_TABLE = 65_535

_CHALLENGE = struct.Struct(f">4sBB{NONCE_BYTES}s")
_HELLO = struct.Struct(f">4sBH{NONCE_BYTES}s")
CHALLENGE_MAGIC, _HELLO_MAGIC = b"OTHh", b"OTHt"
_COUNTER = struct.Struct(">Q")
#: bytes that sealing adds to a payload
SEAL_BYTES = _COUNTER.size + MAC_BYTES


class FrameDirection(Enum):
    """Receiver of a frame, with the byte that its MAC covers."""

    TO_HEAD = b"t"
    TO_TABLE = b"h"


@dataclass(frozen=True, slots=True)
class AuthChallenge:
    """The head's first message: the protocol versions it supports and its nonce."""

    versions: VersionRange
    nonce: bytes

    def encode(self) -> bytes:
        return _CHALLENGE.pack(CHALLENGE_MAGIC, *self.versions, self.nonce)

    @classmethod
    def decode(cls, frame: bytes) -> AuthChallenge:
        if len(frame) != _CHALLENGE.size or not frame.startswith(CHALLENGE_MAGIC):
            raise RemoteProtocolError.saying("the other side does not behave like a head; check the address")
        _, oldest, newest, nonce = _CHALLENGE.unpack(frame)
        return cls(VersionRange(oldest, newest), nonce)


@dataclass(frozen=True, slots=True)
class Hello:
    """The first part of a hello frame: the claimed table, the version it chose, and its nonce."""

    version: int
    table: int
    nonce: bytes

    def encode(self) -> bytes:
        return _HELLO.pack(_HELLO_MAGIC, self.version, self.table, self.nonce)

    @classmethod
    def decode(cls, frame: bytes) -> tuple[Hello, bytes]:
        """Return the hello and the sealed rest that must prove the key."""
        if len(frame) < _HELLO.size or not frame.startswith(_HELLO_MAGIC):
            raise RemoteProtocolError.saying("the other side does not behave like a table")
        return cls(*_HELLO.unpack_from(frame)[1:]), frame[_HELLO.size :]


def handshake_bytes(challenge: AuthChallenge, hello: Hello) -> bytes:
    """Return the handshake bytes of both sides before the first seal, as sent: nonces, offered versions, chosen version
    and table.
    """
    return challenge.encode() + hello.encode()


class MacWriter:
    """Adds counter and MAC to the frames of one direction of one connection. Every MAC covers ``handshake``."""

    def __init__(self, key: bytes, handshake: bytes, direction: FrameDirection) -> None:
        self._seal = Seal(key, direction.value + handshake, MAC_BYTES)
        self._counter = 0

    def seal(self, payload: bytes) -> bytes:
        self._counter += 1
        counter = _COUNTER.pack(self._counter)
        return counter + self._seal.of(counter, payload) + payload


class MacReader:
    """Verifies the frames of one direction. A counter may skip values, because transports lose frames; a frame whose
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
            raise RemoteProtocolError.saying(
                "a frame does not prove the key; both sides need the same key for this table"
            )
        (number,) = _COUNTER.unpack(counter)
        if number <= self._counter:
            return None
        self._counter = number
        return payload


class FrameSession(Generic[T]):
    """Base of both sides of the sans-I/O sessions: frames in, frames out. A frame that the protocol does not allow ends
    the session. ``_over``: the text of the error when an ended session is used.
    """

    _over: Text

    def __init__(self) -> None:
        self._outgoing: list[bytes] = []
        self._handshake = b""
        self._mac_writer: MacWriter | None = None
        self._mac_reader: MacReader | None = None
        self.closed = False

    def outgoing(self) -> list[bytes]:
        """Return the frames to send, in order. Each is returned once."""
        frames, self._outgoing = self._outgoing, []
        return frames

    def close(self) -> None:
        self.closed = True

    def receive(self, frame: bytes) -> T:
        """Process a frame.

        :raises RemoteProtocolError: the session is closed; make a new one for a new connection.
        """
        if self.closed:
            raise LocalProtocolError(self._over)
        try:
            if (size := len(frame)) > MAX_FRAME:
                raise RemoteProtocolError.saying("a frame has {n} bytes; the maximum is {most}", n=size, most=MAX_FRAME)
            return self._handle_frame(frame)
        except RemoteProtocolError:
            self.close()
            raise

    def _handle_frame(self, frame: bytes) -> T:
        raise NotImplementedError
