"""Enrolment: how a table gets its key over an untrusted network (docs/reference/link-and-journal.md, "Enrolment").

Authentication is by visual comparison. The offer's name on the table's screen identifies the table's public key. X25519
agrees on a secret; the six digits that both screens then show depend on the whole exchange, and the head's commitment
precedes the table's nonce, so a man in the middle has one try in a million per offer name. Nothing is decoded before
its MAC is checked, and no key is used before both the table's buttons and the head's page have confirmed equal digits.
Sans-I/O: frames in, frames out.

    table                                          head
    OFFER    version, wished number, key     ──▶
                                             ◀──   COMMITMENT  key, H(offer, key, nonce)
    NONCE                                    ──▶
                                             ◀──   REVEAL      nonce        both now show the code
    sealed: agree (both buttons were pressed)──▶
                                             ◀──   sealed: grant            (the arbiter approved)
                                             ◀──   sealed: records of the journal that this table continues
    sealed: done (key and journal are saved) ──▶

Four frames have a fixed layout, the rest are sealed; a frame with a wrong MAC is not decoded.
"""

from __future__ import annotations

import base64
import hmac
import secrets
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from engine.i18n import say
from kiosk.link import message_macs_versions_handshake as macs
from kiosk.link.errors import LocalProtocolError, RemoteProtocolError
from kiosk.link.link_messages import TableRecord

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

VERSION = 1
CODE_DIGITS = 6
#: seconds until an unapproved offer expires; the table then makes another one
OFFER_S = 600
PUBLIC_BYTES = 32

OFFER = struct.Struct(f">4sBH{PUBLIC_BYTES}s")
COMMITMENT = struct.Struct(f">4s{PUBLIC_BYTES}s32s")
NONCE = struct.Struct(f">4s{macs.NONCE_BYTES}s")
_PAGE_BYTES = macs.MAX_FRAME // 2
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


def new_pair() -> X25519PrivateKey:
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


