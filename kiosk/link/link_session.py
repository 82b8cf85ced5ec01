"""Sans-I/O protocol sessions of one connection between a table and the head.

- As in h11: bytes in, events out; bytes to send wait in ``outgoing``. No clock, socket, thread or storage.
- A session lives as long as one connection; lasting state is in the journal of the table and the store of the head.
- After ``RemoteProtocolError`` the session is closed, and the frame that raised it had no effect.
- A duplicate or late frame has no effect and is no error: transports duplicate and delay.
- Checks of a frame in this order: MAC, newness, decoding, transition table. A frame that fails the first, third or
  fourth closes the session; one that is not new is ignored.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from engine.i18n import say
from kiosk.link import link_states_and_checked_envelopes as envelopes
from kiosk.link import message_macs_versions_handshake as macs
from kiosk.link.errors import LocalProtocolError, ProofError, RemoteProtocolError, VersionError
from kiosk.link.link_messages import Command, Health, TableRecord
from kiosk.link.link_states_and_checked_envelopes import ConnectionState, Envelope, Type


@dataclass(frozen=True, slots=True)
class Opened:
    """At the table: both sides are authenticated; the head has 1..have committed."""

    have: int


@dataclass(frozen=True, slots=True)
class RecordsAcknowledged:
    """At the table: the head has 1..have committed."""

    have: int


@dataclass(frozen=True, slots=True)
class CommandReceived:
    """At the table: a command, perhaps repeated; its id identifies it."""

    command: Command


@dataclass(frozen=True, slots=True)
class VersionsDiffer:
    """At the table: it has no version in common with the head. The answer in ``outgoing`` reports this to the head,
    which then ends the connection.
    """

    head_oldest: int
    head_newest: int


@dataclass(frozen=True, slots=True)
class TableProven:
    """At the head: answer with ``welcome``. ``retired``: the device was replaced at its table, and its records no
    longer count for the table.
    """

    table: int
    epoch: str
    retired: bool = False


@dataclass(frozen=True, slots=True)
class RecordsReceived:
    """At the head: the next records without a gap. Commit them, then call ``committed``."""

    records: list[TableRecord]


@dataclass(frozen=True, slots=True)
class RecordRepeated:
    """At the head: a record that it has already. Another content means that two devices write one journal."""

    record: TableRecord


@dataclass(frozen=True, slots=True)
class PingReceived:
    """At the head: a ping. The pong is already in ``outgoing``."""

    health: Health


TableEvent = Opened | RecordsAcknowledged | CommandReceived | VersionsDiffer
HeadEvent = TableProven | RecordsReceived | RecordRepeated | PingReceived


E = TypeVar("E", TableEvent, HeadEvent)


class LinkSession(macs.FrameSession[list[E]]):
    """Base of both sides, which define what they accept and how they handle a frame. ``_handshake``: the other side's
    handshake frame, which a transport may deliver twice.
    """

    _accepted: frozenset[Type]
    _over = say("the session is closed; make a new one for a new connection")

    def __init__(self) -> None:
        super().__init__()
        self.state = ConnectionState.START
        self._table = 0
        self._epoch = ""

    @property
    def has_outgoing(self) -> bool:
        return bool(self._outgoing)

    def close(self) -> None:
        super().close()
        self.state = ConnectionState.CLOSED
        self._outgoing.clear()

    def _open(self, frame: bytes) -> tuple[Envelope, Any] | None:
        """Return the message in a frame; None if the frame is not new."""
        if self._mac_reader is None:
            raise RemoteProtocolError.saying("a message before the handshake, in state {state}", state=self.state)
        if frame == self._handshake:
            return None
        payload = self._mac_reader.open(frame)
        return None if payload is None else self._read(payload)

    def _read(self, payload: bytes) -> tuple[Envelope, Any]:
        envelope, body = envelopes.decode_envelope(payload)
        if envelope.type not in self._accepted:
            raise RemoteProtocolError.saying("a {kind} message from the wrong side", kind=envelope.type)
        if envelope.table != self._table:
            raise RemoteProtocolError.saying(
                "a message of table {table} in the session of table {ours}", table=envelope.table, ours=self._table
            )
        if self._epoch and envelope.epoch != self._epoch:
            text = say("a message of epoch {epoch!r} in the session of epoch {ours!r}")
            raise RemoteProtocolError(text(epoch=envelope.epoch, ours=self._epoch))
        self._advance(envelope.type)
        return envelope, body

    def _advance(self, kind: Type) -> None:
        after = envelopes.TRANSITIONS.get((self.state, kind))
        if after is None:
            raise RemoteProtocolError.saying("a {kind} message in state {state}", kind=kind, state=self.state)
        self.state = after

    def _send_message(self, kind: Type, seq: int = 0, body: object = None) -> None:
        after = envelopes.TRANSITIONS.get((self.state, kind))
        if after is None or self._mac_writer is None:
            raise LocalProtocolError.saying(
                "a {kind} message cannot be sent in state {state}", kind=kind, state=self.state
            )
        self.state = after
        payload = envelopes.encode_envelope(self._table, self._epoch, seq, kind, body)
        self._outgoing.append(self._mac_writer.seal(payload))


#: space for records in a frame, beside the envelope
_RECORD_BYTES = macs.MAX_FRAME - macs.SEAL_BYTES - 1024


class TableSession(LinkSession[TableEvent]):
    """The table's side. After each event it can send the records that ``sendable_records`` names."""

    _accepted = envelopes.HEAD_MESSAGES
    versions = macs.VERSIONS

    def __init__(
        self, table: int, epoch: str, key: bytes, nonce: bytes | None = None, *, frame_bytes: int = macs.MAX_FRAME
    ) -> None:
        """Set up a session. ``frame_bytes``: the largest frame of several records; a noisy line loses short frames less
        often.
        """
        super().__init__()
        self._table, self._epoch, self._key = table, epoch, key
        self._nonce = nonce or secrets.token_bytes(macs.NONCE_BYTES)
        self._batch_bytes = min(frame_bytes, _RECORD_BYTES)
        self._sent = 0
        self._furthest = 0  # the highest seq ever sent here; a resend after a gap begins before it
        self._acknowledged = 0

    def sendable_records(self) -> tuple[int, int] | None:
        """Return the records that could be sent now: (after which seq, how many at most)."""
        room = min(envelopes.BATCH_RECORDS, self._acknowledged + envelopes.WINDOW_RECORDS - self._sent)
        return (self._sent, room) if self.state is ConnectionState.OPEN and room > 0 else None

    def send_records(self, records: list[TableRecord]) -> None:
        """Send as many of the records as fit into a frame; ``sendable_records`` names the rest again.

        :raises LocalProtocolError: they do not follow what was sent, or the session is not open.
        """
        if [record.seq for record in records] != list(range(self._sent + 1, self._sent + 1 + len(records))):
            raise LocalProtocolError.saying("records after {sent} were wanted", sent=self._sent)
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
            text = say("record {seq} does not fit into a frame of {most} bytes")
            raise LocalProtocolError(text(seq=records[0].seq, most=macs.MAX_FRAME))
        self._send_message(Type.RECORDS, records[0].seq, body)
        self._sent += len(body)
        self._furthest = max(self._furthest, self._sent)

    def ping(self, health: Health) -> None:
        """Send a ping, every 2 s: the head answers, repeats what the table may have missed and requests what it missed
        itself.
        """
        self._send_message(Type.PING, self._sent, health)

    def _handle_frame(self, frame: bytes) -> list[TableEvent]:
        if self.state is ConnectionState.START:
            return self._answer(macs.AuthChallenge.decode(frame))
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

    def _answer(self, challenge: macs.AuthChallenge) -> list[TableEvent]:
        agreed = self.versions.common(challenge.versions)
        # a version that was not offered lets the head report which table is incompatible, and why
        version = self.versions.newest if agreed is None else agreed
        self._advance(Type.CHALLENGE)
        self._handshake = challenge.encode()
        hello = macs.Hello(version, self._table, self._nonce)
        handshake = macs.handshake_bytes(challenge, hello)
        self._mac_writer = macs.MacWriter(self._key, handshake, macs.FrameDirection.TO_HEAD)
        self._mac_reader = macs.MacReader(self._key, handshake, macs.FrameDirection.TO_TABLE)
        self._send_message(Type.HELLO)
        self._outgoing[-1] = hello.encode() + self._outgoing[-1]
        return [VersionsDiffer(*challenge.versions)] if agreed is None else []

    def _expect_sent(self, envelope: Envelope) -> None:
        if not self._acknowledged <= envelope.seq <= self._furthest:
            raise RemoteProtocolError.saying(
                "{kind} of {seq}, but {acknowledged} is acknowledged and {sent} sent",
                kind=envelope.type,
                seq=envelope.seq,
                acknowledged=self._acknowledged,
                sent=self._furthest,
            )


