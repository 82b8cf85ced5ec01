"""Camera as a board source: images in, settled readings out, as from a sensor board.

- A reading contains what the camera sees, or ``?``; it is not corrected by the rules.
- A press is answered from images taken after it, once no player's arm covers the board. A camera that cannot see
  reports that and answers nothing.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable

from engine.i18n import Renderable, reason_of, say
from hardware.camera.camera_pipeline import NEVER_FLICKERS, Camera, CameraPipeline
from hardware.camera.frame_sources import opener
from hardware.camera.frames_and_camera_faults import Frame, FrameReader
from hardware.camera.square_memory_and_calibration import CameraCalibration
from hardware.reading_stability_filter import SquareFault, StabilityFilter, StableReading
from hardware.real_and_simulated_time import TimeBase
from kiosk.table.board_sources.camera_fault_texts import board_trouble, camera_trouble
from kiosk.table.table_config import BoardConfig

log = logging.getLogger(__name__)

#: real seconds that a camera may take to open and to find the board, before it is reported as faulty
OPENS_S = 5.0


class CameraSource:
    """Board source that reads a camera. ``sink`` is called in the camera's thread.

    :param open_reader: how the camera is opened; None: as ``config.device`` names it.
    :param calibration: calibration from the camera's set-up.
    :param monotonic_s: real time, which does not run faster in a demo.
    """

    def __init__(
        self,
        config: BoardConfig,
        time_base: TimeBase,
        sink: Callable[[StableReading | SquareFault], None],
        open_reader: Callable[[], FrameReader] | None = None,
        calibration: CameraCalibration | None = None,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._time_base, self._sink, self._device = time_base, sink, config.device_name
        self._monotonic_s, self._opens_until_s = monotonic_s, monotonic_s() + OPENS_S
        self._stability = StabilityFilter(config.settle_ms, flicker_changes=NEVER_FLICKERS)
        self._lock = threading.Lock()
        self._recording_trouble: Renderable | None = None
        self._pipeline = CameraPipeline(config.quarter, lesson=calibration)
        self._camera = Camera(
            open_reader or opener(config.device, time_base), self._process, self._device, real_s=time_base.real_s
        )

    def ask(self, number: int) -> None:
        with self._lock:
            self._pipeline.ask(number, self._time_base.now_ns())

    def ask_again(self, number: int) -> bool:
        with self._lock:
            self._pipeline.ask(number, self._time_base.now_ns(), again=True)
        return True

    def trouble(self) -> Renderable | None:
        if self._monotonic_s() < self._opens_until_s:
            return self._recording_trouble
        refused, is_overexposed = self._pipeline.board.refused, self._pipeline.is_overexposed
        trouble = camera_trouble(self._camera.sight, self._device) or board_trouble(refused, is_overexposed)
        return trouble or self._recording_trouble

    def note_recording(self, error: Exception | None) -> None:
        """Set why the camera's pictures are not recorded, for ``trouble``; None if they are."""
        text = say("The camera's pictures are not recorded ({why}); check the disk named with --record-pictures")
        trouble = None if error is None else text(why=reason_of(error))
        if trouble is not None and trouble != self._recording_trouble:
            log.warning("%s (%s)", trouble, error)
        self._recording_trouble = trouble

    def start(self) -> None:
        self._opens_until_s = self._monotonic_s() + OPENS_S
        self._camera.start()

    def close(self) -> None:
        self._camera.close()

    def _process(self, frame: Frame) -> float:
        with self._lock:
            seen = self._pipeline.feed(frame)
            stops = self._pipeline.stops()
        if seen is not None:
            self._opens_until_s = -math.inf
            for item in self._stability.feed(seen):
                self._sink(item)
        return stops