class Peer(macs.FrameSession[R]):
    """State shared by both sides. ``code`` is available as soon as both nonces are; ``_handshake`` has all handshake
    bytes so far.
    """

    _outward: macs.FrameDirection
    _inward: macs.FrameDirection
    _over = say("this enrolment has ended; make a new one")

    def __init__(self, pair: X25519PrivateKey | None = None) -> None:
        super().__init__()
        self._pair = pair or new_pair()
        self._nonce = secrets.token_bytes(macs.NONCE_BYTES)
        self._key = b""
        self.code: str | None = None

    @property
    def _public(self) -> bytes:
        return self._pair.public_key().public_bytes_raw()

    def _send(self, frame: bytes) -> None:
        self._handshake += frame
        self._outgoing.append(frame)

    def _unpack(self, layout: struct.Struct, magic: bytes, frame: bytes) -> tuple[Any, ...]:
        if len(frame) != layout.size or not frame.startswith(magic):
            raise RemoteProtocolError.saying(
                "the other side does not support enrolment; both need the same version of the program"
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
            raise RemoteProtocolError.saying("the other side's public key is none") from None
        digest = sha256(self._handshake).digest()
        made = HKDF(SHA256(), 2 * macs.KEY_BYTES, salt=digest, info=b"othello-kiosk enrolment 1").derive(shared)
        self._key, seal = made[: macs.KEY_BYTES], made[macs.KEY_BYTES :]
        self._mac_writer = macs.MacWriter(seal, digest, self._outward)
        self._mac_reader = macs.MacReader(seal, digest, self._inward)
        digits = int.from_bytes(sha256(b"othello-kiosk code" + digest).digest(), "big") % 10**CODE_DIGITS
        self.code = f"{digits:0{CODE_DIGITS}d}"

    def _seal(self, message: object) -> None:
        if self._mac_writer is None or self.closed:
            raise LocalProtocolError.saying("the two sides have not agreed on a key yet, or have ended")
        self._outgoing.append(self._mac_writer.seal(msgspec.msgpack.encode(message)))

    def _unseal(self, frame: bytes, kind: type[M]) -> M | None:
        assert self._mac_reader is not None
        payload = self._mac_reader.open(frame)
        return None if payload is None else macs.read_message(kind, payload)


def commitment_of(offer: bytes, public: bytes, nonce: bytes) -> bytes:
    return sha256(b"othello-kiosk commitment" + offer + public + nonce).digest()


class HeadEnrolment(Peer[None]):
    """The head's side of one offer. ``agreed``: the person at the table has confirmed the code; ``done``: the table has
    saved its key.
    """

    _outward, _inward = macs.FrameDirection.TO_TABLE, macs.FrameDirection.TO_HEAD

    def __init__(self) -> None:
        super().__init__()
        self._offered = b""
        self.name = ""
        self.wish = 0
        self.epoch = ""
        self.agreed = self.done = False

    @property
    def key(self) -> bytes:
        """Return the table's key. Use it only once ``agreed`` and approved by the arbiter."""
        if not self.agreed:
            raise LocalProtocolError.saying("the person at the table has not agreed yet")
        return self._key

    def grant(self, table: int, epoch: str = "", records: Sequence[TableRecord] = ()) -> None:
        """Grant the number, the key and the journal to the table."""
        if not self.agreed:
            raise LocalProtocolError.saying("the person at the table has not agreed yet")
        self._seal(Grant(table, epoch, len(records)))
        page: list[TableRecord] = []
        size = 0
        for record in records:
            size += len(msgspec.msgpack.encode(record))
            if page and size > _PAGE_BYTES:
                self._seal(RecordPage(page))
                page, size = [], 0
            page.append(record)
        if page:
            self._seal(RecordPage(page))

    def _handle_frame(self, frame: bytes) -> None:
        if not self._offered:
            version, wish, public = self._unpack(OFFER, OFFER_MAGIC, frame)
            if version != VERSION:
                text = say("a table offers enrolment version {version}, this head knows {ours}; update the older")
                raise RemoteProtocolError(text(version=version, ours=VERSION))
            self._offered, self._handshake = public, frame
            self.name, self.wish = offer_name(frame), wish
            commitment = commitment_of(frame, self._public, self._nonce)
            self._send(COMMITMENT.pack(COMMITMENT_MAGIC, self._public, commitment))
        elif self.code is None:
            self._unpack(NONCE, NONCE_MAGIC, frame)
            self._handshake += frame
            self._send(NONCE.pack(REVEAL_MAGIC, self._nonce))
            self._agree_on_key(self._offered)
        elif (message := self._unseal(frame, ControlMessage)) is not None:
            self._handle_control(message)

    def _handle_control(self, message: ControlMessage) -> None:
        match message.word:
            case "agree" if not self.agreed:
                self.agreed, self.epoch = True, message.epoch
            case "done" if self.agreed:
                self.done = True
            case "refuse":
                raise RemoteProtocolError.saying("the table did not take it: {why}", why=message.reason[:200])
            case _:
                raise RemoteProtocolError.saying("the table sent {word!r} at the wrong time", word=message.word[:20])


@dataclass(frozen=True, slots=True)
class GrantedKey:
    """The number, the key and the complete journal granted to the table."""

    table: int
    key: bytes
    epoch: str
    records: tuple[TableRecord, ...]


class TableEnrolment(Peer[GrantedKey | None]):
    """The table's side of one offer. ``wish``: the configured number of this table, 0 for a spare that accepts any."""

    _outward, _inward = macs.FrameDirection.TO_HEAD, macs.FrameDirection.TO_TABLE

    def __init__(self, wish: int = 0, epoch: str = "", pair: X25519PrivateKey | None = None) -> None:
        super().__init__(pair)
        self._wish, self._epoch = wish, epoch
        offer = OFFER.pack(OFFER_MAGIC, VERSION, wish, self._public)
        self.name = offer_name(offer)
        self._commitment: tuple[bytes, bytes] | None = None
        self._grant: Grant | None = None
        self._records: list[TableRecord] = []
        self.agreed = False
        self._send(offer)

    def agree(self) -> None:
        """Confirm for the person at the table that both codes are equal."""
        if self.code is None or self.agreed:
            raise LocalProtocolError.saying("there is no code to agree on, or it was agreed on")
        self._seal(ControlMessage("agree", epoch=self._epoch))
        self.agreed = True

    def done(self) -> None:
        """Report that key and journal are saved."""
        self._seal(ControlMessage("done"))

    def refuse(self, reason: str) -> None:
        self._seal(ControlMessage("refuse", reason))

    def _handle_frame(self, frame: bytes) -> GrantedKey | None:
        if self._commitment is None:
            self._commitment = self._unpack(COMMITMENT, COMMITMENT_MAGIC, frame)
            self._handshake += frame
            self._send(NONCE.pack(NONCE_MAGIC, self._nonce))
        elif self.code is None:
            public, commitment = self._commitment
            (nonce,) = self._unpack(NONCE, REVEAL_MAGIC, frame)
            if not hmac.compare_digest(commitment, commitment_of(self._handshake[: OFFER.size], public, nonce)):
                raise RemoteProtocolError.saying(
                    "the head's nonce is not the one it had committed to; someone may be intercepting the connection"
                )
            self._handshake += frame
            self._agree_on_key(public)
        elif not self.agreed:
            raise RemoteProtocolError.saying("the head gave a key before this table's person agreed")
        else:
            return self._handle_grant(frame)
        return None

    def _handle_grant(self, frame: bytes) -> GrantedKey | None:
        if self._grant is None:
            grant = self._unseal(frame, Grant)
            if grant is None:
                return None
            if not 0 < grant.table <= macs.MAX_TABLE or (self._wish and grant.table != self._wish):
                text = say("the head identifies this table as table {table}, but it is configured as {ours}")
                raise RemoteProtocolError(text(table=grant.table, ours=self._wish))
            self._grant = grant
        else:
            page = self._unseal(frame, RecordPage)
            if page is None:
                return None
            self._records += page.records
        known = len(self._records)
        if known < self._grant.records:
            return None
        if [record.seq for record in self._records] != list(range(1, self._grant.records + 1)):
            raise RemoteProtocolError.saying("the journal from the head has gaps")
        return GrantedKey(self._grant.table, self._key, self._grant.epoch, tuple(self._records))
