"""One connection between a table and the head, without the connection.

The law (h11's manner): bytes in, events out; bytes to send wait in ``outgoing``. No clock, no socket, no thread, no
storage. A session lives as long as one connection; what must outlive it is in the table's journal and the head's store.
After ``RemoteProtocolError`` the session is closed, and nothing of the frame that raised it had an effect.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import msgspec

from kiosk.link.errors import LocalProtocolError, RemoteProtocolError
from kiosk.link.frames import (
    KEY_BYTES,
    MAX_FRAME,
    NEWEST_VERSION,
    NONCE_BYTES,
    OLDEST_VERSION,
    SEAL_BYTES,
    Challenge,
    Claim,
    Direction,
    Opener,
    Sealer,
)
from kiosk.link.messages import Command, Health, Record
from kiosk.link.protocol import (
    BATCH_RECORDS,
    MAX_EPOCH,
    SAID_BY_HEAD,
    SAID_BY_TABLE,
    TRANSITIONS,
    WINDOW_COMMANDS,
    WINDOW_RECORDS,
    Envelope,
    State,
    Type,
    decode_envelope,
    encode_envelope,
)

#: what records may take of a frame, next to the envelope
_RECORD_BYTES = MAX_FRAME - SEAL_BYTES - 1024


@dataclass(frozen=True, slots=True)
class Opened:
    """At the table: both sides are proven; the head has 1..have committed."""

    have: int


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """At the table: the head has 1..have committed."""

    have: int


@dataclass(frozen=True, slots=True)
class CommandReceived:
    """At the table: perhaps not for the first time; the command's id tells."""

    command: Command


@dataclass(frozen=True, slots=True)
class TableProven:
    """At the head: answer with ``welcome``."""

    table: int
    epoch: str


@dataclass(frozen=True, slots=True)
class RecordsReceived:
    """At the head: the next records without a gap. Commit them, then call ``committed``."""

    records: list[Record]


@dataclass(frozen=True, slots=True)
class PingReceived:
    """At the head. The pong is already in ``outgoing``."""

    health: Health


TableEvent = Opened | Acknowledged | CommandReceived
HeadEvent = TableProven | RecordsReceived | PingReceived


class _Session:
    """What both sides share: the state, the seals and the frames to send."""

    _hears: frozenset[Type]

    def __init__(self) -> None:
        self._state = State.START
        self._outgoing: list[bytes] = []
        self._sealer: Sealer | None = None
        self._opener: Opener | None = None
        self._table = 0
        self._epoch = ""

    @property
    def state(self) -> State:
        return self._state

    def outgoing(self) -> list[bytes]:
        """The frames to send, in this order. Each is given once."""
        frames, self._outgoing = self._outgoing, []
        return frames

    def close(self) -> None:
        self._state = State.CLOSED
        self._outgoing.clear()

    def _check(self, frame: bytes) -> None:
        if self._state is State.CLOSED:
            raise LocalProtocolError("the session is closed; make a new one for a new connection")
        if len(frame) > MAX_FRAME:
            self._refuse(f"a frame of {len(frame)} bytes; {MAX_FRAME} are the most")

    def _open(self, frame: bytes) -> tuple[Envelope, Any]:
        """MAC, then decoding, then the table of transitions."""
        if self._opener is None:
            self._refuse(f"a message before the handshake, in state {self._state}")
        envelope, body = decode_envelope(self._opener.open(frame))
        if envelope.type not in self._hears:
            self._refuse(f"a {envelope.type} message from the wrong side")
        if envelope.table != self._table:
            self._refuse(f"a message of table {envelope.table} in the session of table {self._table}")
        if self._epoch and envelope.epoch != self._epoch:
            self._refuse(f"a message of epoch {envelope.epoch!r} in the session of epoch {self._epoch!r}")
        self._advance(envelope.type)
        return envelope, body

    def _advance(self, kind: Type) -> None:
        after = TRANSITIONS.get((self._state, kind))
        if after is None:
            self._refuse(f"a {kind} message in state {self._state}")
        self._state = after

    def _say(self, kind: Type, seq: int = 0, body: object = None) -> None:
        after = TRANSITIONS.get((self._state, kind))
        if after is None or self._sealer is None:
            raise LocalProtocolError(f"a {kind} message cannot be sent in state {self._state}")
        self._state = after
        self._outgoing.append(self._sealer.seal(encode_envelope(self._table, self._epoch, seq, kind, body)))

    def _refuse(self, why: str) -> NoReturn:
        raise RemoteProtocolError(why)


