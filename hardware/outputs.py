"""Lamps and the buzzer: GPIO outputs that are told what to be.

The law: nothing here decides when to light or to sound; in most rule sets a fallen flag must not be heard (K-02).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import gpiozero

from hardware.errors import PinError, Said, say
from hardware.timebase import TimeBase


class Lamps:
    """One lamp a line, as ``{"left": 23, "right": 24}``.

    :raises PinError: if a line cannot be taken; all lines taken before are given back.
    """

    def __init__(self, pins: Mapping[str, int], factory: Any) -> None:
        self._lamps: dict[str, Any] = {}
        self._lit: frozenset[str] = frozenset()
        try:
            for name, gpio in pins.items():
                self._lamps[name] = _take(gpio, factory, say("{name} lamp", name=name), gpiozero.LED)
        except PinError:
            self.close()
            raise

    def show(self, lit: Collection[str]) -> None:
        """Lights exactly the lamps of these lines. A line without a lamp is ignored: lamps are optional."""
        wanted = frozenset(lit)
        for name, lamp in self._lamps.items():
            if (name in wanted) is not (name in self._lit):
                lamp.value = name in wanted
        self._lit = wanted

    def close(self) -> None:
        """Puts the lamps out and gives the lines back."""
        while self._lamps:
            lamp = self._lamps.popitem()[1]
            lamp.off()
            lamp.close()


class Buzzer:
    """A buzzer that sounds while its line is high (an active buzzer behind a transistor).

    :raises PinError: if the line cannot be taken.
    """

    def __init__(self, gpio: int, factory: Any, time_base: TimeBase) -> None:
        self._time_base = time_base
        self._buzzer = _take(gpio, factory, say("buzzer"), gpiozero.Buzzer)

    def beep(self, on_ns: int = 100_000_000, off_ns: int = 100_000_000, times: int = 1) -> None:
        """Sounds ``times`` times in the background; a beep that still sounds is cut off."""
        on_s, off_s = self._time_base.real_s(on_ns), self._time_base.real_s(off_ns)
        self._buzzer.beep(on_time=on_s, off_time=off_s, n=times, background=True)

    def close(self) -> None:
        """Silences the buzzer and gives the line back."""
        self._buzzer.off()
        self._buzzer.close()


def _take(gpio: int, factory: Any, what: Said, device: Callable[..., Any]) -> Any:
    try:
        return device(gpio, initial_value=False, pin_factory=factory)
    except factory.pin_errors as error:
        raise PinError(
            say(
                "the {what} on GPIO{gpio} cannot be used ({why}); see docs/wiring.md and the [buttons] of the table "
                "file",
                what=what,
                gpio=gpio,
                why=str(error),
            )
        ) from error
