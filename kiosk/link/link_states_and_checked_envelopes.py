"""The protocol of the link: transition table for both sides, envelope, and validation of message bodies.

A message that is not in ``TRANSITIONS`` is not allowed. A side that receives one closes with ``RemoteProtocolError``; a
side asked to send one raises ``LocalProtocolError`` without any effect.

    START --challenge--> CHALLENGED --hello--> PROVEN --welcome--> OPEN --records, ping--> OPEN
               (table proved its key)  (head proved it too)  <--ack, resend, command, pong--

Every record of an authenticated table with the next number is kept and acknowledged, so that nothing saved is lost and
one invalid record never blocks the rest. A record that cannot be kept as it is (not representable in JSON or in a
database, too deep or too large) is kept as its raw bytes, in a record of the type ``set-aside``.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated, Any

import msgspec

from kiosk.link.errors import RemoteProtocolError
from kiosk.link.link_messages import SET_ASIDE, Command, Health, TableRecord

#: records in one frame at most, and in flight (sent, not acknowledged)
BATCH_RECORDS = 256
WINDOW_RECORDS = 2048
#: commands waiting for their table in one connection
WINDOW_COMMANDS = 32
MAX_EPOCH = 64
#: nesting depth of lists and objects at most, values in a body at most, bytes of a record at most
MAX_DEPTH, MAX_VALUES, MAX_BYTES = 32, 20_000, 131_072
_MOST_INT = 2**63


class ConnectionState(StrEnum):
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


HEAD_MESSAGES = frozenset({Type.CHALLENGE, Type.WELCOME, Type.ACK, Type.RESEND, Type.COMMAND, Type.PONG})
TABLE_MESSAGES = frozenset({Type.HELLO, Type.RECORDS, Type.PING})

TRANSITIONS: dict[tuple[ConnectionState, Type], ConnectionState] = {
    (ConnectionState.START, Type.CHALLENGE): ConnectionState.CHALLENGED,
    (ConnectionState.CHALLENGED, Type.HELLO): ConnectionState.PROVEN,
    (ConnectionState.PROVEN, Type.WELCOME): ConnectionState.OPEN,
    **{
        (ConnectionState.OPEN, kind): ConnectionState.OPEN
        for kind in (Type.RECORDS, Type.ACK, Type.RESEND, Type.COMMAND, Type.PING, Type.PONG)
    },
}


class Envelope(msgspec.Struct, frozen=True):
    """Message envelope. ``seq`` by type: welcome, ack: the head has 1..seq; resend: the head received 1..seq and then a
    gap; records: the first one's seq; ping: the last one sent; hello, command, pong: 0.
    """

    table: int
    epoch: str
    seq: Annotated[int, msgspec.Meta(ge=0)]
    type: Type
    body: msgspec.Raw


#: body of each type; the types not listed have the body nil
BODIES: dict[Type, Any] = {Type.RECORDS: list[msgspec.Raw], Type.COMMAND: Command, Type.PING: Health}

_encode = msgspec.msgpack.Encoder().encode
_decode_envelope = msgspec.msgpack.Decoder(Envelope).decode
_decode_record = msgspec.msgpack.Decoder(TableRecord).decode
_decode_body = {kind: msgspec.msgpack.Decoder(BODIES.get(kind)).decode for kind in Type}


def encode_envelope(table: int, epoch: str, seq: int, kind: Type, body: object = None) -> bytes:
    return _encode(Envelope(table, epoch, seq, kind, msgspec.Raw(_encode(body))))


def decode_envelope(payload: bytes) -> tuple[Envelope, Any]:
    """Return the envelope and its decoded body. Only for payloads with a verified MAC.

    :raises RemoteProtocolError: the payload is of another program or version.
    """
    try:
        envelope = _decode_envelope(payload)
        body = _decode_body[envelope.type](envelope.body)
        return envelope, _records(body, envelope.seq) if envelope.type is Type.RECORDS else body
    except (ValueError, RecursionError) as error:  # msgspec raises UnicodeDecodeError too
        raise RemoteProtocolError.saying(
            "a message is not what this version expects: {why}; update both sides", why=error
        ) from None


def _records(bodies: list[msgspec.Raw], first: int) -> list[TableRecord]:
    """Return the received records, numbered from ``first``. One that cannot be kept as it is becomes ``set-aside``.

    :raises ValueError: a body is no record, so the other side is another program.
    """
    return [_record(bytes(raw), seq) for seq, raw in enumerate(bodies, first)]


def _record(raw: bytes, seq: int) -> TableRecord:
    kind = "record"
    try:
        if len(raw) > MAX_BYTES:
            raise ValueError(f"{len(raw)} bytes; a record has {MAX_BYTES} at most")
        record = _decode_record(raw)
        kind = record.type
        if record.seq != seq:
            return record  # the session rejects a record that is out of sequence
        if kind == SET_ASIDE:
            raise ValueError("a table sets nothing aside")
        _check_representable(record.body)
    except msgspec.ValidationError:
        raise  # from another program
    except (ValueError, RecursionError) as error:
        why = str(error).encode("ascii", "backslashreplace").decode()[:200]
        return TableRecord(seq, SET_ASIDE, {"type": kind, "why": why, "raw": raw.hex()})
    return record


def _check_representable(body: object) -> None:
    """Check that a body can be written as JSON and in any database, and read back unchanged.

    :raises ValueError: what prevents it.
    """
    values, level = 0, [body]
    for _ in range(MAX_DEPTH):
        inside: list[object] = []
        for value in level:
            if isinstance(value, dict):
                inside += (*value.keys(), *value.values())
                if not all(isinstance(key, str) for key in value):
                    raise ValueError("a name that is no text")
            elif isinstance(value, list):
                inside += value
            else:
                _check_scalar(value)
        values += len(inside)
        if values > MAX_VALUES:
            raise ValueError(f"more than {MAX_VALUES} values")
        if not inside:
            return
        level = inside
    raise ValueError(f"more than {MAX_DEPTH} levels")


def _check_scalar(value: object) -> None:
    match value:
        case None | bool():
            pass
        case int():
            if not -_MOST_INT <= value < _MOST_INT:
                raise ValueError("a number of more than 64 bits")
        case float():
            if not math.isfinite(value):
                raise ValueError("a number that is not finite")
        case str():
            if "\0" in value:
                raise ValueError("a text with NUL")
            value.encode()  # a lone surrogate cannot be encoded
        case _:
            raise ValueError(f"a value of the kind {type(value).__name__}")
