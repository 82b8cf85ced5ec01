"""Driver of a sensor board on a serial line: receives pictures, sends requests.

- Nothing waits for the board. ``ask`` only sends; the answer comes to the sink like every other frame, and a request
  that was lost is sent again when the board next sends something without having answered.
- Frames are stamped on arrival. ``hardware.reading_stability_filter`` interprets them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from hardware.errors import ErrorText, LineError, say
from hardware.real_and_simulated_time import NS_PER_MS, TimeBase
from hardware.sensor_board_protocol import (
    MAX_NUMBER,
    PROTOCOL,
    SEQUENCES,
    BoardRequest,
    FromTable,
    Heartbeat,
    Identity,
    IdentityRequest,
    SensorFrame,
    from_board,
    to_payload,
)
from hardware.serial_line_framing_and_reader import LineReader, PortState

#: A board sends a heartbeat every second; after three missed ones it counts as silent.
SILENT_AFTER_NS = 3_000 * NS_PER_MS
#: squares of the board above the sensors
SQUARES = 64
_ASK_AGAIN_NS = 400 * NS_PER_MS


@dataclass(frozen=True, slots=True)
class SensorStatus:
    """Status of a board. ``heard_ns`` is the last valid line (wire time). ``lost_frames`` is counted by gaps in the
    sequence; ``refused_lines`` had a correct checksum but were not a message for this table."""

    port: PortState
    identity: Identity | None = None
    heard_ns: int | None = None
    lost_frames: int = 0
    bad_lines: int = 0
    refused_lines: int = 0

    def silent(self, now_ns: int) -> bool:
        """Return True if a heartbeat of the board is overdue."""
        return now_ns - max(self.heard_ns or 0, self.port.since_ns) > SILENT_AFTER_NS

    def trouble(self, now_ns: int) -> ErrorText | None:
        """Return the problem for the arbiter, None if there is none."""
        if not self.port.is_open:
            return say(
                "sensor board {device} is not connected ({why}); check its cable",
                device=self.port.device,
                why=self.port.reason,
            )
        if self.silent(now_ns):
            return say("sensor board {device} sends nothing; check its power", device=self.port.device)
        known = self.identity
        if known is not None and (known.protocol != PROTOCOL or known.columns * known.rows != SQUARES):
            return say(
                "sensor board {firmware} speaks protocol {protocol} with {columns}×{rows} squares; this table needs "
                "protocol {needed} and {squares} squares",
                firmware=known.firmware,
                protocol=known.protocol,
                columns=known.columns,
                rows=known.rows,
                needed=PROTOCOL,
                squares=SQUARES,
            )
        return None


class SensorBoard:
    """Reader of one sensor board, running from ``start`` to ``close``.

    :param device: as for ``LineReader``.
    :param sink: called with every frame that has the right number of squares, in the reader's thread.
    :param on_status: called when the port opens or closes and when the board identifies itself.
    :param wire_time: time base for silence and repeated requests; None: ``time_base``. A demo's game time runs faster
        than any wire.
    """

    def __init__(
        self,
        device: str,
        sink: Callable[[SensorFrame], None],
        time_base: TimeBase,
        on_status: Callable[[SensorStatus], None] | None = None,
        wire_time: TimeBase | None = None,
    ) -> None:
        self._sink = sink
        self._time_base = time_base
        self._wire_time = wire_time or time_base
        self._on_status = on_status
        self._lock = threading.Lock()
        self._asked: tuple[int, int] | None = None
        self._last_number = 0
        self._last_sequence: int | None = None
        self._status = SensorStatus(PortState(device, False, self._wire_time.now_ns(), "not opened yet"))
        self._reader = LineReader(device, self._process_line, self._wire_time, self._port_changed)

    def start(self) -> SensorBoard:
        """Begin to read."""
        self._reader.start()
        return self

    @property
    def status(self) -> SensorStatus:
        """The status of the board now."""
        return replace(self._status, bad_lines=self._reader.bad_lines)

    def trouble(self) -> ErrorText | None:
        """Return ``SensorStatus.trouble`` now."""
        return self.status.trouble(self._wire_time.now_ns())

    def ask(self, number: int | None = None) -> int:
        """Request the picture; return the request's number. A newer request replaces an open one.

        :param number: 0 to 2³²-1; None counts up from the last.
        :raises ValueError: if the number cannot be sent.
        """
        with self._lock:
            request = self._last_number + 1 if number is None else number
            if not 0 <= request <= MAX_NUMBER:
                raise ValueError(f"a question's number is 0 to {MAX_NUMBER}, not {request}")
            self._last_number = request
            self._asked = (request, self._wire_time.now_ns())
        self._send(BoardRequest(request))
        return request

    def close(self) -> None:
        """End the reader and wait for it."""
        self._reader.close()

    def _send(self, message: FromTable) -> None:
        self._reader.write(to_payload(message))

    def _port_changed(self, state: PortState) -> None:
        self._status = replace(self._status, port=state)
        self._last_sequence = None
        if state.is_open:
            self._send(IdentityRequest())
        if self._on_status is not None:
            self._on_status(self._status)

    def _process_line(self, payload: str, at_ns: int) -> None:
        """Process one checked line, in the reader's thread."""
        try:
            message = from_board(payload, self._time_base.now_ns())
        except LineError:
            self._count_refused_line()
            return
        self._status = replace(self._status, heard_ns=at_ns)
        match message:
            case SensorFrame():
                self._process_frame(message)
            case Heartbeat():
                pass  # the line still proves that the board is alive
            case Identity():
                self._last_sequence = None  # the board may have restarted and counts from zero
                self._status = replace(self._status, identity=message)
                if self._on_status is not None:
                    self._on_status(self._status)
        self._ask_again(at_ns)

    def _process_frame(self, frame: SensorFrame) -> None:
        if len(frame.cells) != SQUARES:
            self._count_refused_line()
            return
        if self._last_sequence is not None:
            missed = (frame.sequence - self._last_sequence - 1) % SEQUENCES
            self._status = replace(self._status, lost_frames=self._status.lost_frames + missed)
        self._last_sequence = frame.sequence
        with self._lock:
            if self._asked is not None and frame.answers == self._asked[0]:
                self._asked = None
        self._sink(frame)

    def _ask_again(self, at_ns: int) -> None:
        with self._lock:
            if self._asked is None or at_ns - self._asked[1] < _ASK_AGAIN_NS:
                return
            number = self._asked[0]
            self._asked = (number, at_ns)
        self._send(BoardRequest(number))

    def _count_refused_line(self) -> None:
        self._status = replace(self._status, refused_lines=self._status.refused_lines + 1)
