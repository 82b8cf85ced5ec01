"""Mutations of valid data for decoders. Every choice comes from the ``Random`` given."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from faults.hostile_values import deep

#: numbers at which formats change, and bytes with a meaning in some format
_BYTES = (b"\x00", b"\xff", b"\x80", b"\xc1", b"\xc7", b"\xdd\xff\xff\xff\xff", b"\n", b"\r\n", b"\x00\x00\x00\x00")


def mutated_bytes(seed: bytes, other: bytes, random: Random) -> bytes:
    data = bytearray(seed)
    for _ in range(random.choice((1, 1, 2, 5, 20))):
        at = random.randrange(len(data) + 1)
        match random.randrange(8):
            case 0 if at < len(data):
                data[at] ^= 1 << random.randrange(8)
            case 1 if at < len(data):
                data[at] = random.randrange(256)
            case 2:
                del data[at:]
            case 3:
                del data[at : at + random.randint(1, 16)]
            case 4:
                data[at:at] = random.choice(_BYTES)
            case 5:
                data[at:at] = random.randbytes(random.choice((1, 8, 300)))
            case 6:
                start = random.randrange(len(other) + 1)
                data[at:at] = other[start : start + random.randint(1, 64)]
            case _:
                data[at:at] = data[: random.randint(0, 64)]
    return bytes(data) if random.random() < 0.97 else random.randbytes(random.choice((0, 1, 7, 64, 5000)))


def _unusual_value(random: Random) -> Any:
    return random.choice(
        (
            None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 2**64, 2**200, 0.5, -0.0, 1e308,
            float("inf"), float("nan"),
            "", " ", "\x00", "0", "-1", "x" * 1000, "１２", "é", "\ud800", "../..", [], {}, [None], {"": None},
            [[]] * 3, {"x": {"x": {}}}, deep(80), list(range(300)), b"", b"\xff",
        )
    )  # fmt: skip


def mutated_value(seed: Any, random: Random) -> Any:
    """Return a copy of a value made of dicts and lists, with one to three places changed."""
    value = copy.deepcopy(seed)
    for _ in range(random.choice((1, 1, 2, 3))):
        holder, key = _somewhere(value, random)
        if holder is None:
            return _unusual_value(random)
        match random.randrange(6):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[random.choice(("", "x", "type", "id", str(key) + "s"))] = holder.pop(key)
            case 2 if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[key]))
            case 3:
                _, other = _any_value(value, random)
                holder[key] = copy.deepcopy(other)
            case _:
                holder[key] = _unusual_value(random)
    return value


def _somewhere(value: Any, random: Random) -> tuple[Any, Any]:
    """Return a place inside: its container and its key; None when there is none."""
    holder, key = None, None
    while isinstance(value, dict | list) and value and (holder is None or random.random() < 0.75):
        holder = value
        key = random.choice(list(value)) if isinstance(value, dict) else random.randrange(len(value))
        value = holder[key]
    return holder, key


def _any_value(value: Any, random: Random) -> tuple[Any, Any]:
    holder, key = _somewhere(value, random)
    return key, None if holder is None else holder[key]
