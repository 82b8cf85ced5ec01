"""Sensor board as a board source: frames in, settled readings out.

It may be unplugged and plugged in again at any time; an open request is then repeated.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.translatable_text import Renderable
from hardware.reading_stability_filter import SquareFault, StabilityFilter, StableReading
from hardware.sensor_board_driver import SensorBoard
from hardware.sensor_board_protocol import SensorFrame
from hardware.timebase import SystemTime, TimeBase
from kiosk.table.table_config import BoardConfig


class SensorSource:
    """Board source that reads a sensor board. ``sink`` is called in the reader's thread."""

    def __init__(
        self, config: BoardConfig, time_base: TimeBase, sink: Callable[[StableReading | SquareFault], None]
    ) -> None:
        self._settler = StabilityFilter(config.settle_ms)
        self._sink = sink
        # Game time may be scaled; the serial protocol's time is not.
        self._board = SensorBoard(config.device, self._settle, time_base, wire_time=SystemTime())

    def ask(self, number: int) -> None:
        self._board.ask(number)

    def ask_again(self, number: int) -> bool:
        return False

    def trouble(self) -> Renderable | None:
        return self._board.trouble()

    def close(self) -> None:
        self._board.close()

    def _settle(self, frame: SensorFrame) -> None:
        for item in self._settler.feed(frame):
            self._sink(item)
