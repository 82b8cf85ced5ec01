"""Simulated camera of a demo table: renders its board, with the hand that lays the discs.

Only the camera is simulated; everything behind it is as at any table with a camera. It is calibrated on the start
position, as by a person.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine.board.variants import STANDARD
from hardware.camera.board_finder import DetectedBoard, find_board
from hardware.camera.camera_pipeline import CameraPipeline
from hardware.camera.camera_projection import corner_distance
from hardware.camera.frames_and_camera_faults import Frame
from hardware.camera.simulated.camera import SimulatedCamera
from hardware.camera.simulated.seeded_table_scene import TUNE, SceneRequest, table_of
from hardware.camera.square_memory_and_calibration import CameraCalibration
from hardware.reading_stability_filter import SquareFault, StableReading
from hardware.real_and_simulated_time import TimeBase
from kiosk.table.board_sources.camera_source import CameraSource
from kiosk.table.table_config import BoardConfig

#: a small picture is rendered in a few hundredths of a second, and a normal camera arm gives squares of 20 pixels
_SCENE = SceneRequest(size=(320, 240), stress=False, elevation=(60.0, 80.0), square_pixels=(19.0, 30.0))
#: boards rendered until one is found without a hand
_TRIES = 20
_SAME_BOARD = 0.35
#: real seconds between two pictures; tables share the processor
_EVERY_S = 0.1


class DrawnBoard:
    """The rendered board. ``set`` is called by the players' thread, ``read`` by the camera's.

    :raises RuntimeError: none of the boards that this seed renders is found.
    """

    def __init__(self, time_base: TimeBase, seed: int) -> None:
        self._time_base = time_base
        self._lock, self._closed = threading.Lock(), threading.Event()
        self._cells = STANDARD.start
        for number in range(_TRIES):
            self._camera = SimulatedCamera(table_of(TUNE, _TRIES * seed + number, _SCENE), STANDARD.start, scale=1.0)
            if (lesson := self._set_up()) is not None:
                self.lesson = lesson
                return
        raise RuntimeError(f"no board of seed {seed} is found")

    def _set_up(self) -> CameraCalibration | None:
        frame = self._camera.read()
        assert frame is not None
        found = find_board(frame.image)
        if not isinstance(found, DetectedBoard):
            return None
        away = [corner_distance(self._camera.corners, np.roll(found.corners, -turn, axis=0)) for turn in range(4)]
        quarter = int(np.argmin(away))
        pipeline = CameraPipeline(corners=np.roll(found.corners, -quarter, axis=0), quarter=quarter)
        while away[quarter] < _SAME_BOARD and not pipeline.has_still_reading:
            frame = self._camera.read()
            assert frame is not None
            pipeline.feed(frame)
            self._camera.brighten(pipeline.stops())
        return pipeline.learn(STANDARD.start) if pipeline.has_still_reading else None

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
        return CameraSource(config, time_base, sink, lambda: self, self.lesson)

    def read(self) -> Frame | None:
        if self._closed.wait(_EVERY_S):
            return None
        with self._lock:
            at_ns = self._time_base.now_ns()
            frame = self._camera.read()
            self._camera.reach(None)
        return None if frame is None else replace(frame, at_ns=at_ns)

    def brighten(self, stops: float) -> bool:
        with self._lock:
            return self._camera.brighten(stops)

    def close(self) -> None:
        self._closed.set()
