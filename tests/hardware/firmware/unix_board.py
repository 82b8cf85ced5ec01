"""The sensor board's loop on MicroPython's unix port: sensors, button and lamp are files, the cable is stdin and
stdout.

    micropython unix_board.py FIRMWARE_FOLDER FOLDER

FOLDER: ``sensors`` (64 numbers of 16 bits), ``button`` (for how many milliseconds it is held; removed when released),
``lamp`` and ``turns`` (of its loop; written), ``levels.json``.

Its milliseconds are turns of its loop: on a busy machine the loop may pause longer than a button is held, and a press
would begin and end between two reads.
"""

import json
import os
import select
import struct
import sys
import time

sys.path.insert(0, sys.argv[1])
FOLDER = sys.argv[2] + "/"
TURN_MS = 10

from main_loop import run  # noqa: E402


def exists(name: str) -> bool:
    try:
        os.stat(FOLDER + name)
    except OSError:
        return False
    return True


class Unix:
    def __init__(self) -> None:
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._lit = None
        self._pressed = None
        self._turns = 0
        self._now = 0

    def now_ms(self) -> int:
        time.sleep_ms(2)
        self._now += TURN_MS
        return self._now

    def measure(self) -> list[int]:
        self._turns += 1
        with open(FOLDER + "turns.new", "w") as file:
            file.write(str(self._turns))
        os.rename(FOLDER + "turns.new", FOLDER + "turns")
        with open(FOLDER + "sensors", "rb") as file:
            return list(struct.unpack("<64H", file.read()))

    def button(self) -> bool:
        if not exists("button"):
            return False
        with open(FOLDER + "button") as file:
            held_ms = int(file.read())
        if self._pressed is None:
            self._pressed = self._now
        if self._now - self._pressed < held_ms:
            return True
        self._pressed = None
        os.remove(FOLDER + "button")
        return False

    def lamp(self, on: bool) -> None:
        if on != self._lit:
            self._lit = on
            with open(FOLDER + "lamp", "w") as file:
                file.write("on" if on else "dark")

    def receive(self) -> bytes:
        data = b""
        while len(data) < 256 and self._poll.poll(0):
            data += sys.stdin.buffer.read(1)
        return data

    def send(self, data: bytes) -> None:
        if data:
            sys.stdout.buffer.write(data)

    def load(self) -> list[list[int]]:
        if not exists("levels.json"):
            return []
        with open(FOLDER + "levels.json") as file:
            return json.load(file)

    def save(self, levels: list[list[int]]) -> None:
        with open(FOLDER + "levels.json", "w") as file:
            json.dump(levels, file)


run(Unix())
