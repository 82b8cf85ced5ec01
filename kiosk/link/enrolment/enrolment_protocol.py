"""The frames of an enrolment and the state shared by both sides.

Four frames have a fixed layout, the rest are sealed; a frame with a wrong MAC is not decoded.
"""

from __future__ import annotations

import base64
import secrets
import struct
from hashlib import sha256
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from engine.i18n import say
from kiosk.link.errors import LocalProtocolError, RemoteProtocolError
from kiosk.link.link_messages import TableRecord
from kiosk.link.message_macs_versions_handshake import (
    KEY_BYTES,
    NONCE_BYTES,
    FrameDirection,
    MacReader,
    MacWriter,
    check_frame_size,
    read_message,
)

VERSION = 1
CODE_DIGITS = 6
#: seconds until an unapproved offer expires; the table then makes another one
OFFER_S = 600
PUBLIC_BYTES = 32

OFFER = struct.Struct(f">4sBH{PUBLIC_BYTES}s")
COMMITMENT = struct.Struct(f">4s{PUBLIC_BYTES}s32s")
NONCE = struct.Struct(f">4s{NONCE_BYTES}s")
OFFER_MAGIC, COMMITMENT_MAGIC, NONCE_MAGIC, REVEAL_MAGIC = b"OTHo", b"OTHc", b"OTHn", b"OTHr"


class Grant(msgspec.Struct, frozen=True):
    """The identity granted to a table. ``records`` of ``epoch`` follow if it is to continue a different journal."""

    table: int
    epoch: str = ""
    records: int = 0


class RecordPage(msgspec.Struct, frozen=True):
    records: list[TableRecord]


class ControlMessage(msgspec.Struct, frozen=True):
    """A message of the table: ``agree``, ``done``, or ``refuse`` with a reason for the arbiter."""

    word: str
    reason: str = ""
    #: epoch of the existing journal, which a table that only lost its key continues
    epoch: str = ""


class KeyPair(Protocol):
    """An X25519 key pair (``cryptography``)."""

    def public_key(self) -> Any: ...
    def exchange(self, peer: Any) -> bytes: ...


def new_pair() -> KeyPair:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    return X25519PrivateKey.generate()


def offer_name(offer: bytes) -> str:
    """Return the name of an offer for its QR code; 130 bits, so that no other offer with this name can be found."""
    return base64.b32encode(sha256(b"othello-kiosk offer" + offer).digest()).decode("ascii")[:26]


def readable_code(code: str) -> str:
    """Return the code with a space for comparison: ``123456`` as ``123 456``."""
    return f"{code[:3]} {code[3:]}"


M = TypeVar("M", Grant, RecordPage, ControlMessage)
R = TypeVar("R")


class Peer(Generic[R]):
    """State shared by both sides. ``code`` is available as soon as both nonces are."""

    _outward: FrameDirection
    _inward: FrameDirection

    def __init__(self, pair: KeyPair | None = None) -> None:
        self._pair = pair or new_pair()
        self._nonce = secrets.token_bytes(NONCE_BYTES)
        self._handshake = b""  # all handshake bytes so far
        self._outgoing: list[bytes] = []
        self._mac_writer: MacWriter | None = None
        self._mac_reader: MacReader | None = None
        self._key = b""
        self.code: str | None = None
        self.closed = False

    def outgoing(self) -> list[bytes]:
        frames, self._outgoing = self._outgoing, []
        return frames

    def receive(self, frame: bytes) -> R:
        """Process a frame.

        :raises RemoteProtocolError: this offer has ended; make another one.
        """
        if self.closed:
            raise LocalProtocolError(say("this enrolment has ended; make a new one"))
        try:
            check_frame_size(frame)
            return self._handle_frame(frame)
        except RemoteProtocolError:
            self.closed = True
            raise

    def _handle_frame(self, frame: bytes) -> R:
        raise NotImplementedError

    @property
    def _public(self) -> bytes:
        public: bytes = self._pair.public_key().public_bytes_raw()
        return public

    def _send(self, frame: bytes) -> None:
        self._handshake += frame
        self._outgoing.append(frame)

    def _unpack(self, layout: struct.Struct, magic: bytes, frame: bytes) -> tuple[Any, ...]:
        if len(frame) != layout.size or not frame.startswith(magic):
            raise RemoteProtocolError(
                say("the other side does not support enrolment; both need the same version of the program")
            )
        return layout.unpack(frame)[1:]

    def _agree_on_key(self, other: bytes) -> None:
        """Derive by HKDF over the shared secret and all handshake bytes: the table's key, and one for the seals of the
        enrolment.
        """
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        try:
            shared = self._pair.exchange(X25519PublicKey.from_public_bytes(other))
        except ValueError:  # a point of small order
            raise RemoteProtocolError(say("the other side's public key is none")) from None
        digest = sha256(self._handshake).digest()
        made = HKDF(SHA256(), 2 * KEY_BYTES, salt=digest, info=b"othello-kiosk enrolment 1").derive(shared)
        self._key, seal = made[:KEY_BYTES], made[KEY_BYTES:]
        self._mac_writer, self._mac_reader = (
            MacWriter(seal, digest, self._outward),
            MacReader(seal, digest, self._inward),
        )
        digits = int.from_bytes(sha256(b"othello-kiosk code" + digest).digest(), "big") % 10**CODE_DIGITS
        self.code = f"{digits:0{CODE_DIGITS}d}"

    def _seal(self, message: object) -> None:
        if self._mac_writer is None or self.closed:
            raise LocalProtocolError(say("the two sides have not agreed on a key yet, or have ended"))
        self._outgoing.append(self._mac_writer.seal(msgspec.msgpack.encode(message)))

    def _unseal(self, frame: bytes, kind: type[M]) -> M | None:
        assert self._mac_reader is not None
        payload = self._mac_reader.open(frame)
        return None if payload is None else read_message(kind, payload)


def commitment_of(offer: bytes, public: bytes, nonce: bytes) -> bytes:
    return sha256(b"othello-kiosk commitment" + offer + public + nonce).digest()
