"""Main loop of a sensor board: reads the sensors, sends the cells, calibrates the levels on request.

- The loop never waits for the table, and an aborted calibration keeps the old levels.
- All hardware access is behind ``machine`` (main.py: a Pico); the same loop runs under MicroPython's unix port in the
  tests.

``machine`` has ``now_ms()``, ``measure()`` (64 levels, row by row from the far row), ``button()``, ``lamp(on)``,
``receive()`` and ``send(data)``, ``load()`` and ``save(levels)``.
"""

from line_protocol import LineProtocol
from sensors import Calibration, read_cells

FIRMWARE = "othello-pico-1"
COLUMNS = ROWS = 8
SQUARES = COLUMNS * ROWS
STEADY_MS = 30
HOLD_MS = 2000
BLINK_MS = 200


class CalibrationUI:
    """Button and lamp that guide a person through a calibration.

    Hold two seconds: the calibration begins. The lamp blinks once: empty the board, press. Twice: 64 discs with the
    black face up, press. Three times: turn them all, press. Dark: completed. Hold two seconds: aborted.
    """

    def __init__(self, now_ms: int) -> None:
        self.calibration: Calibration | None = None
        self._measuring = False
        self._down = self._held = False
        self._since = now_ms
        self._raw = False

    def step(self, now_ms: int, pressed: bool, values: list[int]) -> list[list[int]]:
        """Return the levels when a calibration has just been completed; else nothing."""
        if pressed != self._raw:
            self._raw, self._since = pressed, now_ms
        steady_ms = now_ms - self._since
        if self._raw != self._down and steady_ms >= STEADY_MS:
            self._down = self._raw
            if not self._down and not self._held and self.calibration is not None:
                self._measuring = True
            if self._down:
                self._held = False
        if self._down and not self._held and steady_ms >= HOLD_MS:
            self._held = True
            self._measuring = False
            self.calibration = Calibration(SQUARES) if self.calibration is None else None
        if self.calibration is not None and self._measuring and self.calibration.add_sample(values):
            self._measuring = False
            if self.calibration.done:
                levels, self.calibration = self.calibration.levels, None
                return levels
        return []

    def lamp(self, now_ms: int) -> bool:
        """Return the lamp's state: dark during operation; steady while measuring; as many blinks as the step number."""
        if self.calibration is None:
            return False
        if self._measuring:
            return True
        phase, on = divmod(now_ms // BLINK_MS, 2)
        return on == 1 and phase % 6 <= self.calibration.face


def run(machine) -> None:
    """Run until the power goes off."""
    now_ms = machine.now_ms()
    levels = machine.load()
    calibration_ui = CalibrationUI(now_ms)
    line = LineProtocol(FIRMWARE, COLUMNS, ROWS, now_ms, read_cells(machine.measure(), levels))
    while True:
        values = machine.measure()
        now_ms = machine.now_ms()
        new_levels = calibration_ui.step(now_ms, machine.button(), values)
        if new_levels:
            levels = new_levels
            machine.save(levels)
        machine.lamp(calibration_ui.lamp(now_ms))
        # While discs are being placed for a calibration, all cells are sent as unknown.
        cells = read_cells(values, [] if calibration_ui.calibration else levels)
        machine.send(line.step(now_ms, cells, machine.receive()))
