"""Driver of a sensor board on a serial line: receives pictures, sends requests.

- Nothing waits for the board. ``ask`` only sends; the answer comes to the sink like every other frame, and a request
  that was lost is sent again when the board next sends something without having answered.
- Frames are stamped on arrival. ``hardware.reading_stability_filter`` interprets them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict

from hardware.errors import ErrorText, say
from hardware.real_and_simulated_time import NS_PER_MS, TimeBase
from hardware.sensor_board_protocol import (
    PROTOCOL,
    BoardRequest,
    FromTable,
    Identity,
    IdentityRequest,
    SensorFrame,
    from_board,
    to_payload,
)
from hardware.serial_line_framing_and_reader import LineReader

#: A board sends a heartbeat every second; after three missed ones it counts as silent.
SILENT_AFTER_NS = 3_000 * NS_PER_MS
#: squares of the board above the sensors
SQUARES = 64
_ASK_AGAIN_NS = 400 * NS_PER_MS


class SensorBoard:
    """Reader of one sensor board, running from ``start`` to ``close``. ``identity``: what the board said it is.

    :param device: as for ``LineReader``.
    :param sink: called with every frame that has the right number of squares, in the reader's thread.
    :param wire_time: time base for silence and repeated requests; None: ``time_base``. A demo's game time runs faster
        than any wire.
    """

    def __init__(
        self, device: str, sink: Callable[[SensorFrame], None], time_base: TimeBase, wire_time: TimeBase | None = None
    ) -> None:
        self._sink = sink
        self._time_base = time_base
        self._wire_time = wire_time or time_base
        self._lock = threading.Lock()
        self._asked: tuple[int, int] | None = None
        self._heard_ns = 0
        self.identity: Identity | None = None
        self.reader = LineReader(device, self._process_line, self._wire_time, lambda: self._send(IdentityRequest()))

    def start(self) -> SensorBoard:
        """Begin to read."""
        self.reader.start()
        return self

    def trouble(self) -> ErrorText | None:
        """Return the problem for the arbiter, None if there is none."""
        port, known = self.reader, self.identity
        if why := port.reason:
            return say("Sensor board {device} is not connected ({why}); check its cable", device=port.device, why=why)
        if self._wire_time.now_ns() - max(self._heard_ns, port.since_ns) > SILENT_AFTER_NS:
            return say("Sensor board {device} sends nothing; check its power", device=port.device)
        if known is not None and (known.protocol != PROTOCOL or known.columns * known.rows != SQUARES):
            text = say(
                "Sensor board {firmware} speaks protocol {protocol} with {columns}×{rows} squares; this table needs "
                "protocol {needed} and {squares} squares"
            )
            return text(**asdict(known), needed=PROTOCOL, squares=SQUARES)
        return None

    def ask(self, number: int) -> None:
        """Request the picture. A newer request replaces an open one.

        :param number: 0 to 2³²-1.
        """
        with self._lock:
            self._asked = (number, self._wire_time.now_ns())
        self._send(BoardRequest(number))

    def ask_again(self, number: int) -> bool:
        """Return False: a second reading would show the same."""
        return False

    def close(self) -> None:
        """End the reader and wait for it."""
        self.reader.close()

    def _send(self, message: FromTable) -> None:
        self.reader.write(to_payload(message))

    def _process_line(self, payload: str, at_ns: int) -> None:
        """Process one checked line, in the reader's thread."""
        if (message := from_board(payload, self._time_base.now_ns())) is None:
            return
        self._heard_ns = at_ns  # a heartbeat only proves that the board is alive
        if isinstance(message, Identity):
            self.identity = message
        elif isinstance(message, SensorFrame) and len(message.cells) == SQUARES:
            with self._lock:
                if self._asked is not None and message.answers == self._asked[0]:
                    self._asked = None
            self._sink(message)
        self._repeat_request(at_ns)

    def _repeat_request(self, at_ns: int) -> None:
        with self._lock:
            if self._asked is None or at_ns - self._asked[1] < _ASK_AGAIN_NS:
                return
            number = self._asked[0]
            self._asked = (number, at_ns)
        self._send(BoardRequest(number))
