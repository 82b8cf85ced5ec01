"""Tests of the loudspeaker of a table in a window, which sounds where its rules allow it."""

from __future__ import annotations

import array
import os
import subprocess
import sys
import threading

from kiosk.table.screen.loudspeaker_buzzer import LOUDEST, RATE, Loudspeaker, wave

BEEP = """
import pygame, sys, time
from kiosk.table.screen.loudspeaker_buzzer import Loudspeaker
speaker = Loudspeaker(60)
assert "pygame.mixer" not in sys.modules or pygame.mixer.get_init() is None, "not before the first beep"
speaker.beep(60_000_000_000, 0, 1)
until = time.monotonic() + 60
import pygame.mixer
while speaker._works and not (pygame.mixer.get_init() and pygame.mixer.get_busy()):
    assert time.monotonic() < until
    time.sleep(0.01)
print("works" if speaker._works else "silent")
speaker.close()
pygame.mixer.quit()
"""


def output_with_driver(driver: str) -> str:
    environment = {**os.environ, "SDL_AUDIODRIVER": driver, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    run = subprocess.run([sys.executable, "-c", BEEP], capture_output=True, text=True, timeout=120, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_a_beep_has_the_set_length_and_volume() -> None:
    sounds = wave(60_000_000, 90_000_000, 2, 100)
    assert len(sounds) == 2 * 2 * (RATE * 60 // 1000 + RATE * 90 // 1000)
    assert wave(60_000_000, 0, 1, 100).count(b"\0\0") == 0 and set(wave(0, 90_000_000, 1, 100)) == {0}
    assert [max(array.array("h", wave(10_000_000, 0, 1, volume))) for volume in (20, 100)] == [LOUDEST // 5, LOUDEST]


def test_beeps_are_dropped_while_the_mixer_hangs() -> None:
    """The clock's loop only passes a beep to a thread; while the mixer plays one, others are dropped."""
    speaker, may_end, begun = Loudspeaker(60), threading.Event(), list[int]()

    def hang(on_ns: int, off_ns: int, times: int, volume: int) -> None:
        begun.append(volume)
        may_end.wait()

    speaker._sound = hang  # type: ignore[method-assign]
    for _ in range(1000):
        speaker.beep(1, 1, 1)
    assert speaker._thread._work_queue.qsize() <= 1
    may_end.set()
    speaker._thread.shutdown()
    assert begun == [60]
    silent = Loudspeaker(0)
    silent.beep(1, 1, 1)
    assert silent._sounding is None
    silent.close()


def test_the_mixer_is_opened_at_the_first_beep() -> None:
    assert output_with_driver("dummy") == "works"


def test_a_machine_without_a_sound_card_is_silent() -> None:
    assert output_with_driver("no-such-driver") == "silent"
