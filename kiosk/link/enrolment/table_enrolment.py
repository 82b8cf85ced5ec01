"""The table's side of one enrolment offer."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from engine.i18n import say
from kiosk.link.enrolment.enrolment_protocol import (
    COMMITMENT,
    COMMITMENT_MAGIC,
    NONCE,
    NONCE_MAGIC,
    OFFER,
    OFFER_MAGIC,
    REVEAL_MAGIC,
    VERSION,
    ControlMessage,
    Grant,
    KeyPair,
    Peer,
    RecordPage,
    commitment_of,
    offer_name,
)
from kiosk.link.errors import LocalProtocolError, RemoteProtocolError
from kiosk.link.link_messages import TableRecord
from kiosk.link.message_macs_versions_handshake import MAX_TABLE, FrameDirection


@dataclass(frozen=True, slots=True)
class GrantedKey:
    """The number, the key and the complete journal granted to the table."""

    table: int
    key: bytes
    epoch: str
    records: tuple[TableRecord, ...]


class TableEnrolment(Peer[GrantedKey | None]):
    """The table's side of one offer. ``wish``: the configured number of this table, 0 for a spare that accepts any."""

    _outward, _inward = FrameDirection.TO_HEAD, FrameDirection.TO_TABLE

    def __init__(self, wish: int = 0, epoch: str = "", pair: KeyPair | None = None) -> None:
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
            raise LocalProtocolError(say("there is no code to agree on, or it was agreed on"))
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
                raise RemoteProtocolError(
                    say(
                        "the head's nonce is not the one it had committed to; someone may be intercepting "
                        "the connection"
                    )
                )
            self._handshake += frame
            self._agree_on_key(public)
        elif not self.agreed:
            raise RemoteProtocolError(say("the head gave a key before this table's person agreed"))
        else:
            return self._handle_grant(frame)
        return None

    def _handle_grant(self, frame: bytes) -> GrantedKey | None:
        if self._grant is None:
            grant = self._unseal(frame, Grant)
            if grant is None:
                return None
            if not 0 < grant.table <= MAX_TABLE or (self._wish and grant.table != self._wish):
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
            raise RemoteProtocolError(say("the journal from the head has gaps"))
        return GrantedKey(self._grant.table, self._key, self._grant.epoch, tuple(self._records))
