"""How a table gets its key over a network that anybody may listen to and change (docs/link.md, "Enrolment").

The law: a person's eyes are the proof. The offer's name on the table's screen says which public key is the table's.
X25519 agrees on a secret; the six digits that both screens then show depend on everything that was said, and the head's
commitment comes before the table's nonce, so whoever stands between them has one try in a million, and no second one
under the same name. Nothing is decoded before a MAC, and no key is used before both the table's buttons and the head's
page have said that the digits are equal. Sans-I/O: frames in, frames out.

    table                                          head
    OFFER    version, wished number, key     ──▶
                                             ◀──   COMMITMENT  key, H(offer, key, nonce)
    NONCE                                    ──▶
                                             ◀──   REVEAL      nonce        both now show the code
    sealed: agree (both buttons were pressed)──▶
                                             ◀──   sealed: grant            (the arbiter approved)
                                             ◀──   sealed: records of the journal that this table goes on with
    sealed: done (key and journal are saved) ──▶
"""

from __future__ import annotations

import base64
import hmac
import secrets
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NoReturn, Protocol, TypeVar

import msgspec

from kiosk.link.errors import LocalProtocolError, RemoteProtocolError
from kiosk.link.frames import KEY_BYTES, MAX_FRAME, MAX_TABLE, NONCE_BYTES, Direction, Opener, Sealer
from kiosk.link.messages import Record

VERSION = 1
CODE_DIGITS = 6
#: an offer that nobody approved is forgotten; the table makes another one
OFFER_S = 600
PUBLIC_BYTES = 32

_OFFER = struct.Struct(f">4sBH{PUBLIC_BYTES}s")
_COMMITMENT = struct.Struct(f">4s{PUBLIC_BYTES}s32s")
_NONCE = struct.Struct(f">4s{NONCE_BYTES}s")
_OFFER_MAGIC, _COMMITMENT_MAGIC, _NONCE_MAGIC, _REVEAL_MAGIC = b"OTHo", b"OTHc", b"OTHn", b"OTHr"
_PAGE_BYTES = MAX_FRAME // 2


class Grant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who the table is from now on. ``records`` of ``epoch`` follow: the journal it goes on with, if it has another."""

    table: int
    epoch: str = ""
    records: int = 0


class Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    records: list[Record]


class Word(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A word of the table: ``agree``, ``done``, or ``refuse`` with a reason for the arbiter."""

    word: str
    reason: str = ""
    #: the journal that it has: a table that only lost its key goes on with it
    epoch: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """At the table: the number and the key, and the journal to go on with, all of it."""

    table: int
    key: bytes
    epoch: str
    records: tuple[Record, ...]


class KeyPair(Protocol):
    """An X25519 key pair (``cryptography``)."""

    def public_key(self) -> Any: ...
    def exchange(self, peer: Any) -> bytes: ...


def new_pair() -> KeyPair:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    return X25519PrivateKey.generate()


def offer_name(offer: bytes) -> str:
    """Names an offer in a QR code; 130 bits, so that nobody finds another offer with this name."""
    return base64.b32encode(sha256(b"othello-kiosk offer" + offer).digest()).decode("ascii")[:26]


def readable_code(code: str) -> str:
    """``123456`` as people compare it: ``123 456``."""
    return f"{code[:3]} {code[3:]}"


M = TypeVar("M", Grant, Page, Word)


