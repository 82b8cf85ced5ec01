"""Framing of a serial line: ``00 COBS(frame ‖ CRC-32) 00`` (docs/reference/link-and-journal.md).

A frame arrives unchanged or not at all. After any disturbance the next zero byte resynchronises; an incomplete frame is
counted and dropped, and line noise never makes the unframer hold more than one frame's bytes.
"""

from __future__ import annotations

import struct
import zlib

from cobs import cobs

from kiosk.link.message_macs_and_handshake import CHALLENGE_MAGIC, MAX_FRAME

#: the table's request for the head's challenge, which begins a connection
CHALLENGE_REQUEST = b"OTHk"
#: the head's end of a connection, with the reason as a WebSocket close code (0: begin again)
_CLOSE = struct.Struct(">4sH")
_CLOSE_MAGIC = b"OTHb"

_CRC = struct.Struct(">I")
#: COBS adds a byte for each 254, and one
_MAX_ENCODED = MAX_FRAME + _CRC.size + MAX_FRAME // 254 + 2


def encode(frame: bytes) -> bytes:
    """Return the bytes on the line. The leading zero ends any noise before the frame."""
    encoded: bytes = cobs.encode(frame + _CRC.pack(zlib.crc32(frame)))
    return b"\0" + encoded + b"\0"


def close_frame(code: int) -> bytes:
    return _CLOSE.pack(_CLOSE_MAGIC, code)


def close_code(frame: bytes) -> int | None:
    """Return the code, if the frame is a close frame. A sealed frame begins with its counter, far below these bytes."""
    if len(frame) != _CLOSE.size or not frame.startswith(_CLOSE_MAGIC):
        return None
    return int(_CLOSE.unpack(frame)[1])


def is_challenge(frame: bytes) -> bool:
    return frame.startswith(CHALLENGE_MAGIC)


class Unframer:
    """Decoder from received bytes to complete frames. ``bad`` counts those that were dropped."""

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
