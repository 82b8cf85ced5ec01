"""Main loop of a sensor board: reads the sensors, sends the cells, learns levels on request.

- The loop never waits for the table, and an aborted lesson keeps the old levels.
- All hardware access is behind ``machine`` (main.py: a Pico); the same loop runs under MicroPython's unix port in the
  tests.

``machine`` has ``now_ms()``, ``measure()`` (64 levels, row by row from the far row), ``button()``, ``lamp(on)``,
``receive()`` and ``send(data)``, ``load()`` and ``save(levels)``.
"""

from link import Link
from senses import Lesson, read_cells

FIRMWARE = "othello-pico-1"
COLUMNS = ROWS = 8
SQUARES = COLUMNS * ROWS
STEADY_MS = 30
HOLD_MS = 2000
BLINK_MS = 200


class Teacher:
    """Button and lamp that guide a person through a lesson.

    Hold two seconds: the lesson begins. The lamp blinks once: empty the board, press. Twice: 64 discs with the black
    face up, press. Three times: turn them all, press. Dark: learned. Hold two seconds: aborted.
    """

    def __init__(self, now_ms: int) -> None:
        self.lesson: Lesson | None = None
        self._taking = False
        self._down = self._held = False
        self._since = now_ms
        self._raw = False

    def step(self, now_ms: int, pressed: bool, values: list[int]) -> list[list[int]]:
        """Return the levels when a lesson has just been completed; else nothing."""
        if pressed != self._raw:
            self._raw, self._since = pressed, now_ms
        rested = now_ms - self._since
        if self._raw != self._down and rested >= STEADY_MS:
            self._down = self._raw
            if not self._down and not self._held and self.lesson is not None:
                self._taking = True
            if self._down:
                self._held = False
        if self._down and not self._held and rested >= HOLD_MS:
            self._held = True
            self._taking = False
            self.lesson = Lesson(SQUARES) if self.lesson is None else None
        if self.lesson is not None and self._taking and self.lesson.take(values):
            self._taking = False
            if self.lesson.done:
                learned, self.lesson = self.lesson.levels, None
                return learned
        return []

    def lamp(self, now_ms: int) -> bool:
        """Return the lamp's state: dark during operation; steady while measuring; as many blinks as the step number."""
        if self.lesson is None:
            return False
        if self._taking:
            return True
        phase, on = divmod(now_ms // BLINK_MS, 2)
        return on == 1 and phase % 6 <= self.lesson.face


def run(machine) -> None:
    """Run until the power goes off."""
    now_ms = machine.now_ms()
    levels = machine.load()
    teacher = Teacher(now_ms)
    link = Link(FIRMWARE, COLUMNS, ROWS, now_ms, read_cells(machine.measure(), levels))
    while True:
        values = machine.measure()
        now_ms = machine.now_ms()
        learned = teacher.step(now_ms, machine.button(), values)
        if learned:
            levels = learned
            machine.save(levels)
        machine.lamp(teacher.lamp(now_ms))
        # While discs are being placed for a lesson, all cells are sent as unknown.
        cells = read_cells(values, [] if teacher.lesson else levels)
        machine.send(link.step(now_ms, cells, machine.receive()))
