"""Battery and temperature status from the kernel's sysfs files.

A file that is missing, or holds no number, gives None instead of an error: few machines have them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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