class _Side:
    """What both sides share. ``code`` is there as soon as both nonces are."""

    _says: Direction
    _hears: Direction

    def __init__(self, pair: KeyPair | None, nonce: bytes | None) -> None:
        self._pair = pair or new_pair()
        self._nonce = nonce or secrets.token_bytes(NONCE_BYTES)
        self._said = b""  # everything on the wire so far
        self._outgoing: list[bytes] = []
        self._sealer: Sealer | None = None
        self._opener: Opener | None = None
        self._key = b""
        self.code: str | None = None
        self.closed = False

    def outgoing(self) -> list[bytes]:
        frames, self._outgoing = self._outgoing, []
        return frames

    @property
    def _public(self) -> bytes:
        public: bytes = self._pair.public_key().public_bytes_raw()
        return public

    def _send(self, frame: bytes) -> None:
        self._said += frame
        self._outgoing.append(frame)

    def _unpack(self, layout: struct.Struct, magic: bytes, frame: bytes) -> tuple[Any, ...]:
        if len(frame) != layout.size or not frame.startswith(magic):
            self._refuse("the other side does not speak the enrolment; both need the same version of the program")
        return layout.unpack(frame)[1:]

    def _agree_on_key(self, other: bytes) -> None:
        """HKDF over the shared secret and all that was said: the table's key, and one for the seals here."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        try:
            shared = self._pair.exchange(X25519PublicKey.from_public_bytes(other))
        except ValueError:  # a point of small order
            self._refuse("the other side's public key is none")
        said = sha256(self._said).digest()
        made = HKDF(SHA256(), 2 * KEY_BYTES, salt=said, info=b"othello-kiosk enrolment 1").derive(shared)
        self._key, seal = made[:KEY_BYTES], made[KEY_BYTES:]
        self._sealer, self._opener = Sealer(seal, said, self._says), Opener(seal, said, self._hears)
        digits = int.from_bytes(sha256(b"othello-kiosk code" + said).digest(), "big") % 10**CODE_DIGITS
        self.code = f"{digits:0{CODE_DIGITS}d}"

    def _seal(self, message: object) -> None:
        if self._sealer is None or self.closed:
            raise LocalProtocolError("the two sides have not agreed on a key yet, or have ended")
        self._outgoing.append(self._sealer.seal(msgspec.msgpack.encode(message)))

    def _unseal(self, frame: bytes, kind: type[M]) -> M | None:
        assert self._opener is not None
        payload = self._opener.open(frame)
        try:
            return None if payload is None else msgspec.msgpack.decode(payload, type=kind)
        except ValueError as error:
            raise RemoteProtocolError(f"an enrolment message is not what this version expects: {error}") from None

    def _check(self, frame: bytes) -> None:
        if self.closed:
            raise LocalProtocolError("this enrolment has ended; make a new one")
        if len(frame) > MAX_FRAME:
            self._refuse(f"a frame of {len(frame)} bytes; {MAX_FRAME} are the most")

    def _refuse(self, why: str) -> NoReturn:
        self.closed = True
        raise RemoteProtocolError(why)


class TableEnrolment(_Side):
    """The table's side of one offer. ``wish``: the number this table is set to be, 0 for a spare that takes any."""

    _says, _hears = Direction.TO_HEAD, Direction.TO_TABLE

    def __init__(self, wish: int = 0, epoch: str = "", pair: KeyPair | None = None, nonce: bytes | None = None) -> None:
        super().__init__(pair, nonce)
        self._wish, self._epoch = wish, epoch
        offer = _OFFER.pack(_OFFER_MAGIC, VERSION, wish, self._public)
        self.name = offer_name(offer)
        self._commitment: tuple[bytes, bytes] | None = None
        self._grant: Grant | None = None
        self._records: list[Record] = []
        self.agreed = False
        self._send(offer)

    def receive(self, frame: bytes) -> Given | None:
        """What is given, once all of it is here: save it, then call ``done``.

        :raises RemoteProtocolError: this offer is over; make another one.
        """
        self._check(frame)
        try:
            return self._hear(frame)
        except RemoteProtocolError:
            self.closed = True
            raise

    def agree(self) -> None:
        """The person at the table says that both codes are equal."""
        if self.code is None or self.agreed:
            raise LocalProtocolError("there is no code to agree on, or it was agreed on")
        self._seal(Word("agree", epoch=self._epoch))
        self.agreed = True

    def done(self) -> None:
        """Key and journal are saved."""
        self._seal(Word("done"))

    def refuse(self, reason: str) -> None:
        self._seal(Word("refuse", reason))

    def _hear(self, frame: bytes) -> Given | None:
        if self._commitment is None:
            self._commitment = self._unpack(_COMMITMENT, _COMMITMENT_MAGIC, frame)
            self._said += frame
            self._send(_NONCE.pack(_NONCE_MAGIC, self._nonce))
        elif self.code is None:
            public, commitment = self._commitment
            (nonce,) = self._unpack(_NONCE, _REVEAL_MAGIC, frame)
            if not hmac.compare_digest(commitment, _commitment(self._said[: _OFFER.size], public, nonce)):
                self._refuse("the head's nonce is not the one it had committed to; somebody stands between")
            self._said += frame
            self._agree_on_key(public)
        elif not self.agreed:
            self._refuse("the head gave a key before this table's person agreed")
        else:
            return self._take(frame)
        return None

    def _take(self, frame: bytes) -> Given | None:
        if self._grant is None:
            grant = self._unseal(frame, Grant)
            if grant is None:
                return None
            if not 0 < grant.table <= MAX_TABLE or (self._wish and grant.table != self._wish):
                self._refuse(f"the head takes this table for table {grant.table}, but it is set to be {self._wish}")
            self._grant = grant
        else:
            page = self._unseal(frame, Page)
            if page is None:
                return None
            self._records += page.records
        known = len(self._records)
        if known < self._grant.records:
            return None
        if [record.seq for record in self._records] != list(range(1, self._grant.records + 1)):
            self._refuse("the journal from the head has gaps")
        return Given(self._grant.table, self._key, self._grant.epoch, tuple(self._records))


