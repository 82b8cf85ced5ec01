"""Simulated power: firmware with configurable answers, and a supply that fails at a given time."""

from __future__ import annotations

from hardware.power_failure_pin_and_supply_status import Firmware
from hardware.real_and_simulated_time import TimeBase
from hardware.simulated_pins_and_buttons import SimulatedPin


class SimulatedFirmware(Firmware):
    """Firmware that answers as ``vcgencmd`` of a Pi does; ``silent``: as on a machine that has none."""

    def __init__(self) -> None:
        self.throttled = 0
        self.celsius = 48.3
        self.silent = False

    def ask(self, *words: str) -> str | None:
        match words:
            case _ if self.silent:
                return None
            case ("get_throttled",):
                return f"throttled={self.throttled:#x}"
            case ("measure_temp",):
                return f"temp={self.celsius:.1f}'C"
            case _:
                return 'error=1 error_msg="Command not registered"'


class SimulatedSupply:
    """Hold-up supply whose input can fail and return; its signal pulls the line to ground."""

    def __init__(self, pin: SimulatedPin, time_base: TimeBase) -> None:
        self._pin, self._time_base = pin, time_base

    def fail(self, at_ns: int | None = None) -> int:
        """Let the input fail; return the time of the signal."""
        return self._drive(False, at_ns)

    def come_back(self, at_ns: int | None = None) -> int:
        return self._drive(True, at_ns)

    def _drive(self, level: bool, at_ns: int | None) -> int:
        at_ns = self._time_base.now_ns() if at_ns is None else at_ns
        self._pin.drive(level, at_ns)
        return at_ns