class HeadSession(LinkSession[HeadEvent]):
    """The head's side. ``key`` looks a table's key up in memory, and ``retired`` the keys of devices that were replaced
    there; both are called before authentication.
    """

    _accepted = envelopes.TABLE_MESSAGES

    def __init__(
        self,
        key: Callable[[int], bytes | None],
        nonce: bytes | None = None,
        *,
        retired: Callable[[int], Sequence[bytes]] | None = None,
    ) -> None:
        super().__init__()
        self._key, self._retired = key, retired
        self._challenge = macs.AuthChallenge(macs.VERSIONS, nonce or secrets.token_bytes(macs.NONCE_BYTES))
        self._received = 0
        self._committed = 0
        self._gap_reported = False
        self._commands_sent: set[str] = set()
        self._advance(Type.CHALLENGE)
        self._outgoing.append(self._challenge.encode())

    def welcome(self, have: int) -> None:
        """Answer ``TableProven`` with the last committed seq of (table, epoch)."""
        self._send_message(Type.WELCOME, have)
        self._received = self._committed = have

    def committed(self, have: int, refused: bool = False) -> None:
        """Acknowledge 1..have, which are durable at the head. ``refused``: the rest of the received records was not
        accepted; it is requested again after the next ping."""
        if not self._committed <= have <= self._received:
            text = say("{have} committed, after {committed} and with {received} received")
            raise LocalProtocolError(text(have=have, committed=self._committed, received=self._received))
        self._committed = have
        if refused:
            self._received, self._gap_reported = have, True
        self._send_message(Type.ACK, have)

    def send_commands(self, pending: list[Command], again: bool = False) -> None:
        """Send the pending commands that this connection has not sent yet, or all of them ``again``."""
        window = pending[: envelopes.WINDOW_COMMANDS]
        for command in window:
            if again or command.id not in self._commands_sent:
                self._send_message(Type.COMMAND, body=command)
        self._commands_sent = {command.id for command in window}

    def _handle_frame(self, frame: bytes) -> list[HeadEvent]:
        if self.state is ConnectionState.CHALLENGED:
            return [self._prove(frame)]
        message = self._open(frame)
        if message is None:
            return []
        envelope, body = message
        if envelope.type is Type.RECORDS:
            return self._accept_records(envelope, body)
        if envelope.seq > self._received:
            self._request_resend()  # the last frames before the ping were lost
        elif self._committed:
            self._send_message(Type.ACK, self._committed)  # the last acknowledgement may have been lost
        self._send_message(Type.PONG)
        return [PingReceived(body)]

    def _prove(self, frame: bytes) -> TableProven:
        hello, sealed = macs.Hello.decode(frame)
        handshake = macs.handshake_bytes(self._challenge, hello)
        key, retired, payload = self._verify_proof(hello.table, handshake, sealed)
        # Bytes after the proof may be of another version, and are read only if they are not.
        oldest, newest = self._challenge.versions
        if not oldest <= hello.version <= newest:
            raise VersionError(hello.table, hello.version, oldest, newest)
        self._table, self._handshake = hello.table, frame
        envelope, _ = self._read(payload)
        if not 0 < len(envelope.epoch) <= envelopes.MAX_EPOCH or not envelope.epoch.isprintable():
            raise RemoteProtocolError.saying(
                "an epoch of {n} characters, or one that cannot be printed", n=len(envelope.epoch)
            )
        self._epoch = envelope.epoch
        self._mac_writer = macs.MacWriter(key, handshake, macs.FrameDirection.TO_TABLE)
        return TableProven(self._table, self._epoch, retired)

    def _verify_proof(self, table: int, handshake: bytes, sealed: bytes) -> tuple[bytes, bool, bytes]:
        """Return the key proven by the hello, whether it is a retired one, and the sealed content."""
        # An unknown table is rejected exactly like a wrong key, in the same time.
        present = self._key(table) or secrets.token_bytes(macs.KEY_BYTES)
        for key in (present, *(self._retired(table) if self._retired else ())):
            reader = macs.MacReader(key, handshake, macs.FrameDirection.TO_HEAD)
            try:
                payload = reader.open(sealed)
            except RemoteProtocolError:
                continue
            if payload is None:
                raise RemoteProtocolError.saying("a hello whose counter does not begin at 1")
            self._mac_reader = reader
            return key, key is not present, payload
        raise ProofError(table)

    def _accept_records(self, envelope: Envelope, records: list[TableRecord]) -> list[HeadEvent]:
        """Accept only record N + 1. Known records are skipped, a gap is answered with a resend request."""
        if not records or [r.seq for r in records] != list(range(envelope.seq, envelope.seq + len(records))):
            raise RemoteProtocolError.saying("records that do not count on from the seq of their envelope")
        if envelope.seq > self._received + 1:
            if not self._gap_reported:
                self._request_resend()
            return []
        self._gap_reported = False
        known = self._received + 1 - envelope.seq
        fresh = records[known:]
        events: list[HeadEvent] = [RecordRepeated(records[:known][-1])] if known else []
        if not fresh:
            self._send_message(Type.ACK, self._committed)
            return events
        self._received = fresh[-1].seq
        return [*events, RecordsReceived(fresh)]

    def _request_resend(self) -> None:
        self._gap_reported = True
        self._send_message(Type.RESEND, self._received)
