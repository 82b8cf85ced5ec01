"""Power monitoring: a pin that signals a power failure, the voltage and temperature status of the Pi's firmware, and
the battery.

The pin's edge carries its kernel time, as a button's does, so a clock can be stopped at the instant of the failure. The
firmware is polled by a thread that nothing waits for.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardware.errors import say
from hardware.gpio_buttons import EdgeLine

#: bits of ``vcgencmd get_throttled``; the upper one is latched from the start
_LOW_NOW, _LOW_SINCE_START = 1 << 0, 1 << 16
ASK_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class PowerEdge:
    """The supply failed or came back at ``at_ns``; a device on a hold-up supply keeps running for a moment."""

    failing: bool
    at_ns: int


class PowerSignal(EdgeLine):
    """Line on which a hold-up supply (a UPS board, a supply with large capacitors) signals that its input failed.

    :param sink: called with each ``PowerEdge``, in the library's thread; must not block.
    :param low_is_failing: True if the signal pulls the line to ground when the input fails; an unconnected line then
        reads as good.
    :raises GpioError: if the line cannot be claimed.
    """

    def __init__(self, gpio: int, factory: Any, sink: Callable[[PowerEdge], None], low_is_failing: bool = True) -> None:
        text = say(
            "the power signal on GPIO{gpio} cannot be used ({error}); see docs/setup/wiring-and-hardware.md and [power]"
        )
        unusable = text(gpio=gpio)
        super().__init__(gpio, factory, low_is_failing, lambda failing, at: sink(PowerEdge(failing, at)), unusable)

    @property
    def failing(self) -> bool:
        """Whether the level now signals a failure: for the start, before any edge."""
        return self.is_active


@dataclass(frozen=True, slots=True)
class Supply:
    """Power status of the firmware. ``low_since_start``: the voltage was too low at some time after the machine
    started."""

    low_voltage: bool
    low_since_start: bool
    celsius: float | None


class Firmware:
    """The Pi's firmware. On a machine without one ``ask`` always returns None."""

    def __init__(self, command: str = "vcgencmd") -> None:
        self._path = shutil.which(command)

    def ask(self, *words: str) -> str | None:
        """Return the firmware's answer, such as ``throttled=0x50005``; None: this machine has none, or it does not
        answer."""
        if self._path is None:
            return None
        try:
            result = subprocess.run(
                [self._path, *words], capture_output=True, text=True, timeout=ASK_TIMEOUT_S, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return result.stdout.strip()


def read_supply(firmware: Firmware) -> Supply | None:
    """Return voltage and temperature status now; None if this machine has none."""
    flags = _after_equals(firmware.ask("get_throttled"))
    try:
        bits = int(flags, 16)
    except ValueError:
        return None
    return Supply(
        low_voltage=bool(bits & _LOW_NOW),
        low_since_start=bool(bits & (_LOW_NOW | _LOW_SINCE_START)),
        celsius=_celsius(_after_equals(firmware.ask("measure_temp"))),
    )


def _after_equals(answer: str | None) -> str:
    return "" if answer is None else answer.partition("=")[2].strip()


def _celsius(text: str) -> float | None:
    """Return the number of ``48.3'C``."""
    try:
        return float(text.rstrip("C").rstrip("'"))
    except ValueError:
        return None


# Battery and temperature status from the kernel's sysfs files.
#
# A file that is missing, or holds no number, gives None instead of an error: few machines have them all.

CLASSES = Path("/sys/class")


@dataclass(frozen=True, slots=True)
class SystemStatus:
    """Battery and temperature. ``battery_percent`` and ``voltage_mv`` are of a laptop's battery, or of a UPS board
    whose driver is in the kernel. ``minutes_left``: the driver's estimate from the current, which simple gauges do not
    measure. ``plugged``: external power is present."""

    battery_percent: int | None = None
    voltage_mv: int | None = None
    celsius: float | None = None
    minutes_left: int | None = None
    plugged: bool = False


def read_system_status(classes: Path = CLASSES) -> SystemStatus:
    """Return the status; of several batteries the emptiest, of several zones the warmest."""
    supplies = sorted((classes / "power_supply").glob("*"))
    batteries = [supply for supply in supplies if _word(supply / "type") == "Battery"]
    percents = [(percent, supply) for supply in batteries if (percent := _number(supply / "capacity")) is not None]
    percent, battery = min(percents, key=lambda found: found[0], default=(None, None))
    micro_volts = None if battery is None else _number(battery / "voltage_now")
    zones = [
        milli for zone in (classes / "thermal").glob("thermal_zone*") if (milli := _number(zone / "temp")) is not None
    ]
    return SystemStatus(
        percent,
        None if micro_volts is None else micro_volts // 1000,
        max(zones) / 1000 if zones else None,
        None if battery is None else _minutes_left(battery),
        # A gauge without a charger always reports Unknown or Discharging; an active charger takes precedence.
        any(_word(supply / "type") != "Battery" and _number(supply / "online") == 1 for supply in supplies)
        or any(_word(supply / "status") in ("Charging", "Full") for supply in batteries),
    )


def _minutes_left(battery: Path) -> int | None:
    for name in ("time_to_empty_now", "time_to_empty_avg"):
        if (seconds := _number(battery / name)) is not None and seconds > 0:
            return seconds // 60
    for left, flow in (("energy_now", "power_now"), ("charge_now", "current_now")):
        amount, per_hour = _number(battery / left), abs(_number(battery / flow) or 0)
        if amount is not None and amount > 0 and per_hour:
            return amount * 60 // per_hour
    return None


def _word(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _word(path)
    return int(text) if text.removeprefix("-").isdecimal() and text.isascii() else None
