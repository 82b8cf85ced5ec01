"""Tests of the loudspeaker of a table in a window, which sounds where its rules allow it."""

from __future__ import annotations

import os
import subprocess
import sys

from kiosk.table.screen.loudspeaker_buzzer import RATE, wave

BEEP = """
import pygame, sys, time
from kiosk.table.screen.loudspeaker_buzzer import Loudspeaker
speaker = Loudspeaker()
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


def heard(driver: str) -> str:
    environment = {**os.environ, "SDL_AUDIODRIVER": driver, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    run = subprocess.run([sys.executable, "-c", BEEP], capture_output=True, text=True, timeout=120, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_a_beep_lasts_as_long_as_it_should() -> None:
    sounds = wave(60_000_000, 90_000_000, 2)
    assert len(sounds) == 2 * 2 * (RATE * 60 // 1000 + RATE * 90 // 1000)
    assert wave(60_000_000, 0, 1).count(b"\0\0") == 0 and set(wave(0, 90_000_000, 1)) == {0}


def test_the_mixer_is_opened_at_the_first_beep() -> None:
    assert heard("dummy") == "works"


def test_a_machine_without_a_sound_card_is_silent() -> None:
    assert heard("no-such-driver") == "silent"
