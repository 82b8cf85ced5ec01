"""The head's side of a session."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

from engine.translatable_text import say
from kiosk.link.errors import LocalProtocolError, ProofError, RemoteProtocolError, VersionError
from kiosk.link.frame_auth import (
    KEY_BYTES,
    NEWEST_VERSION,
    NONCE_BYTES,
    OLDEST_VERSION,
    AuthChallenge,
    FrameDirection,
    Hello,
    MacReader,
    MacWriter,
    handshake_bytes,
)
from kiosk.link.link_messages import Command, TableRecord
from kiosk.link.link_protocol import MAX_EPOCH, SAID_BY_TABLE, WINDOW_COMMANDS, ConnectionState, Envelope, Type
from kiosk.link.session.session_base import LinkSession
from kiosk.link.session.session_events import HeadEvent, PingReceived, RecordRepeated, RecordsReceived, TableProven


class HeadSession(LinkSession):
    """The head's side. ``key`` looks a table's key up in memory, and ``retired`` the keys of devices that were replaced
    there; both are called before authentication.
    """

    _hears = SAID_BY_TABLE

    def __init__(
        self,
        key: Callable[[int], bytes | None],
        nonce: bytes | None = None,
        *,
        retired: Callable[[int], Sequence[bytes]] = lambda table: (),
    ) -> None:
        super().__init__()
        self._key, self._retired = key, retired
        self._challenge = AuthChallenge(OLDEST_VERSION, NEWEST_VERSION, nonce or secrets.token_bytes(NONCE_BYTES))
        self._received = 0
        self._committed = 0
        self._gap_told = False
        self._commands_sent: set[str] = set()
        self._advance(Type.CHALLENGE)
        self._outgoing.append(self._challenge.encode())

    def receive(self, frame: bytes) -> list[HeadEvent]:
        """Process a frame.

        :raises RemoteProtocolError: the session is closed; close the connection.
        """
        self._check(frame)
        try:
            return self._hear(frame)
        except RemoteProtocolError:
            self.close()
            raise

    def welcome(self, have: int) -> None:
        """Answer ``TableProven`` with the last committed seq of (table, epoch)."""
        self._say(Type.WELCOME, have)
        self._received = self._committed = have

    def committed(self, have: int, refused: bool = False) -> None:
        """Acknowledge 1..have, which are durable at the head. ``refused``: the rest of what was received was not taken;
        it is requested again after the next ping.
        """
        if not self._committed <= have <= self._received:
            raise LocalProtocolError(
                say(
                    "{have} committed, after {committed} and with {received} received",
                    have=have,
                    committed=self._committed,
                    received=self._received,
                )
            )
        self._committed = have
        if refused:
            self._received, self._gap_told = have, True
        self._say(Type.ACK, have)

    def send_commands(self, pending: list[Command], again: bool = False) -> None:
        """Send the pending commands that this connection has not carried yet, or all of them ``again``."""
        window = pending[:WINDOW_COMMANDS]
        for command in window:
            if again or command.id not in self._commands_sent:
                self._say(Type.COMMAND, body=command)
        self._commands_sent = {command.id for command in window}

    def _hear(self, frame: bytes) -> list[HeadEvent]:
        if self._state is ConnectionState.CHALLENGED:
            return [self._prove(frame)]
        message = self._open(frame)
        if message is None:
            return []
        envelope, body = message
        match envelope.type:
            case Type.RECORDS:
                return self._take(envelope, body)
            case _:
                if envelope.seq > self._received:
                    self._tell_gap()  # the last frames before the ping were lost
                elif self._committed:
                    self._say(Type.ACK, self._committed)  # the last acknowledgement may have been lost
                self._say(Type.PONG)
                return [PingReceived(body)]

    def _prove(self, frame: bytes) -> TableProven:
        claim, sealed = Hello.decode(frame)
        handshake = handshake_bytes(self._challenge, claim)
        key, retired, payload = self._proof(claim.table, handshake, sealed)
        # Bytes after the proof may be of another version, and are read only if they are not.
        if not OLDEST_VERSION <= claim.version <= NEWEST_VERSION:
            raise VersionError(claim.table, claim.version, OLDEST_VERSION, NEWEST_VERSION)
        self._table, self._handshake = claim.table, frame
        envelope, _ = self._read(payload)
        if not 0 < len(envelope.epoch) <= MAX_EPOCH or not envelope.epoch.isprintable():
            self._refuse(say("an epoch of {n} characters, or one that cannot be printed", n=len(envelope.epoch)))
        self._epoch = envelope.epoch
        self._sealer = MacWriter(key, handshake, FrameDirection.TO_TABLE)
        return TableProven(self._table, self._epoch, retired)

    def _proof(self, table: int, handshake: bytes, sealed: bytes) -> tuple[bytes, bool, bytes]:
        """Return the key proven by the hello, whether it is a retired one, and the sealed content."""
        # An unknown table is rejected exactly like a wrong key, in the same time.
        present = self._key(table) or secrets.token_bytes(KEY_BYTES)
        for key in (present, *self._retired(table)):
            opener = MacReader(key, handshake, FrameDirection.TO_HEAD)
            try:
                payload = opener.open(sealed)
            except RemoteProtocolError:
                continue
            if payload is None:
                self._refuse(say("a hello whose counter does not begin at 1"))
            self._opener = opener
            return key, key is not present, payload
        raise ProofError(table)

    def _take(self, envelope: Envelope, records: list[TableRecord]) -> list[HeadEvent]:
        """Accept only record N + 1. Known records are skipped, a gap is answered with a resend request."""
        if not records or [r.seq for r in records] != list(range(envelope.seq, envelope.seq + len(records))):
            self._refuse(say("records that do not count on from the seq of their envelope"))
        if envelope.seq > self._received + 1:
            if not self._gap_told:
                self._tell_gap()
            return []
        self._gap_told = False
        known = self._received + 1 - envelope.seq
        fresh = records[known:]
        events: list[HeadEvent] = [RecordRepeated(records[:known][-1])] if known else []
        if not fresh:
            self._say(Type.ACK, self._committed)
            return events
        self._received = fresh[-1].seq
        return [*events, RecordsReceived(fresh)]

    def _tell_gap(self) -> None:
        self._gap_told = True
        self._say(Type.RESEND, self._received)
