"""Protocol of a sensor board on its line: the board's side of docs/reference/sensor-board.md.

Pure: bytes, milliseconds and cells are passed in, bytes are returned. MicroPython has neither dataclasses nor full
regular expressions, so nothing is shared with the table's side, ``hardware/sensor_board_protocol.py``.
"""

PROTOCOL = 1
SEQUENCES = 65536
LONGEST_LINE = 206  # 200 characters, the star, four digits and a CR
CHANGE_MS = 20
REPEAT_MS = 250
HEARTBEAT_MS = 1000
MAX_UINT32 = 4294967295


def crc16(data: bytes) -> int:
    """Return the CRC-16/IBM-3740: 29B1 for ``123456789``."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1
        crc &= 0xFFFF
    return crc


def to_line(payload: str) -> bytes:
    """Return the payload with its checksum and newline."""
    data = payload.encode()
    return b"%s*%04X\n" % (data, crc16(data))


def from_line(line: bytes) -> str:
    """Return the payload of a line without its LF; empty if the line is noise."""
    line = line.rstrip(b"\r")
    payload, star, check = line[:-5], line[-5:-4], line[-4:]
    if star != b"*" or check != b"%04X" % crc16(payload):
        return ""
    try:
        return payload.decode()
    except UnicodeError:
        return ""


def request_number(payload: str) -> int:
    """Return the number of ``A number``; -1 if the payload is another one."""
    digits = payload[2:]
    if payload[:2] != "A " or not (0 < len(digits) <= 10) or (digits[0] == "0" and digits != "0"):
        return -1
    for digit in digits:
        if digit not in "0123456789":
            return -1
    number = int(digits)
    return number if number <= MAX_UINT32 else -1


class LineProtocol:
    """State of one board on its line. ``step`` is called as often as the sensors are read."""

    def __init__(self, firmware: str, columns: int, rows: int, now_ms: int, cells: str) -> None:
        self._identity = "I %d %s %d %d" % (PROTOCOL, firmware, columns, rows)
        self._buffer = b""
        self._noise = False
        self._started = self._changed = self._last_heartbeat = now_ms
        self._cells = cells
        self._sequence = SEQUENCES - 1
        self._sent = now_ms
        self._sent_cells = cells
        self._first = True

    def step(self, now_ms: int, cells: str, received: bytes) -> bytes:
        """Return the bytes to send when the sensors show ``cells`` and these bytes have arrived."""
        out = []
        if cells != self._cells:
            self._cells = cells
            self._changed = now_ms
        identify, requests = self._receive(received)
        if identify or self._first:
            out.append(to_line(self._identity))
        out.extend([self._frame(now_ms, str(number)) for number in requests])
        since = now_ms - self._sent
        if self._first or since >= REPEAT_MS or (cells != self._sent_cells and since >= CHANGE_MS):
            out.append(self._frame(now_ms, "-"))
        self._first = False
        if now_ms - self._last_heartbeat >= HEARTBEAT_MS:
            self._last_heartbeat = now_ms
            out.append(to_line("H %d %d" % (self._sequence, (now_ms - self._started) & MAX_UINT32)))
        return b"".join(out)

    def _frame(self, now_ms: int, answers: str) -> bytes:
        self._sequence = (self._sequence + 1) % SEQUENCES
        self._sent = now_ms
        self._sent_cells = self._cells
        stable = min(now_ms - self._changed, MAX_UINT32)
        return to_line("F %d %s %d %s" % (self._sequence, answers, stable, self._cells))

    def _receive(self, received: bytes) -> tuple[bool, list[int]]:
        """Return whether the table asked for the identity, and the numbers of its requests. A line that grows too long
        is dropped as noise."""
        identify = False
        requests = []
        *lines, self._buffer = (self._buffer + received).split(b"\n")
        for line in lines:
            noise, self._noise = self._noise, False
            payload = "" if noise else from_line(line)
            if payload == "W":
                identify = True
            elif request_number(payload) >= 0:
                requests.append(request_number(payload))
        if len(self._buffer) > LONGEST_LINE:
            self._buffer = b""
            self._noise = True
        return identify, requests
