"""Interface of all board sources, and the factory for the source in a table's configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, assert_never

from engine.i18n import Renderable
from hardware.reading_stability_filter import SquareFault, StabilityFilter, StableReading
from hardware.real_and_simulated_time import SystemTime, TimeBase
from hardware.sensor_board_driver import SensorBoard
from hardware.sensor_board_protocol import SensorFrame
from kiosk.table.table_config import BoardConfig

if TYPE_CHECKING:
    from hardware.camera.frames_and_camera_faults import FrameReader
    from hardware.camera.square_memory_and_calibration import CameraCalibration


class BoardSource(Protocol):
    """A source of settled board readings (``StableReading``). They are put into the inbox, requested or not; so are
    squares that the source cannot read.
    """

    def ask(self, number: int) -> object:
        """Request the present board; the reading that answers carries this number. Never waits."""

    def ask_again(self, number: int) -> bool:
        """Request a second, independent reading. False: the source has no other way to read, and no other answer will
        come.
        """

    def trouble(self) -> Renderable | None:
        """Return a fault of the source itself that the arbiter should know, in English and Japanese; None if there is
        none.
        """

    def start(self) -> object:
        """Begin to read."""

    def close(self) -> None: ...


def open_source(
    config: BoardConfig,
    time_base: TimeBase,
    sink: Callable[[StableReading | SquareFault], None],
    calibration: CameraCalibration | None = None,
    recording_folder: Path | None = None,
) -> BoardSource | None:
    """Open the source that a table's file names. ``calibration``: from the camera's set-up; ``recording_folder``: where
    the camera's pictures are stored.

    :raises hardware.errors.HardwareError: it cannot be used.
    """
    match config.source:
        case "none" | "transcriber":  # the transcriber's display shows the presses that wait for a board
            return None
        case "sensor":
            stability = StabilityFilter(config.settle_ms)

            def feed(frame: SensorFrame) -> None:
                for item in stability.feed(frame):
                    sink(item)

            # Game time may be scaled; the serial protocol's time is not.
            return SensorBoard(config.device, feed, time_base, wire_time=SystemTime())
        case "camera":
            # OpenCV takes a second to load, so only a table with a camera imports it
            from hardware.camera.frame_sources import RecordingReader, opener
            from kiosk.table.board_sources.camera_source import CameraSource

            opened = opener(config.device, time_base)
            if recording_folder is None:
                return CameraSource(config, time_base, sink, opened, calibration=calibration)

            def recorded() -> FrameReader:
                return RecordingReader(opened(), recording_folder, source.note_recording)

            source = CameraSource(config, time_base, sink, recorded, calibration=calibration)
            return source
        case _:
            assert_never(config.source)
