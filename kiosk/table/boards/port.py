"""Interface of all board sources, and the factory for the source in a table's configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, assert_never

from engine.text import Said
from hardware.settler import Reading, SquareTrouble
from hardware.timebase import TimeBase
from kiosk.table.boards.sensor import SensorSource
from kiosk.table.boards.transcriber import TranscriberSource
from kiosk.table.config import Board

if TYPE_CHECKING:
    from hardware.camera.memory import Lesson


class BoardSource(Protocol):
    """A source of settled board readings (``Reading``). They are put into the inbox, requested or not; so are squares
    the source cannot read.
    """

    def ask(self, number: int) -> object:
        """Request the present board; the reading that answers carries this number. Never waits."""
        ...

    def ask_again(self, number: int) -> bool:
        """Request a second, independent reading. False: the source has no other way to read, and no other answer will
        come.
        """
        ...

    def trouble(self) -> Said | None:
        """Return a fault of the source itself that the arbiter should know, in English and Japanese; None if there is
        none.
        """
        ...

    def close(self) -> None: ...


def open_source(
    config: Board,
    time_base: TimeBase,
    sink: Callable[[Reading | SquareTrouble], None],
    lesson: Lesson | None = None,
) -> BoardSource | None:
    """Open the source that a table's file names. ``lesson``: calibration from the camera's set-up.

    :raises hardware.errors.HardwareError: it cannot be used.
    """
    match config.source:
        case "none":
            return None
        case "sensor":
            return SensorSource(config, time_base, sink)
        case "camera":
            # OpenCV takes a second to load, so only a table with a camera imports it
            from kiosk.table.boards.camera import CameraSource

            return CameraSource(config, time_base, sink, lesson=lesson)
        case "transcriber":
            return TranscriberSource()
        case _:
            assert_never(config.source)
