"""Messages between a sensor board and a table, as specified in docs/reference/sensor-board.md. Pure.

- Each message is one line of ``hardware.serial_byte_stream``. Fields are separated by single spaces, numbers are
decimal
  without sign or leading zeros, and nothing is optional; any other line is refused.
- A cell is ``-`` empty, ``X`` or ``O`` the two faces of a disc, ``?`` unknown. Their meaning in a game is outside the
  protocol.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hardware.serial_line_framing_and_reader import encode_line

PROTOCOL = 1
SEQUENCES = 1 << 16
MAX_NUMBER = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class Identity:
    """``I protocol firmware columns rows``: sent at power-up and on ``IdentityRequest``."""

    protocol: int
    firmware: str
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class SensorFrame:
    """``F sequence answers stable_ms cells``: the picture now.

    ``sequence`` counts frames modulo 65536. ``answers`` is the number of the ``BoardRequest`` it answers, None if
    unsolicited.
    ``stable_ms`` is how long every cell has been unchanged. ``cells`` are row by row, as seen from the side of the
    board's cable. ``at_ns`` is the time base at arrival.
    """

    sequence: int
    answers: int | None
    stable_ms: int
    cells: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """``H sequence uptime_ms``: once a second; ``sequence`` is that of the last frame."""

    sequence: int
    uptime_ms: int


@dataclass(frozen=True, slots=True)
class BoardRequest:
    """``A number``: request for a frame that repeats the number."""

    number: int


@dataclass(frozen=True, slots=True)
class IdentityRequest:
    """``W``: request for the board's identity."""


FromBoard = Identity | SensorFrame | Heartbeat
FromTable = BoardRequest | IdentityRequest

_NUMBER = r"(0|[1-9][0-9]{0,9})"
_IDENTITY = re.compile(rf"I {_NUMBER} ([!-)+-~]{{1,32}}) {_NUMBER} {_NUMBER}")
_FRAME = re.compile(rf"F {_NUMBER} (?:-|{_NUMBER}) {_NUMBER} ([-XO?]{{1,160}})")
_HEARTBEAT = re.compile(rf"H {_NUMBER} {_NUMBER}")
_ASK = re.compile(rf"A {_NUMBER}")


def from_board(payload: str, at_ns: int) -> FromBoard | None:
    """Return the message that a board sent in this payload, which arrived at ``at_ns``; None if it is not a message."""
    if (match := _FRAME.fullmatch(payload)) and _in_range(*match.groups("0")[:3]):
        sequence, answers, stable_ms, cells = match.groups()
        return SensorFrame(int(sequence), None if answers is None else int(answers), int(stable_ms), cells, at_ns)
    if (match := _HEARTBEAT.fullmatch(payload)) and _in_range(*match.groups()):
        return Heartbeat(int(match[1]), int(match[2]))
    if (match := _IDENTITY.fullmatch(payload)) and _in_range("0", match[1], match[3], match[4]):
        return Identity(int(match[1]), match[2], int(match[3]), int(match[4]))
    return None


def from_table(payload: str) -> FromTable | None:
    """Return the message that a table sent in this payload; None if it is not a message."""
    if payload == "W":
        return IdentityRequest()
    match = _ASK.fullmatch(payload)
    return BoardRequest(int(match[1])) if match and _in_range("0", match[1]) else None


def to_payload(message: FromBoard | FromTable) -> str:
    """Return the payload that carries this message; the inverse of ``from_board`` and ``from_table``."""
    match message:
        case Identity(protocol, firmware, columns, rows):
            return f"I {protocol} {firmware} {columns} {rows}"
        case SensorFrame(sequence, answers, stable_ms, cells, _):
            return f"F {sequence} {'-' if answers is None else answers} {stable_ms} {cells}"
        case Heartbeat(sequence, uptime_ms):
            return f"H {sequence} {uptime_ms}"
        case BoardRequest(number):
            return f"A {number}"
        case IdentityRequest():
            return "W"


def to_line(message: FromBoard | FromTable) -> bytes:
    """Return the line with checksum and newline that carries this message."""
    return encode_line(to_payload(message))


def _in_range(sequence: str, *numbers: str) -> bool:
    return int(sequence) < SEQUENCES and all(int(number) <= MAX_NUMBER for number in numbers)
