"""The one port of all board sources, and the source that a table's file names."""

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
    """Its settled readings (``Reading``) come to the inbox, asked for or not; so does what it cannot see."""

    def ask(self, number: int) -> object:
        """The board is wanted as it stands now; the reading that answers carries this number. Never waits."""
        ...

    def ask_again(self, number: int) -> bool:
        """As ``ask``, but looked at anew, whatever was believed when it answered; False: it cannot look in another way,
        and no other answer comes."""
        ...

    def trouble(self) -> Said | None:
        """What an arbiter should know of the source itself, in English and Japanese."""
        ...

    def close(self) -> None: ...


def open_source(
    config: Board,
    time_base: TimeBase,
    sink: Callable[[Reading | SquareTrouble], None],
    lesson: Lesson | None = None,
) -> BoardSource | None:
    """The source that a table's file names; ``lesson``: what was learnt when its camera was set up.

    :raises hardware.errors.HardwareError: it cannot be used.
    """
    match config.source:
        case "none":
            return None
        case "sensor":
            return SensorSource(config, time_base, sink)
        case "camera":
            # OpenCV takes a second to load: only a table with a camera pays for it
            from kiosk.table.boards.camera import CameraSource

            return CameraSource(config, time_base, sink, lesson=lesson)
        case "transcriber":
            return TranscriberSource()
        case _:
            assert_never(config.source)
