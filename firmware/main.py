"""Start-up file of the sensor board on a Raspberry Pi Pico (RP2040): 64 sensors through four 16-channel multiplexers
(CD74HC4067).

Copy the files of this folder to the Pico's flash; it starts by itself. Pins: GP2 to GP5 channel (S0 to S3 of all four),
GP6 to GP9 enable of multiplexer 0 to 3 (low: on), GP26 their common output, GP15 the calibration button to ground, GP25
the lamp.
Multiplexer n has the squares 16 n to 16 n + 15, counted row by row from the far row, left to right.
"""

import json
import os
import select
import sys
import time

import machine
import micropython
from main_loop import run

CHANNELS = (2, 3, 4, 5)
ENABLES = (6, 7, 8, 9)
LEVELS = "levels.json"
SETTLE_US = 10


class Pico:
    """Hardware access for ``main_loop.run``."""

    def __init__(self) -> None:
        micropython.kbd_intr(-1)  # a byte 03 on the line is noise, not an interrupt
        self._channels = [machine.Pin(pin, machine.Pin.OUT, value=0) for pin in CHANNELS]
        self._enables = [machine.Pin(pin, machine.Pin.OUT, value=1) for pin in ENABLES]
        self._level = machine.ADC(26)
        self._button = machine.Pin(15, machine.Pin.IN, machine.Pin.PULL_UP)
        self._lamp = machine.Pin(25, machine.Pin.OUT, value=0)
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._ticks = time.ticks_ms()
        self._now = 0
        self._watchdog = machine.WDT(timeout=2000)

    def now_ms(self) -> int:
        """Return the milliseconds from the start; the hardware ticks wrap around every few days."""
        ticks = time.ticks_ms()
        self._now += time.ticks_diff(ticks, self._ticks)
        self._ticks = ticks
        self._watchdog.feed()
        return self._now

    def measure(self) -> list[int]:
        """Return all 64 levels."""
        values = []
        for enable in self._enables:
            enable.value(0)
            for channel in range(16):
                for bit, pin in enumerate(self._channels):
                    pin.value(channel >> bit & 1)
                time.sleep_us(SETTLE_US)
                values.append(self._level.read_u16())
            enable.value(1)
        return values

    def button(self) -> bool:
        """Return whether the button is pressed."""
        return not self._button.value()

    def lamp(self, on: bool) -> None:
        """Turn the lamp on or off."""
        self._lamp.value(on)

    def receive(self) -> bytes:
        """Return the bytes that have arrived, without waiting."""
        received = b""
        while len(received) < 256 and self._poll.poll(0):
            received += sys.stdin.buffer.read(1)
        return received

    def send(self, data: bytes) -> None:
        """Write the bytes to the cable."""
        if data:
            sys.stdout.buffer.write(data)

    def load(self) -> list[list[int]]:
        """Return the calibrated levels; empty if there are none, or the file is damaged."""
        try:
            with open(LEVELS) as file:
                levels = json.load(file)
        except (OSError, ValueError):
            return []
        complete = isinstance(levels, list) and all(isinstance(face, list) and len(face) == 64 for face in levels)
        return levels if complete else []

    def save(self, levels: list[list[int]]) -> None:
        """Save the levels atomically: the new file is complete, or the old one stays."""
        with open(LEVELS + ".new", "w") as file:
            json.dump(levels, file)
        os.rename(LEVELS + ".new", LEVELS)


run(Pico())
