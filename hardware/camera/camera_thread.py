"""Camera that is opened, and reopened after a failure, in its own thread.

- Nothing waits for the camera. Its pictures come to the sink in the reader's thread.
- Its status is available at any time; a lost camera is searched for once a second.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from hardware.camera.frames_and_camera_faults import AS_IT_IS, CameraStatus, Frame, FrameHealth, FrameReader
from hardware.errors import ErrorText, HardwareError, say

log = logging.getLogger(__name__)

_AGAIN_S = 1.0


class Camera:
    """Camera with its reader thread.

    :param open_reader: opens it; raises ``HardwareError`` while it is not available.
    :param sink: called with every picture; returns how many stops brighter the next ones have to be, mostly 0.
    :param name: its name for the arbiter.
    :param again_s: seconds between attempts to open it.
    :param real_s: as the time base of its pictures defines it.
    """

    def __init__(
        self,
        open_reader: Callable[[], FrameReader],
        sink: Callable[[Frame], float],
        name: str,
        again_s: float = _AGAIN_S,
        real_s: Callable[[int], float] = AS_IT_IS,
    ) -> None:
        self._open_reader, self._sink, self._name, self._again_s = open_reader, sink, name, again_s
        self._real_s = real_s
        self._sight = CameraStatus.GONE
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    @property
    def sight(self) -> CameraStatus:
        """The status of the camera now."""
        return self._sight

    def trouble(self) -> ErrorText | None:
        """Return the problem for the arbiter; None if there is none."""
        match self._sight:
            case CameraStatus.WELL:
                return None
            case CameraStatus.GONE:
                return say("camera {camera} gives no picture; check its cable", camera=self._name)
            case CameraStatus.DARK:
                return say("camera {camera} sees only darkness; remove its lens cap or add light", camera=self._name)
            case CameraStatus.FROZEN:
                return say(
                    "camera {camera} shows the same picture again and again; unplug it and plug it in",
                    camera=self._name,
                )
            case CameraStatus.SLOW:
                return say(
                    "camera {camera} gives too few pictures; use another USB socket or more light", camera=self._name
                )
            case CameraStatus.FAILED:
                return say(
                    "a picture of camera {camera} could not be processed; trying again. If this "
                    "continues, restart the table",
                    camera=self._name,
                )

    def close(self) -> None:
        """End the reader and wait for it."""
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                reader = self._open_reader()
            except HardwareError:
                self._sight = CameraStatus.GONE
                self._closed.wait(self._again_s)
                continue
            try:
                self._read(reader)
                self._sight = CameraStatus.GONE
            except Exception:  # any failure: the game continues, and the next picture may succeed
                log.exception("camera %s", self._name)
                self._sight = CameraStatus.FAILED
            finally:
                reader.close()
            self._closed.wait(self._again_s)

    def _read(self, reader: FrameReader) -> None:
        health = FrameHealth(self._real_s)
        while not self._closed.is_set():
            frame = reader.read()
            if frame is None:
                return
            sight = health.feed(frame)
            if sight is not CameraStatus.FROZEN and (stops := self._sink(frame)):
                reader.brighten(stops)
            self._sight = sight
