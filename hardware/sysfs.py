"""What the kernel knows of a battery and of the temperature, read from its files.

The law: a file that is not there, or holds no number, is None and no error: few machines have them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CLASSES = Path("/sys/class")


@dataclass(frozen=True, slots=True)
class Machine:
    """``battery_percent`` and ``voltage_mv`` of a laptop's battery, or of a UPS board whose driver is in the kernel."""

    battery_percent: int | None = None
    voltage_mv: int | None = None
    celsius: float | None = None


def read_machine(classes: Path = CLASSES) -> Machine:
    """Of several batteries the emptiest, of several zones the warmest."""
    batteries = [
        supply for supply in sorted((classes / "power_supply").glob("*")) if _word(supply / "type") == "Battery"
    ]
    percents = [(percent, supply) for supply in batteries if (percent := _number(supply / "capacity")) is not None]
    percent, battery = min(percents, key=lambda found: found[0], default=(None, None))
    micro_volts = None if battery is None else _number(battery / "voltage_now")
    zones = [
        milli for zone in (classes / "thermal").glob("thermal_zone*") if (milli := _number(zone / "temp")) is not None
    ]
    return Machine(
        percent,
        None if micro_volts is None else micro_volts // 1000,
        max(zones) / 1000 if zones else None,
    )


def _word(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _word(path)
    return int(text) if text.removeprefix("-").isdecimal() and text.isascii() else None
