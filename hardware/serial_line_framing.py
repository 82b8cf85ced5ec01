"""Line framing for serial cables: printable ASCII, a checksum, a newline. Pure.

- A line is ``payload*CCCC\\n``. The payload is 1 to 200 characters from space to ``~`` without ``*``; CCCC is its
  CRC-16 in upper-case hexadecimal (CRC-16/IBM-3740, also called CCITT-FALSE: polynomial 1021, start FFFF, not
  reflected; ``123456789`` gives 29B1). A carriage return before the newline is allowed.
- Anything else is counted and dropped: after any disturbance the next newline resynchronises.
"""

from __future__ import annotations

import re
from binascii import crc_hqx

from hardware.errors import ErrorText, LineError, say

MAX_PAYLOAD = 200
_MAX_LINE = MAX_PAYLOAD + 6  # the star, four digits, a carriage return
_LINE = re.compile(rb"([ -)+-~]{1,%d})\*([0-9A-F]{4})\r?" % MAX_PAYLOAD)


def crc16(data: bytes) -> int:
    """Return the CRC-16/IBM-3740."""
    return crc_hqx(data, 0xFFFF)


def encode_line(payload: str) -> bytes:
    """Return the line that carries this payload, with its newline.

    :raises LineError: if the payload cannot be carried.
    """
    data = payload.encode("ascii", "replace")
    line = b"%b*%04X" % (data, crc16(data))
    if not (payload.isascii() and _LINE.fullmatch(line)):
        raise LineError(
            say(
                "a serial line carries 1 to {max_payload} printable characters without '*', not {payload!r}",
                max_payload=MAX_PAYLOAD,
                payload=payload,
            ),
        )
    return line + b"\n"


def decode_line(line: bytes) -> str:
    """Return the payload of one line, given without its newline.

    :raises LineError: if it is not a line or its checksum is wrong.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        raise _bad(line, say("not of the form payload*CCCC"))
    payload = match[1]
    if int(match[2], 16) != crc16(payload):
        raise _bad(line, say("the checksum should be {checksum:04X}", checksum=crc16(payload)))
    return payload.decode("ascii")


def _bad(line: bytes, why: ErrorText) -> LineError:
    return LineError(say("bad serial line {line!r}: {why}", line=line[:80], why=why))


class LineSplitter:
    """Splitter of a stream of bytes at its newlines, which never holds more than one longest line.

    A line that grows too long without a newline is dropped up to the next newline and counted in ``overlong``.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._dropping = False
        self.overlong = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines completed by these bytes, without their newlines; empty lines are left out."""
        *ended, rest = data.split(b"\n")
        lines = []
        for piece in ended:
            self._add(piece)
            if not self._dropping and self._rest.rstrip(b"\r"):
                lines.append(self._rest)
            self._rest, self._dropping = b"", False
        self._add(rest)
        return lines

    def _add(self, piece: bytes) -> None:
        if self._dropping:
            return
        if len(self._rest) + len(piece) > _MAX_LINE:
            self._rest, self._dropping = b"", True
            self.overlong += 1
        else:
            self._rest += piece
