"""Outputs of a table: lamps and the buzzer on GPIO lines, and the brightness of the backlight.

The callers decide when to light or to sound; in most rule sets a fallen flag must not be audible (K-02).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import gpiozero

from hardware.errors import ErrorText, GpioError, raised_as, say
from hardware.real_and_simulated_time import TimeBase


class Lamps:
    """One lamp per line, as ``{"left": 23, "right": 24}``.

    :raises GpioError: if a line cannot be claimed; all lines claimed before are released.
    """

    def __init__(self, pins: Mapping[str, int], factory: Any) -> None:
        self._lamps: dict[str, Any] = {}
        self._lit: frozenset[str] = frozenset()
        try:
            for name, gpio in pins.items():
                self._lamps[name] = _claim(gpio, factory, say("{name} lamp", name=name), gpiozero.LED)
        except GpioError:
            self.close()
            raise

    def show(self, lit: Collection[str]) -> None:
        """Light exactly the lamps of these lines. A line without a lamp is ignored: lamps are optional."""
        names = frozenset(lit)
        for name, lamp in self._lamps.items():
            if (name in names) is not (name in self._lit):
                lamp.value = name in names
        self._lit = names

    def close(self) -> None:
        """Turn the lamps off and release the lines."""
        while self._lamps:
            lamp = self._lamps.popitem()[1]
            lamp.off()
            lamp.close()


class Buzzer:
    """Buzzer that sounds while its line is high (an active buzzer behind a transistor).

    :raises GpioError: if the line cannot be claimed.
    """

    def __init__(self, gpio: int, factory: Any, time_base: TimeBase) -> None:
        self._time_base = time_base
        self._buzzer = _claim(gpio, factory, say("buzzer"), gpiozero.Buzzer)

    def beep(self, on_ns: int = 100_000_000, off_ns: int = 100_000_000, times: int = 1) -> None:
        """Sound ``times`` times in the background; a beep in progress is cut off."""
        on_s, off_s = self._time_base.real_s(on_ns), self._time_base.real_s(off_ns)
        self._buzzer.beep(on_time=on_s, off_time=off_s, n=times, background=True)

    def close(self) -> None:
        """Silence the buzzer and release the line."""
        self._buzzer.off()
        self._buzzer.close()


def _claim(gpio: int, factory: Any, what: ErrorText, device: Callable[..., Any]) -> Any:
    unusable = say(
        "the {what} on GPIO{gpio} cannot be used ({error}); see docs/setup/wiring-and-hardware.md and the [buttons] of "
        "the table file"
    )
    with raised_as(GpioError, unusable(what=what, gpio=gpio), *factory.pin_errors):
        return device(gpio, initial_value=False, pin_factory=factory)


# Backlight of a display, as Linux shows it below ``/sys/class/backlight``.

BACKLIGHTS = Path("/sys/class/backlight")


def set_backlight(percent: int, backlights: Path = BACKLIGHTS) -> bool:
    """Set every backlight to ``percent`` of its brightest, at least 1; return whether there is one that changed."""
    changed = False
    for light in sorted(backlights.glob("*")):
        try:
            brightest = int((light / "max_brightness").read_text())
            (light / "brightness").write_text(str(max(1, brightest * percent // 100)))
        except (OSError, ValueError):
            continue
        changed = True
    return changed
