"""State, seals and outgoing frames shared by both sides of a session.

Checks of a frame in this order: MAC, newness, decoding, transition table. A frame that fails the first, third or fourth
closes the session; one that is not new is ignored.
"""

from __future__ import annotations

from typing import Any, NoReturn

from engine.translatable_text import Text, say
from kiosk.link.errors import LocalProtocolError, RemoteProtocolError
from kiosk.link.frame_auth import MAX_FRAME, MacReader, MacWriter
from kiosk.link.link_protocol import TRANSITIONS, ConnectionState, Envelope, Type, decode_envelope, encode_envelope


class LinkSession:
    """Base of both sides; ``kiosk.link.session.table_session`` and ``head`` define how messages are handled."""

    _hears: frozenset[Type]

    def __init__(self) -> None:
        self._state = ConnectionState.START
        self._outgoing: list[bytes] = []
        self._sealer: MacWriter | None = None
        self._opener: MacReader | None = None
        self._table = 0
        self._epoch = ""
        self._handshake = b""  # the other side's handshake frame: a carrier may deliver it twice

    @property
    def state(self) -> ConnectionState:
        return self._state

    @property
    def has_outgoing(self) -> bool:
        return bool(self._outgoing)

    def outgoing(self) -> list[bytes]:
        """Return the frames to send, in order. Each is returned once."""
        frames, self._outgoing = self._outgoing, []
        return frames

    def close(self) -> None:
        self._state = ConnectionState.CLOSED
        self._outgoing.clear()

    def _check(self, frame: bytes) -> None:
        if self._state is ConnectionState.CLOSED:
            raise LocalProtocolError(say("the session is closed; make a new one for a new connection"))
        if len(frame) > MAX_FRAME:
            self.close()
            self._refuse(say("a frame has {n} bytes; the maximum is {most}", n=len(frame), most=MAX_FRAME))

    def _open(self, frame: bytes) -> tuple[Envelope, Any] | None:
        """Return the message in a frame; None if the frame is not new."""
        if self._opener is None:
            self._refuse(say("a message before the handshake, in state {state}", state=self._state))
        if frame == self._handshake:
            return None
        payload = self._opener.open(frame)
        return None if payload is None else self._read(payload)

    def _read(self, payload: bytes) -> tuple[Envelope, Any]:
        envelope, body = decode_envelope(payload)
        if envelope.type not in self._hears:
            self._refuse(say("a {kind} message from the wrong side", kind=envelope.type))
        if envelope.table != self._table:
            self._refuse(
                say("a message of table {table} in the session of table {ours}", table=envelope.table, ours=self._table)
            )
        if self._epoch and envelope.epoch != self._epoch:
            self._refuse(
                say(
                    "a message of epoch {epoch!r} in the session of epoch {ours!r}",
                    epoch=envelope.epoch,
                    ours=self._epoch,
                )
            )
        self._advance(envelope.type)
        return envelope, body

    def _advance(self, kind: Type) -> None:
        after = TRANSITIONS.get((self._state, kind))
        if after is None:
            self._refuse(say("a {kind} message in state {state}", kind=kind, state=self._state))
        self._state = after

    def _say(self, kind: Type, seq: int = 0, body: object = None) -> None:
        after = TRANSITIONS.get((self._state, kind))
        if after is None or self._sealer is None:
            raise LocalProtocolError(
                say("a {kind} message cannot be sent in state {state}", kind=kind, state=self._state)
            )
        self._state = after
        self._outgoing.append(self._sealer.seal(encode_envelope(self._table, self._epoch, seq, kind, body)))

    def _refuse(self, why: Text) -> NoReturn:
        raise RemoteProtocolError(why)
