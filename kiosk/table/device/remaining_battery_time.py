"""Estimate of a table's remaining battery time.

The kernel's gauge is used where it measures current. Otherwise the time is estimated from the fall of the level since
the charger was unplugged, once it has fallen by a few points; before that none is shown.
"""

from __future__ import annotations

from hardware.battery_and_temperature import SystemStatus
from kiosk.table.state import Battery

#: points that must be lost before a rate is meaningful
ENOUGH_POINTS = 3
#: step of the displayed time
STEP_MINUTES = 10


class BatteryWatch:
    """Battery readings from the kernel; ``at_s`` never goes back."""

    def __init__(self) -> None:
        self._since: tuple[float, int] | None = None  # the first change of the level after the charger was unplugged
        self._last: int | None = None

    def update(self, machine: SystemStatus, at_s: float) -> Battery | None:
        percent = machine.battery_percent
        if percent is None:
            return None
        if machine.plugged or (self._last is not None and percent > self._last):
            self._since, self._last = None, percent
            return Battery(percent, None, machine.plugged)
        if self._since is None and self._last is not None and percent < self._last:
            self._since = at_s, percent
        self._last = percent
        minutes = machine.minutes_left if machine.minutes_left is not None else self._reckoned(percent, at_s)
        return Battery(percent, None if minutes is None else minutes // STEP_MINUTES * STEP_MINUTES, plugged=False)

    def _reckoned(self, percent: int, at_s: float) -> int | None:
        if self._since is None:
            return None
        since_s, before = self._since
        lost = before - percent
        return None if lost < ENOUGH_POINTS else int((at_s - since_s) * percent / lost / 60)
