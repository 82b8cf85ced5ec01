"""A camera that is opened, lost and found again in a thread of its own.

The law: nothing waits for a camera. Its pictures come to the sink in the reader's thread; what is wrong with it is
known at any moment, and it is looked for again once a second.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from hardware.camera.frames import AS_IT_IS, Frame, FrameHealth, FrameReader, Sight
from hardware.errors import HardwareError, Said, say

log = logging.getLogger(__name__)

_AGAIN_S = 1.0


class Camera:
    """:param open_reader: opens it; raises ``HardwareError`` while it is not there.
    :param sink: called with every picture; says how many stops brighter the next have to be, mostly 0.
    :param name: what an arbiter knows it by.
    :param again_s: how long until it is looked for again.
    :param real_s: as the time base of its pictures has it.
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
        self._sight = Sight.GONE
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    @property
    def sight(self) -> Sight:
        """How it sees now."""
        return self._sight

    def trouble(self) -> Said | None:
        """What an arbiter has to know; None if all is well."""
        match self._sight:
            case Sight.WELL:
                return None
            case Sight.GONE:
                return say("camera {camera} gives no picture; check its cable", camera=self._name)
            case Sight.DARK:
                return say("camera {camera} sees only darkness; remove its lens cap or add light", camera=self._name)
            case Sight.FROZEN:
                return say(
                    "camera {camera} shows the same picture again and again; unplug it and plug it in",
                    camera=self._name,
                )
            case Sight.SLOW:
                return say(
                    "camera {camera} gives too few pictures; use another USB socket or more light", camera=self._name
                )
            case Sight.FAILED:
                return say(
                    "a picture of camera {camera} could not be processed; trying again. If this "
                    "continues, restart the table",
                    camera=self._name,
                )

    def close(self) -> None:
        """Ends the reader and waits for it."""
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                reader = self._open_reader()
            except HardwareError:
                self._sight = Sight.GONE
                self._closed.wait(self._again_s)
                continue
            try:
                self._read(reader)
                self._sight = Sight.GONE
            except Exception:  # whatever it was, the table plays on, and the next picture may be another
                log.exception("camera %s", self._name)
                self._sight = Sight.FAILED
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
            if sight is not Sight.FROZEN and (stops := self._sink(frame)):
                reader.brighten(stops)
            self._sight = sight
