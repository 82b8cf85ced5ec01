"""Monitor of this machine's voltage, temperature and battery: alarms for an arbiter, and the remaining battery time.

- Firmware and kernel are read in a separate thread, so nothing waits for them. A machine that has no such values
  reports none.
- A battery warns twice: while there is time to finish a game, and when there is none.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.i18n import say
from hardware.power_failure_pin_and_supply_status import Firmware, Supply, SystemStatus, read_supply
from kiosk.link.link_messages import TroubleInfo
from kiosk.stoppable_thread import StoppableThread
from kiosk.table.state import Battery

ASK_EVERY_S = 10.0
#: the temperature alarm ends this far below its threshold
COOLER_C = 5
#: thresholds of the two warnings: points, or minutes where they are known
LOW = 20, 60
NEARLY_EMPTY = 8, 20
LOW_VOLTAGE = say("The voltage is too low. Change the power supply or its cable.")


class PowerMonitor(StoppableThread):
    """The monitor. ``tell`` receives all alarms of the supply whenever they change, ``tell_battery`` the battery."""

    def __init__(
        self,
        firmware: Firmware,
        hot_c: int,
        tell: Callable[[tuple[TroubleInfo, ...]], None],
        machine: Callable[[], SystemStatus] = SystemStatus,
        tell_battery: Callable[[Battery | None], None] = lambda battery: None,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("supply", 5)
        self._firmware, self._hot_c, self._tell = firmware, hot_c, tell
        self._machine, self._tell_battery, self._monotonic_s = machine, tell_battery, monotonic_s
        self._battery_watch = BatteryWatch()
        self.battery: Battery | None = None
        self._alarms: tuple[TroubleInfo, ...] = ()
        self._hot = False
        self.supply: Supply | None = None

    def _run(self) -> None:
        while True:
            self.update()
            if (self.supply is None and self.battery is None) or self._stopping.wait(ASK_EVERY_S):
                return  # a machine without this firmware and without a battery will not get one

    def update(self) -> None:
        """Read all values once."""
        self.supply = supply = read_supply(self._firmware)
        battery = self._battery_watch.update(self._machine(), self._monotonic_s())
        if battery != self.battery:
            self.battery = battery
            self._tell_battery(battery)
        found = (*(() if supply is None else self._troubles(supply)), *_battery_alarms(battery))
        if found != self._alarms:
            self._alarms = found
            self._tell(found)

    def _troubles(self, supply: Supply) -> list[TroubleInfo]:
        troubles = []
        if supply.low_voltage:
            troubles.append(TroubleInfo("supply-low-voltage", LOW_VOLTAGE))
        degrees = supply.celsius
        if degrees is not None:
            self._hot = degrees >= (self._hot_c - COOLER_C if self._hot else self._hot_c)
        if self._hot:
            troubles.append(TroubleInfo("supply-hot", say("The machine is hot. Give it air.")))
        return troubles


def _battery_alarms(battery: Battery | None) -> tuple[TroubleInfo, ...]:
    if battery is None or battery.plugged:
        return ()
    if _is_below(battery, NEARLY_EMPTY):
        return (TroubleInfo("battery-empty", say("The battery is nearly empty. Plug the charger in now.")),)
    if _is_below(battery, LOW):
        return (TroubleInfo("battery-low", say("The battery is low. Charge it after this game.")),)
    return ()


def _is_below(battery: Battery, limit: tuple[int, int]) -> bool:
    percent, minutes = limit
    return battery.percent <= percent or (battery.minutes_left is not None and battery.minutes_left <= minutes)


#: points that must be lost before a rate is meaningful
ENOUGH_POINTS = 3
#: step of the displayed time
STEP_MINUTES = 10


class BatteryWatch:
    """Estimate of a table's remaining battery time: the kernel's own where it measures current, else from the fall of
    the level since the charger was unplugged, once it has fallen by a few points. ``at_s`` never goes back.
    """

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
        minutes = machine.minutes_left if machine.minutes_left is not None else self._estimated_minutes(percent, at_s)
        return Battery(percent, None if minutes is None else minutes // STEP_MINUTES * STEP_MINUTES, plugged=False)

    def _estimated_minutes(self, percent: int, at_s: float) -> int | None:
        if self._since is None:
            return None
        since_s, before = self._since
        lost = before - percent
        return None if lost < ENOUGH_POINTS else int((at_s - since_s) * percent / lost / 60)
