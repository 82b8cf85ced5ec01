"""Set-up screen of a table's camera: it shows what the camera sees and reads, and calibrates on the start position.

- The board reader proposes, a person confirms. A board that shows anything but the start position cannot be confirmed.
- If the board is not found, or found in the wrong place, its corners are marked by hand.
- The calibration is stored in the table's data, and the table starts normally. The set-up can be left without a camera.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.board.variants import STANDARD
from hardware.camera.camera_pipeline import Camera, CameraPipeline
from hardware.camera.camera_projection import is_convex
from hardware.camera.frame_sources import opener
from hardware.camera.frames_and_camera_faults import CameraStatus, Frame, FrameReader
from hardware.camera.picture_decoding_overlays_and_quality import draw_moving_corner, draw_overlay
from hardware.camera.square_memory_and_calibration import CameraCalibration
from hardware.errors import HardwareError
from hardware.real_and_simulated_time import SystemTime
from kiosk.platform_compat import write_secret
from kiosk.table.board_sources.camera_fault_texts import board_trouble, camera_trouble
from kiosk.table.device.pre_start_and_enrolment_screens import HELD_S, BothButtonsHold, PreStartScreen
from kiosk.table.table_config import TableConfig
from kiosk.table.views.camera_calibration_view import CameraView, camera_scene

#: holding both buttons this long continues without the camera
SKIP_CAMERA_S = 5.0
#: pixels of the displayed image
SHOWN = (640, 480)
NAME = "camera.npz"

log = logging.getLogger(__name__)


def load_calibration(data: Path) -> CameraCalibration | None:
    """Return this table's stored calibration; None if there is none or its file is damaged."""
    try:
        return CameraCalibration.unpack((data / NAME).read_bytes(), NAME)
    except FileNotFoundError:
        return None
    except (OSError, HardwareError) as error:
        log.warning("%s", error)
        return None


class CameraSetup:
    """The set-up screen. ``run`` ends when somebody has confirmed the start position or continues without, or after
    ``stop``.

    :raises hardware.errors.HardwareError: the pins cannot be used.
    """

    def __init__(
        self, config: TableConfig, *, factory: Any = None, open_reader: Callable[[], FrameReader] | None = None
    ) -> None:
        self._data, self._device = config.data, config.board.device_name
        self._screen = PreStartScreen(config, factory)
        self._pipeline = CameraPipeline(config.board.quarter, known_cells=STANDARD.start)
        self._lock, self._view, self._handled = threading.Lock(), CameraView(), 0
        self._marking: Marking | None = None
        self._marked_s: float | None = None
        self._size = (0, 0)
        self._calibration: CameraCalibration | None = None
        self._camera = Camera(open_reader or opener(config.board.device, SystemTime()), self._read, self._device)

    def run(self, on_beat: Callable[[], None]) -> bool:
        """Run the screen. Return False if it was stopped."""
        self._camera.start()
        try:
            self._screen.run(on_beat, lambda size: camera_scene(self.view(), size), self._is_done)
        finally:
            self._camera.close()
        if self._calibration is not None:
            self._data.mkdir(parents=True, exist_ok=True)
            write_secret(self._data / NAME, self._calibration.pack())
        return not self._screen.stopped

    def stop(self) -> None:
        self._screen.stop()

    def view(self) -> CameraView:
        """Return the view for the screen. A dark or rarely updated image is shown as well, to help whoever repairs the
        camera.
        """
        status = self._camera.sight
        trouble = camera_trouble(status, self._device)
        if trouble is None:
            return self._view
        shown = self._view if status in (CameraStatus.DARK, CameraStatus.SLOW) else CameraView()
        return replace(shown, trouble=trouble)

    def _is_done(self) -> bool:
        fingers = self._screen.fingers
        if fingers.held_for(SKIP_CAMERA_S):
            return True
        if not self._lock.acquire(blocking=False):
            return False  # the search for a board takes a second; the screen does not wait
        try:
            alone, self._handled = fingers.alone[self._handled :], len(fingers.alone)
            if not self.view().pixels:
                return False  # nobody can mark or confirm what is not shown
            if self._marking is not None:
                self._mark(self._marking, fingers, alone)
                return False
            held = fingers.held_for(HELD_S) and fingers.since_s != self._marked_s
            if held and self.view().can_be_learnt and self._pipeline.has_still_reading:
                self._calibration = self._pipeline.learn(STANDARD.start)
            elif "right" in alone:
                self._marking = Marking()
            else:
                for _ in alone:
                    self._pipeline.turn()
                    self._view = replace(self._view, cells="")
        finally:
            self._lock.release()
        return self._calibration is not None

    def _mark(self, marking: Marking, fingers: BothButtonsHold, alone: list[str]) -> None:
        since_s = fingers.since_s
        for line in alone:
            marking = marking.pressed(line)
        if since_s is not None and since_s != self._marked_s and fingers.held_for(HELD_S):
            marking, self._marked_s = marking.next_step(), since_s
        self._marking = marking if marking.done else marking.holding(fingers.down, time.monotonic())
        if marking.done:
            corners = np.array(marking.corners) * self._size
            # corners that cross cannot be a board: they must be marked again
            self._marking = None if is_convex(corners) else Marking(marking.corners)
            self._pipeline = CameraPipeline(corners=corners) if self._marking is None else self._pipeline

    def _read(self, frame: Frame) -> float:
        """Process a frame, in the camera's thread."""
        with self._lock:
            marking = self._marking
            self._size = (frame.image.shape[1], frame.image.shape[0])
            trouble = None
            if marking is not None:
                corners = np.array(marking.corners)
                picture, cells = draw_moving_corner(frame.image, corners, marking.corner, marking.across, SHOWN), ""
            else:
                seen = self._pipeline.feed(frame)
                board = self._pipeline.board
                cells = seen.cells if seen is not None else self._view.cells if board.corners is not None else ""
                picture = draw_overlay(frame.image, board.corners, cells, SHOWN)
                trouble = board_trouble(board.refused, self._pipeline.is_overexposed)
            height, width = picture.shape[:2]
            step = None if marking is None else marking.step
            self._view = CameraView((width, height), picture.tobytes(), cells, trouble, step)
            stops = self._pipeline.stops()
        self._screen.changed.set()
        return stops


