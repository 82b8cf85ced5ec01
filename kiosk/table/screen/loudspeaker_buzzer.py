"""Buzzer of a table by a loudspeaker: of HDMI, headphones or a computer.

- The mixer is opened at the first beep only, because most tables have none and make no sound.
- A machine without a sound card is silent and reports that once.
- The caller never waits for a beep; one that comes while the mixer still works on another is left out.
"""

from __future__ import annotations

import array
import logging
from concurrent.futures import Future, ThreadPoolExecutor

log = logging.getLogger(__name__)

RATE, PITCH, LOUDEST = 22_050, 2_000, 20_000
NS_PER_S = 1_000_000_000


class Loudspeaker:
    """A loudspeaker. ``volume``: per cent, 0 is silent."""

    def __init__(self, volume: int) -> None:
        self.volume = volume
        self._thread = ThreadPoolExecutor(1, "sound")
        self._works = True
        self._sounding: Future[None] | None = None

    def beep(self, on_ns: int, off_ns: int, times: int) -> None:
        """Sound ``times`` times in the background; a beep that is still sounding is cut off."""
        if self.volume and self._works and (self._sounding is None or self._sounding.done()):
            self._sounding = self._thread.submit(self._sound, on_ns, off_ns, times, self.volume)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _sound(self, on_ns: int, off_ns: int, times: int, volume: int) -> None:
        import pygame.mixer

        try:
            if pygame.mixer.get_init() is None:
                pygame.mixer.init(RATE, -16, 1, 512, allowedchanges=0)
            pygame.mixer.stop()
            pygame.mixer.Sound(buffer=wave(on_ns, off_ns, times, volume)).play()
        except pygame.error as error:
            self._works = False
            log.warning("no sound: %s", error)


def wave(on_ns: int, off_ns: int, times: int, volume: int) -> bytes:
    """Return a square wave with its silences, 16 bits a sample."""
    half, loud = RATE // PITCH // 2, LOUDEST * volume // 100
    period = array.array("h", [loud] * half + [-loud] * half)
    on = (period * (on_ns * RATE // NS_PER_S // len(period) + 1))[: on_ns * RATE // NS_PER_S]
    return ((on + array.array("h", [0] * (off_ns * RATE // NS_PER_S))) * times).tobytes()
