"""Buzzer of a table in a window, by the machine's loudspeaker.

- The mixer is opened at the first beep only, because most tables have none and make no sound.
- A machine without a sound card is silent and reports that once.
- The caller never waits for a beep.
"""

from __future__ import annotations

import array
import logging
from concurrent.futures import ThreadPoolExecutor

log = logging.getLogger(__name__)

RATE, PITCH, LOUD = 22_050, 2_000, 6_000
NS_PER_S = 1_000_000_000


class Loudspeaker:
    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "sound")
        self._works = True

    def beep(self, on_ns: int, off_ns: int, times: int) -> None:
        """Sound ``times`` times in the background; a beep that is still sounding is cut off."""
        self._thread.submit(self._sound, on_ns, off_ns, times)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _sound(self, on_ns: int, off_ns: int, times: int) -> None:
        if not self._works:
            return
        import pygame.mixer

        try:
            if pygame.mixer.get_init() is None:
                pygame.mixer.init(RATE, -16, 1, 512, allowedchanges=0)
            pygame.mixer.stop()
            pygame.mixer.Sound(buffer=wave(on_ns, off_ns, times)).play()
        except pygame.error as error:
            self._works = False
            log.warning("no sound: %s", error)


def wave(on_ns: int, off_ns: int, times: int) -> bytes:
    """Return a square wave with its silences, 16 bits a sample."""
    half = RATE // PITCH // 2
    period = array.array("h", [LOUD] * half + [-LOUD] * half)
    on = (period * (on_ns * RATE // NS_PER_S // len(period) + 1))[: on_ns * RATE // NS_PER_S]
    return ((on + array.array("h", [0] * (off_ns * RATE // NS_PER_S))) * times).tobytes()
