"""Sensor board as a board source: settled readings of what the board on a serial line sends."""

from __future__ import annotations

from collections.abc import Callable

from engine.i18n import Renderable
from hardware.reading_stability_filter import SquareFault, StabilityFilter, StableReading
from hardware.real_and_simulated_time import SystemTime, TimeBase
from hardware.sensor_board_driver import SensorBoard
from hardware.sensor_board_protocol import SensorFrame
from kiosk.table.table_config import BoardConfig


class SensorSource:
    """Board source that reads a sensor board, which may be unplugged and plugged in again at any time; an open request
    is then repeated. ``sink`` is called in the reader's thread.
    """

    def __init__(
        self, config: BoardConfig, time_base: TimeBase, sink: Callable[[StableReading | SquareFault], None]
    ) -> None:
        self._stability = StabilityFilter(config.settle_ms)
        self._sink = sink
        # Game time may be scaled; the serial protocol's time is not.
        self._board = SensorBoard(config.device, self._filter, time_base, wire_time=SystemTime())

    def ask(self, number: int) -> None:
        self._board.ask(number)

    def ask_again(self, number: int) -> bool:
        return False

    def trouble(self) -> Renderable | None:
        return self._board.trouble()

    def start(self) -> None:
        self._board.start()

    def close(self) -> None:
        self._board.close()

    def _filter(self, frame: SensorFrame) -> None:
        for item in self._stability.feed(frame):
            self._sink(item)
