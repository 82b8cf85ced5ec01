"""The head's side of one enrolment offer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

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
    Peer,
    RecordPage,
    commitment_of,
    offer_name,
)
from kiosk.link.errors import LocalProtocolError, RemoteProtocolError
from kiosk.link.link_messages import TableRecord
from kiosk.link.message_macs_versions_handshake import MAX_FRAME, FrameDirection

_PAGE_BYTES = MAX_FRAME // 2


class HeadEnrolment(Peer[None]):
    """The head's side of one offer. ``agreed``: the person at the table has confirmed the code; ``done``: the table has
    saved its key.
    """

    _outward, _inward = FrameDirection.TO_TABLE, FrameDirection.TO_HEAD

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
            raise LocalProtocolError(say("the person at the table has not agreed yet"))
        return self._key

    def grant(self, table: int, epoch: str = "", records: Sequence[TableRecord] = ()) -> None:
        """Grant the number, the key and the journal to the table."""
        if not self.agreed:
            raise LocalProtocolError(say("the person at the table has not agreed yet"))
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
                raise RemoteProtocolError(say("the table did not take it: {why}", why=message.reason[:200]))
            case _:
                raise RemoteProtocolError(say("the table sent {word!r} at the wrong time", word=message.word[:20]))