class TableSession(_Session):
    """The table's side. The carrier feeds ``receive``, and after each event sends what ``wants`` asks for."""

    _hears = SAID_BY_HEAD

    def __init__(
        self, table: int, epoch: str, key: bytes, nonce: bytes | None = None, *, frame_bytes: int = MAX_FRAME
    ) -> None:
        """``frame_bytes``: how large a frame of several records may be; a noisy line loses short ones less often."""
        super().__init__()
        self._table, self._epoch, self._key = table, epoch, key
        self._nonce = nonce or secrets.token_bytes(NONCE_BYTES)
        self._batch_bytes = min(frame_bytes, _RECORD_BYTES)
        self._sent = 0
        self._furthest = 0  # what was ever sent here; a repeat after a gap begins before it
        self._acknowledged = 0

    def receive(self, frame: bytes) -> list[TableEvent]:
        """:raises RemoteProtocolError: the session is closed; connect again."""
        self._check(frame)
        try:
            return self._hear(frame)
        except RemoteProtocolError:
            self.close()
            raise

    def wants(self) -> tuple[int, int] | None:
        """(after which seq, how many at most) records could be sent now."""
        room = min(BATCH_RECORDS, self._acknowledged + WINDOW_RECORDS - self._sent)
        return (self._sent, room) if self._state is State.OPEN and room > 0 else None

    def send_records(self, records: list[Record]) -> None:
        """Sends as many of the records as fit into a frame; the rest is wanted again.

        :raises LocalProtocolError: they do not follow what was sent, or the session is not open.
        """
        if [record.seq for record in records] != list(range(self._sent + 1, self._sent + 1 + len(records))):
            raise LocalProtocolError(f"records after {self._sent} were wanted")
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
            raise LocalProtocolError(f"record {records[0].seq} does not fit into a frame of {MAX_FRAME} bytes")
        self._say(Type.RECORDS, records[0].seq, body)
        self._sent += len(body)
        self._furthest = max(self._furthest, self._sent)

    def ping(self, health: Health) -> None:
        """To be called every 2 s: the head answers, repeats what the table may have missed and asks for what it did."""
        self._say(Type.PING, self._sent, health)

    def _hear(self, frame: bytes) -> list[TableEvent]:
        if self._state is State.START:
            self._answer(Challenge.decode(frame))
            return []
        envelope, body = self._open(frame)
        match envelope.type:
            case Type.WELCOME:
                self._sent = self._furthest = self._acknowledged = envelope.seq
                return [Opened(envelope.seq)]
            case Type.ACK:
                self._expect_sent(envelope)
                self._acknowledged = envelope.seq
                self._sent = max(self._sent, envelope.seq)  # a second ``resend`` came before this
                return [Acknowledged(envelope.seq)]
            case Type.RESEND:
                self._expect_sent(envelope)
                self._sent = envelope.seq
                return []
            case Type.COMMAND:
                return [CommandReceived(body)]
            case _:
                return []

    def _answer(self, challenge: Challenge) -> None:
        version = min(challenge.newest, NEWEST_VERSION)
        if version < max(challenge.oldest, OLDEST_VERSION):
            self._refuse(
                f"the head speaks protocol versions {challenge.oldest} to {challenge.newest}, this table "
                f"{OLDEST_VERSION} to {NEWEST_VERSION}; update the older one"
            )
        self._advance(Type.CHALLENGE)
        claim = Claim(version, self._table, self._nonce)
        self._sealer = Sealer(self._key, challenge, claim, Direction.TO_HEAD)
        self._opener = Opener(self._key, challenge, claim, Direction.TO_TABLE)
        self._say(Type.HELLO)
        self._outgoing[-1] = claim.encode() + self._outgoing[-1]

    def _expect_sent(self, envelope: Envelope) -> None:
        if not self._acknowledged <= envelope.seq <= self._furthest:
            self._refuse(
                f"{envelope.type} of {envelope.seq}, but {self._acknowledged} is acknowledged and {self._furthest} sent"
            )