class HeadEnrolment(_Side):
    """The head's side of one offer. ``agreed``: the table's person has; ``done``: the table has saved its key."""

    _says, _hears = Direction.TO_TABLE, Direction.TO_HEAD

    def __init__(self, pair: KeyPair | None = None, nonce: bytes | None = None) -> None:
        super().__init__(pair, nonce)
        self._offered = b""
        self.name = ""
        self.wish = 0
        self.epoch = ""
        self.agreed = self.done = False

    @property
    def key(self) -> bytes:
        """The table's key. To be used once ``agreed``, and approved by the arbiter."""
        if not self.agreed:
            raise LocalProtocolError("the person at the table has not agreed yet")
        return self._key

    def receive(self, frame: bytes) -> None:
        """:raises RemoteProtocolError: this offer is over."""
        self._check(frame)
        try:
            self._hear(frame)
        except RemoteProtocolError:
            self.closed = True
            raise

    def grant(self, table: int, epoch: str = "", records: Sequence[Record] = ()) -> None:
        """The number, the key and the journal are the table's."""
        if not self.agreed:
            raise LocalProtocolError("the person at the table has not agreed yet")
        self._seal(Grant(table, epoch, len(records)))
        page: list[Record] = []
        size = 0
        for record in records:
            size += len(msgspec.msgpack.encode(record))
            if page and size > _PAGE_BYTES:
                self._seal(Page(page))
                page, size = [], 0
            page.append(record)
        if page:
            self._seal(Page(page))

    def _hear(self, frame: bytes) -> None:
        if not self._offered:
            version, wish, public = self._unpack(_OFFER, _OFFER_MAGIC, frame)
            if version != VERSION:
                self._refuse(f"a table offers enrolment version {version}, this head knows {VERSION}; update the older")
            self._offered, self._said = public, frame
            self.name, self.wish = offer_name(frame), wish
            commitment = _commitment(frame, self._public, self._nonce)
            self._send(_COMMITMENT.pack(_COMMITMENT_MAGIC, self._public, commitment))
        elif self.code is None:
            self._unpack(_NONCE, _NONCE_MAGIC, frame)
            self._said += frame
            self._send(_NONCE.pack(_REVEAL_MAGIC, self._nonce))
            self._agree_on_key(self._offered)
        elif (word := self._unseal(frame, Word)) is not None:
            self._heed(word)

    def _heed(self, word: Word) -> None:
        match word.word:
            case "agree" if not self.agreed:
                self.agreed, self.epoch = True, word.epoch
            case "done" if self.agreed:
                self.done = True
            case "refuse":
                self._refuse(f"the table did not take it: {word.reason[:200]}")
            case _:
                self._refuse(f"the table said {word.word[:20]!r} out of its turn")


def _commitment(offer: bytes, public: bytes, nonce: bytes) -> bytes:
    return sha256(b"othello-kiosk commitment" + offer + public + nonce).digest()
