"""Reading a table's record strictly, before anybody takes it.

The law: whatever a table proves with its key and counts on is kept and acknowledged, so that nothing saved is lost and
one bad record never holds the rest back. What cannot be kept as it is (it has no spelling in JSON or in a database, is
too deep or too large) is kept as the bytes that came, as a record of the type ``set-aside``.
"""

from __future__ import annotations

import math

import msgspec

from kiosk.link.messages import SET_ASIDE, Record

#: lists and objects inside one another at most, values in a body at most, bytes of a record at most
MAX_DEPTH, MAX_VALUES, MAX_BYTES = 32, 20_000, 131_072
_MOST = 2**63

_decode = msgspec.msgpack.Decoder(Record).decode


def read_records(bodies: list[msgspec.Raw], first: int) -> list[Record]:
    """The records as they came, from seq ``first`` on; each that cannot be kept as it is in its harmless form.

    :raises ValueError: what came is no record: the other side is another program.
    """
    return [_read(bytes(raw), seq) for seq, raw in enumerate(bodies, first)]


def _read(raw: bytes, seq: int) -> Record:
    kind = "record"
    try:
        if len(raw) > MAX_BYTES:
            raise ValueError(f"{len(raw)} bytes; a record has {MAX_BYTES} at most")
        record = _decode(raw)
        kind = record.type
        if record.seq != seq:
            return record  # the session refuses what does not count on
        if kind == SET_ASIDE:
            raise ValueError("a table sets nothing aside")
        check(record.body)
    except msgspec.ValidationError:
        raise  # of another program, whose records this one does not know
    except (ValueError, RecursionError) as error:
        why = str(error).encode("ascii", "backslashreplace").decode()[:200]
        return Record(seq, SET_ASIDE, {"type": kind, "why": why, "raw": raw.hex()})
    return record


def check(body: object) -> None:
    """Sees that a body can be written as JSON, in any database, and read again as it was.

    :raises ValueError: what is in the way.
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
                _check_one(value)
        values += len(inside)
        if values > MAX_VALUES:
            raise ValueError(f"more than {MAX_VALUES} values")
        if not inside:
            return
        level = inside
    raise ValueError(f"more than {MAX_DEPTH} levels")


def _check_one(value: object) -> None:
    match value:
        case None | bool():
            pass
        case int():
            if not -_MOST <= value < _MOST:
                raise ValueError("a number of more than 64 bits")
        case float():
            if not math.isfinite(value):
                raise ValueError("a number that is not finite")
        case str():
            if "\0" in value:
                raise ValueError("a text with NUL")
            value.encode()  # a lone surrogate has no spelling
        case _:
            raise ValueError(f"a value of the kind {type(value).__name__}")