#: as shares of the image's side: the step of a press, and the speed of a hold per second once it has begun
STEP, SPEED = 1 / 640, 0.2
HOLD_BEGINS_S = 0.3
_INITIAL_CORNERS = ((0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75))


@dataclass(frozen=True, slots=True)
class Marking:
    """Marking of a board's corners with two buttons, which move each corner horizontally, then vertically; both
    together go on. A press is one step, a hold moves continuously.

    ``corners`` of the field: x and y as shares of the image's sides, clockwise from the
    upper left. ``step`` 0 to 7: the first corner's x, its y, the next one's x; 8: done. ``held``: since when one button
    has been held, and until when the hold has been applied (seconds).
    """

    corners: tuple[tuple[float, float], ...] = _INITIAL_CORNERS
    step: int = 0
    held: tuple[float, float] | None = None

    @property
    def corner(self) -> int:
        return self.step // 2

    @property
    def across(self) -> bool:
        """Whether the corner now moves horizontally, else vertically."""
        return self.step % 2 == 0

    @property
    def done(self) -> bool:
        return self.step == 2 * len(self.corners)

    def next_step(self) -> Marking:
        return replace(self, step=self.step + 1, held=None)

    def pressed(self, line: str) -> Marking:
        """Return the marking after a press of one button alone."""
        return self._move_corner(STEP if line == "right" else -STEP)

    def holding(self, down: set[str], now_s: float) -> Marking:
        """Return the marking while these buttons are held."""
        if len(down) != 1:
            return replace(self, held=None)
        since_s, until_s = self.held or (now_s, now_s + HOLD_BEGINS_S)
        way = SPEED if "right" in down else -SPEED
        further = self._move_corner(way * max(now_s - until_s, 0.0))
        return replace(further, held=(since_s, max(now_s, until_s)))

    def _move_corner(self, by: float) -> Marking:
        places = [list(place) for place in self.corners]
        places[self.corner][self.step % 2] = min(max(places[self.corner][self.step % 2] + by, 0.0), 1.0)
        return replace(self, corners=tuple((x, y) for x, y in places))