class HeadSession(_Session):
    """The head's side. ``key`` looks a table's key up in memory; it is asked before anything is proven."""

    _hears = SAID_BY_TABLE

    def __init__(self, key: Callable[[int], bytes | None], nonce: bytes | None = None) -> None:
        super().__init__()
        self._key = key
        self._challenge = Challenge(OLDEST_VERSION, NEWEST_VERSION, nonce or secrets.token_bytes(NONCE_BYTES))
        self._received = 0
        self._committed = 0
        self._gap_told = False
        self._commands_sent: set[str] = set()
        self._advance(Type.CHALLENGE)
        self._outgoing.append(self._challenge.encode())

    def receive(self, frame: bytes) -> list[HeadEvent]:
        """:raises RemoteProtocolError: the session is closed; close the connection."""
        self._check(frame)
        try:
            return self._hear(frame)
        except RemoteProtocolError:
            self.close()
            raise

    def welcome(self, have: int) -> None:
        """Answers ``TableProven`` with the last committed seq of (table, epoch)."""
        self._say(Type.WELCOME, have)
        self._received = self._committed = have

    def committed(self, have: int) -> None:
        """1..have are durable at the head: acknowledge them."""
        if not self._committed <= have <= self._received:
            raise LocalProtocolError(f"{have} committed, after {self._committed} and with {self._received} received")
        self._committed = have
        self._say(Type.ACK, have)

    def send_commands(self, pending: list[Command], again: bool = False) -> None:
        """Sends the pending commands that this connection has not carried yet, or all of them ``again``."""
        window = pending[:WINDOW_COMMANDS]
        for command in window:
            if again or command.id not in self._commands_sent:
                self._say(Type.COMMAND, body=command)
        self._commands_sent = {command.id for command in window}

    def _hear(self, frame: bytes) -> list[HeadEvent]:
        if self._state is State.CHALLENGED:
            return [self._prove(frame)]
        envelope, body = self._open(frame)
        match envelope.type:
            case Type.RECORDS:
                return self._take(envelope, body)
            case _:
                if envelope.seq > self._received:
                    self._tell_gap()  # the last frames before the ping were lost
                elif self._committed:
                    self._say(Type.ACK, self._committed)  # the last acknowledgement may have been
                self._say(Type.PONG)
                return [PingReceived(body)]

    def _prove(self, frame: bytes) -> TableProven:
        claim, sealed = Claim.decode(frame)
        # An unknown table is refused exactly like a wrong key, and takes as long.
        key = self._key(claim.table) or secrets.token_bytes(KEY_BYTES)
        self._opener = Opener(key, self._challenge, claim, Direction.TO_HEAD)
        self._table = claim.table
        envelope, _ = self._open(sealed)
        if not OLDEST_VERSION <= claim.version <= NEWEST_VERSION:
            self._refuse(f"table {claim.table} chose protocol version {claim.version}, which was not offered")
        if not 0 < len(envelope.epoch) <= MAX_EPOCH:
            self._refuse(f"an epoch of {len(envelope.epoch)} characters")
        self._epoch = envelope.epoch
        self._sealer = Sealer(key, self._challenge, claim, Direction.TO_TABLE)
        return TableProven(self._table, self._epoch)

    def _take(self, envelope: Envelope, records: list[Record]) -> list[HeadEvent]:
        """Only N + 1 is accepted. What is known already is passed over, a gap is answered by asking again."""
        if not records or [r.seq for r in records] != list(range(envelope.seq, envelope.seq + len(records))):
            self._refuse("records that do not count on from the seq of their envelope")
        if envelope.seq > self._received + 1:
            if not self._gap_told:
                self._tell_gap()
            return []
        self._gap_told = False
        fresh = records[self._received + 1 - envelope.seq :]
        if not fresh:
            self._say(Type.ACK, self._committed)
            return []
        self._received = fresh[-1].seq
        return [RecordsReceived(fresh)]

    def _tell_gap(self) -> None:
        self._gap_told = True
        self._say(Type.RESEND, self._received)
