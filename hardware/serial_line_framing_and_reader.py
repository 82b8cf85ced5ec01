"""Checked text lines over a serial port: their framing, and the thread that reads them and reopens the port.

- A line is ``payload*CCCC\n``. The payload is 1 to 200 characters from space to ``~`` without ``*``; CCCC is its
  CRC-16 in upper-case hexadecimal (CRC-16/IBM-3740, also called CCITT-FALSE: polynomial 1021, start FFFF, not
  reflected; ``123456789`` gives 29B1). A carriage return before the newline is allowed.
- Anything else is dropped: after any disturbance the next newline resynchronises.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from binascii import crc_hqx
from collections.abc import Callable

import serial

from hardware.real_and_simulated_time import TimeBase
from hardware.serial_byte_stream import PORT_ERRORS

MAX_PAYLOAD = 200
_MAX_LINE = MAX_PAYLOAD + 6  # the star, four digits, a carriage return
_LINE = re.compile(rb"([ -)+-~]{1,%d})\*([0-9A-F]{4})\r?" % MAX_PAYLOAD)


def crc16(data: bytes) -> int:
    """Return the CRC-16/IBM-3740."""
    return crc_hqx(data, 0xFFFF)


def encode_line(payload: str) -> bytes:
    """Return the line that carries this payload, with its newline."""
    data = payload.encode("ascii")
    return b"%b*%04X\n" % (data, crc16(data))


def decode_line(line: bytes) -> str | None:
    """Return the payload of one line, given without its newline; None if it is not a line or its checksum is wrong."""
    match = _LINE.fullmatch(line)
    if match is None or int(match[2], 16) != crc16(match[1]):
        return None
    return match[1].decode("ascii")


class LineSplitter:
    """Splitter of a stream of bytes at its newlines, which never holds more than one longest line.

    A line that grows too long without a newline is dropped up to the next newline.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._dropping = False

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
        else:
            self._rest += piece


# Serial port as a source of checked lines, which reopens after being unplugged.
#
# - The reader's thread survives every port error: a port that fails is closed, reported, and tried again after a
#   growing pause; a bad line is dropped.
# - Only lines with the right checksum reach the sink.

BAUD = 115_200
_READ_TIMEOUT_S = 0.2
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0


class LineReader:
    """Reader of lines in its own thread, running until ``close``.

    :param device: a device path, the path of a pty, or a pyserial URL such as ``socket://192.0.2.7:4000``.
    :param sink: called with each payload and its arrival (time base), in the reader's thread.
    :param on_open: called each time the port has been opened, in the reader's thread.

    ``reason`` states why the port is closed and is empty while it is open; ``since_ns`` is when it was last opened or
    closed (time base).
    """

    def __init__(
        self, device: str, sink: Callable[[str, int], None], time_base: TimeBase, on_open: Callable[[], object]
    ) -> None:
        self.device = device
        self._sink = sink
        self._time_base = time_base
        self._on_open = on_open
        self._closing = threading.Event()
        self._port_lock = threading.Lock()
        self._port: serial.Serial | None = None
        self.reason, self.since_ns = "not opened yet", time_base.now_ns()
        self._thread = threading.Thread(target=self._run, name=f"lines {device}", daemon=True)

    def start(self) -> None:
        """Begin to open the port and to read."""
        self._thread.start()

    def write(self, payload: str) -> bool:
        """Send one line without waiting; return False if the port is closed or its buffer is full."""
        line = encode_line(payload)
        with self._port_lock:
            if self._port is None:
                return False
            try:
                # Not port.write: with write_timeout=0 pyserial 3.5 spins for ever on a full buffer, else it waits.
                return os.write(self._port.fileno(), line) == len(line)
            except PORT_ERRORS:
                return False  # full; or unplugged, in which case the reader meets the same error and reopens the port

    def close(self) -> None:
        """End the thread and wait for it."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while not self._closing.is_set():
            reason = self._open()
            if not reason:
                pause_s = _FIRST_PAUSE_S
                reason = self._read_until_failure()
                self._close_port()
            if reason:
                self._set_reason(reason)
                self._closing.wait(pause_s)
                pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
        self._set_reason("closed")

    def _open(self) -> str:
        """Return why the port could not be opened; empty when it is open."""
        try:
            port = serial.serial_for_url(self.device, BAUD, timeout=_READ_TIMEOUT_S, exclusive=True)
        except PORT_ERRORS as error:
            return str(error) or type(error).__name__
        with self._port_lock:
            self._port = port
        self._set_reason("")
        self._on_open()
        return ""

    def _read_until_failure(self) -> str:
        """Return why reading ended; empty when ``close`` ended it."""
        port = self._port
        assert port is not None
        splitter = LineSplitter()
        while not self._closing.is_set():
            try:
                data = port.read(1)
                if data and (waiting := port.in_waiting):
                    data += port.read(waiting)
            except PORT_ERRORS as error:
                return str(error) or type(error).__name__
            at_ns = self._time_base.now_ns()
            for line in splitter.feed(data):
                if (payload := decode_line(line)) is not None:
                    self._sink(payload, at_ns)
        return ""

    def _close_port(self) -> None:
        with self._port_lock:
            port, self._port = self._port, None
        if port is not None:
            with contextlib.suppress(*PORT_ERRORS):  # unplugged: nothing to close
                port.close()

    def _set_reason(self, reason: str) -> None:
        if bool(reason) is not bool(self.reason):
            self.since_ns = self._time_base.now_ns()
        self.reason = reason
