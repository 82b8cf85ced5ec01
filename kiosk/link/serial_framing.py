"""Framing of a serial line (docs/reference/link-and-journal.md): ``00 COBS(frame ‖ CRC-32) 00``. Pure.

A frame arrives unchanged or not at all. After any disturbance the next zero byte resynchronises; an incomplete frame is
counted and dropped, and line noise never makes the unframer hold more than one frame's bytes.
"""

from __future__ import annotations

import struct
import zlib

from cobs import cobs

from kiosk.link.message_authentication import MAX_FRAME

#: the table's request to begin a conversation; a session answers it with the head's challenge
CHALLENGE_REQUEST = b"OTHk"
#: the head's notice that it ended one, with the reason as a WebSocket close code (0: begin again)
_FAREWELL = struct.Struct(">4sH")
_FAREWELL_MAGIC = b"OTHb"
_CHALLENGE_MAGIC = b"OTHh"

_CRC = struct.Struct(">I")
#: COBS adds a byte for each 254, and one
_MAX_ENCODED = MAX_FRAME + _CRC.size + MAX_FRAME // 254 + 2


def encode(frame: bytes) -> bytes:
    """Return the bytes on the line. The leading zero ends any noise before the frame."""
    encoded: bytes = cobs.encode(frame + _CRC.pack(zlib.crc32(frame)))
    return b"\0" + encoded + b"\0"


def close_frame(code: int) -> bytes:
    return _FAREWELL.pack(_FAREWELL_MAGIC, code)


def close_code(frame: bytes) -> int | None:
    """Return the code, if the frame is a close frame. (No sealed frame begins so: the counters are far below.)"""
    if len(frame) != _FAREWELL.size or not frame.startswith(_FAREWELL_MAGIC):
        return None
    return int(_FAREWELL.unpack(frame)[1])


def is_challenge(frame: bytes) -> bool:
    return frame.startswith(_CHALLENGE_MAGIC)


class Unframer:
    """Decoder from received bytes to complete frames."""

    def __init__(self) -> None:
        self.bad = 0
        self._rest = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes]:
        frames = []
        *ended, rest = data.split(b"\0")
        for part in ended:
            self._rest += part
            encoded = b"" if self._skipping else bytes(self._rest)
            self._rest.clear()
            self._skipping = False
            if encoded:
                frame = _decode(encoded)
                if frame is None:
                    self.bad += 1
                else:
                    frames.append(frame)
        self._rest += rest
        if len(self._rest) > _MAX_ENCODED:
            self.bad += not self._skipping
            self._skipping = True
            self._rest.clear()
        return frames


def _decode(encoded: bytes) -> bytes | None:
    try:
        data: bytes = cobs.decode(encoded)
    except cobs.DecodeError:
        return None
    frame, crc = data[: -_CRC.size], data[-_CRC.size :]
    return frame if crc == _CRC.pack(zlib.crc32(frame)) and frame else None
