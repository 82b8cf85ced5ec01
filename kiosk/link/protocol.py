"""The order of the conversation, the same table for both sides, and the envelope.

The law: what is not in ``TRANSITIONS`` does not happen. A side that hears it closes with ``RemoteProtocolError``; a
side that is asked to say it raises ``LocalProtocolError``, and nothing happened.

    START --challenge--> CHALLENGED --hello--> PROVEN --welcome--> OPEN --records, ping--> OPEN
                                     (table proved its key)  (head proved it too)  <--ack, resend, command, pong--
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import msgspec

from engine.text import say
from kiosk.link.errors import RemoteProtocolError
from kiosk.link.messages import Command, Health
from kiosk.link.strict import read_records

#: records in one frame at most, and in flight (sent, not acknowledged)
BATCH_RECORDS = 256
WINDOW_RECORDS = 2048
#: commands that wait for their table in one connection
WINDOW_COMMANDS = 32
MAX_EPOCH = 64


class State(StrEnum):
    START = "START"
    CHALLENGED = "CHALLENGED"
    PROVEN = "PROVEN"
    OPEN = "OPEN"
    CLOSED = "CLOSED"


class Type(StrEnum):
    CHALLENGE = "challenge"
    HELLO = "hello"
    WELCOME = "welcome"
    RECORDS = "records"
    ACK = "ack"
    RESEND = "resend"
    COMMAND = "command"
    PING = "ping"
    PONG = "pong"


SAID_BY_HEAD = frozenset({Type.CHALLENGE, Type.WELCOME, Type.ACK, Type.RESEND, Type.COMMAND, Type.PONG})
SAID_BY_TABLE = frozenset({Type.HELLO, Type.RECORDS, Type.PING})

TRANSITIONS: dict[tuple[State, Type], State] = {
    (State.START, Type.CHALLENGE): State.CHALLENGED,
    (State.CHALLENGED, Type.HELLO): State.PROVEN,
    (State.PROVEN, Type.WELCOME): State.OPEN,
    (State.OPEN, Type.RECORDS): State.OPEN,
    (State.OPEN, Type.ACK): State.OPEN,
    (State.OPEN, Type.RESEND): State.OPEN,
    (State.OPEN, Type.COMMAND): State.OPEN,
    (State.OPEN, Type.PING): State.OPEN,
    (State.OPEN, Type.PONG): State.OPEN,
}


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``seq`` means, by type: welcome, ack: the head has 1..seq; resend: the head received 1..seq and then a gap;
    records: the first one's seq; ping: the last one sent; hello, command, pong: 0."""

    table: int
    epoch: str
    seq: Annotated[int, msgspec.Meta(ge=0)]
    type: Type
    body: msgspec.Raw


#: what the body of each type is; those not named here have the body nil
BODIES: dict[Type, Any] = {Type.RECORDS: list[msgspec.Raw], Type.COMMAND: Command, Type.PING: Health}

_encode = msgspec.msgpack.Encoder().encode
_decode_envelope = msgspec.msgpack.Decoder(Envelope).decode
_decode_body = {kind: msgspec.msgpack.Decoder(BODIES.get(kind)).decode for kind in Type}


def encode_envelope(table: int, epoch: str, seq: int, kind: Type, body: object = None) -> bytes:
    return _encode(Envelope(table, epoch, seq, kind, msgspec.Raw(_encode(body))))


def decode_envelope(payload: bytes) -> tuple[Envelope, Any]:
    """The envelope and its decoded body. Only for payloads whose MAC was right.

    :raises RemoteProtocolError: the other program makes other messages than this one.
    """
    try:
        envelope = _decode_envelope(payload)
        body = _decode_body[envelope.type](envelope.body)
        return envelope, read_records(body, envelope.seq) if envelope.type is Type.RECORDS else body
    except (ValueError, RecursionError) as error:  # msgspec raises UnicodeDecodeError too
        raise RemoteProtocolError(
            say("a message is not what this version expects: {why}; update both sides", why=error)
        ) from None
