"""Simulated camera of a demo table: renders its board, with the hand that lays the discs.

Only the camera is simulated; everything behind it is as at any table with a camera. It is calibrated on the start
position, as by a person.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from engine.board.variants import STANDARD
from hardware.camera.camera_pipeline import CameraPipeline
from hardware.camera.frames_and_camera_faults import Frame
from hardware.camera.simulated_camera import SimulatedCamera
from hardware.reading_stability_filter import SquareFault, StableReading
from hardware.real_and_simulated_time import TimeBase
from kiosk.table.board_sources.camera_source import CameraSource
from kiosk.table.table_config import BoardConfig

#: real seconds between two pictures; tables share the processor
_EVERY_S = 0.1


class DrawnBoard:
    """The drawn board. ``set`` is called by the players' thread, ``read`` by the camera's."""

    def __init__(self, time_base: TimeBase, seed: int) -> None:
        self._time_base = time_base
        self._lock, self._closed = threading.Lock(), threading.Event()
        self._cells = STANDARD.start
        self._camera = SimulatedCamera(STANDARD.start, seed)
        pipeline = CameraPipeline(corners=self._camera.corners)
        while not pipeline.has_still_reading:
            pipeline.feed(self._camera.read())
            self._camera.brighten(pipeline.stops())
        self._calibration = pipeline.learn(STANDARD.start)

    def set(self, cells: str) -> None:
        """Change the board; the next picture shows a hand over it, the one after does not."""
        with self._lock:
            changed = [at for at in range(STANDARD.total) if cells[at] != self._cells[at]]
            if changed:
                self._cells = cells
                self._camera.lay(cells)
                self._camera.reach(changed[0])

    def source(
        self, config: BoardConfig, time_base: TimeBase, sink: Callable[[StableReading | SquareFault], None]
    ) -> CameraSource:
        """Return the board source of a table with this camera; its pictures have timestamps of the table's own time."""
        self._time_base = time_base
        return CameraSource(config, time_base, sink, lambda: self, self._calibration)

    def read(self) -> Frame | None:
        if self._closed.wait(_EVERY_S):
            return None
        with self._lock:
            at_ns = self._time_base.now_ns()
            frame = self._camera.read()
            self._camera.reach(None)
        return replace(frame, at_ns=at_ns)

    def brighten(self, stops: float) -> bool:
        with self._lock:
            return self._camera.brighten(stops)

    def close(self) -> None:
        self._closed.set()
