"""The table's side of a session."""

from __future__ import annotations

import secrets

import msgspec

from engine.translatable_text import say
from kiosk.link.errors import LocalProtocolError, RemoteProtocolError
from kiosk.link.frame_auth import (
    MAX_FRAME,
    NEWEST_VERSION,
    NONCE_BYTES,
    OLDEST_VERSION,
    SEAL_BYTES,
    AuthChallenge,
    FrameDirection,
    Hello,
    MacReader,
    MacWriter,
    handshake_bytes,
)
from kiosk.link.link_messages import Health, TableRecord
from kiosk.link.link_protocol import BATCH_RECORDS, SAID_BY_HEAD, WINDOW_RECORDS, ConnectionState, Envelope, Type
from kiosk.link.session.session_base import LinkSession
from kiosk.link.session.session_events import CommandReceived, Opened, RecordsAcknowledged, TableEvent, VersionsDiffer

#: space for records in a frame, beside the envelope
_RECORD_BYTES = MAX_FRAME - SEAL_BYTES - 1024


class TableSession(LinkSession):
    """The table's side. The carrier calls ``receive``, and after each event sends what ``wants`` returns."""

    _hears = SAID_BY_HEAD

    def __init__(
        self, table: int, epoch: str, key: bytes, nonce: bytes | None = None, *, frame_bytes: int = MAX_FRAME
    ) -> None:
        """Set up a session. ``frame_bytes``: the largest frame of several records; a noisy line loses short frames less
        often.
        """
        super().__init__()
        self._table, self._epoch, self._key = table, epoch, key
        self._nonce = nonce or secrets.token_bytes(NONCE_BYTES)
        self._batch_bytes = min(frame_bytes, _RECORD_BYTES)
        self._sent = 0
        self._furthest = 0  # the highest seq ever sent here; a resend after a gap begins before it
        self._acknowledged = 0

    def receive(self, frame: bytes) -> list[TableEvent]:
        """Process a frame.

        :raises RemoteProtocolError: the session is closed; connect again.
        """
        self._check(frame)
        try:
            return self._hear(frame)
        except RemoteProtocolError:
            self.close()
            raise

    def sendable_records(self) -> tuple[int, int] | None:
        """Return the records that could be sent now: (after which seq, how many at most)."""
        room = min(BATCH_RECORDS, self._acknowledged + WINDOW_RECORDS - self._sent)
        return (self._sent, room) if self._state is ConnectionState.OPEN and room > 0 else None

    def send_records(self, records: list[TableRecord]) -> None:
        """Send as many of the records as fit into a frame; ``wants`` returns the rest again.

        :raises LocalProtocolError: they do not follow what was sent, or the session is not open.
        """
        if [record.seq for record in records] != list(range(self._sent + 1, self._sent + 1 + len(records))):
            raise LocalProtocolError(say("records after {sent} were wanted", sent=self._sent))
        if not records:
            return
        body: list[msgspec.Raw] = []
        size = 0
        for record in records:
            raw = msgspec.msgpack.encode(record)
            size += len(raw)
            if size > (self._batch_bytes if body else _RECORD_BYTES):
                break
            body.append(msgspec.Raw(raw))
        if not body:
            raise LocalProtocolError(
                say(
                    "record {seq} does not fit into a frame of {most} bytes",
                    seq=records[0].seq,
                    most=MAX_FRAME,
                )
            )
        self._say(Type.RECORDS, records[0].seq, body)
        self._sent += len(body)
        self._furthest = max(self._furthest, self._sent)

    def ping(self, health: Health) -> None:
        """Send a ping, every 2 s: the head answers, repeats what the table may have missed and requests what it missed
        itself.
        """
        self._say(Type.PING, self._sent, health)

    def _hear(self, frame: bytes) -> list[TableEvent]:
        if self._state is ConnectionState.START:
            return self._answer(AuthChallenge.decode(frame))
        message = self._open(frame)
        if message is None:
            return []
        envelope, body = message
        match envelope.type:
            case Type.WELCOME:
                self._furthest = self._acknowledged = envelope.seq
                self._sent = max(0, envelope.seq - 1)  # the last one again: the head compares it with its own
                return [Opened(envelope.seq)]
            case Type.ACK:
                self._expect_sent(envelope)
                self._acknowledged = envelope.seq
                self._sent = max(self._sent, envelope.seq)  # a second ``resend`` came before this
                return [RecordsAcknowledged(envelope.seq)]
            case Type.RESEND:
                self._expect_sent(envelope)
                self._sent = envelope.seq
                return []
            case Type.COMMAND:
                return [CommandReceived(body)]
            case _:
                return []

    def _answer(self, challenge: AuthChallenge) -> list[TableEvent]:
        version = min(challenge.newest, NEWEST_VERSION)
        agreed = version >= max(challenge.oldest, OLDEST_VERSION)
        if not agreed:
            version = NEWEST_VERSION  # not offered: lets the head report which table is incompatible, and why
        self._advance(Type.CHALLENGE)
        self._handshake = challenge.encode()
        claim = Hello(version, self._table, self._nonce)
        handshake = handshake_bytes(challenge, claim)
        self._sealer = MacWriter(self._key, handshake, FrameDirection.TO_HEAD)
        self._opener = MacReader(self._key, handshake, FrameDirection.TO_TABLE)
        self._say(Type.HELLO)
        self._outgoing[-1] = claim.encode() + self._outgoing[-1]
        return [] if agreed else [VersionsDiffer(challenge.oldest, challenge.newest)]

    def _expect_sent(self, envelope: Envelope) -> None:
        if not self._acknowledged <= envelope.seq <= self._furthest:
            self._refuse(
                say(
                    "{kind} of {seq}, but {acknowledged} is acknowledged and {sent} sent",
                    kind=envelope.type,
                    seq=envelope.seq,
                    acknowledged=self._acknowledged,
                    sent=self._furthest,
                )
            )
