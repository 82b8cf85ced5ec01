"""Monitor of this machine's voltage, temperature and battery: alarms for an arbiter, and the remaining battery time.

- Firmware and kernel are read in a separate thread, so nothing waits for them. A machine that has no such values
  reports none.
- A battery warns twice: while there is time to finish a game, and when there is none.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from engine.i18n import say
from hardware.battery_and_temperature import SystemStatus
from hardware.power_monitoring import Firmware, Supply, read_supply
from kiosk.link.link_messages import TroubleInfo
from kiosk.table.device.remaining_battery_time import BatteryWatch
from kiosk.table.state import Battery

ASK_EVERY_S = 10.0
#: the temperature alarm ends this far below its threshold
COOLER_C = 5
#: thresholds of the two warnings: points, or minutes where they are known
LOW = 20, 60
NEARLY_EMPTY = 8, 20


class PowerMonitor:
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
        self._firmware, self._hot_c, self._tell = firmware, hot_c, tell
        self._machine, self._tell_battery, self._monotonic_s = machine, tell_battery, monotonic_s
        self._gauge = BatteryWatch()
        self.battery: Battery | None = None
        self._closed = threading.Event()
        self._alarms: tuple[TroubleInfo, ...] = ()
        self._hot = False
        self.supply: Supply | None = None
        self._thread = threading.Thread(target=self._watch, name="supply", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def _watch(self) -> None:
        while True:
            self.update()
            if (self.supply is None and self.battery is None) or self._closed.wait(ASK_EVERY_S):
                return  # a machine without this firmware and without a battery will not get one

    def update(self) -> None:
        """Read all values once."""
        self.supply = supply = read_supply(self._firmware)
        battery = self._gauge.update(self._machine(), self._monotonic_s())
        if battery != self.battery:
            self.battery = battery
            self._tell_battery(battery)
        found = (*(() if supply is None else self._troubles(supply)), *_of_battery(battery))
        if found != self._alarms:
            self._alarms = found
            self._tell(found)

    def _troubles(self, supply: Supply) -> list[TroubleInfo]:
        troubles = []
        if supply.low_voltage:
            troubles.append(
                TroubleInfo(
                    "supply-low-voltage",
                    say("The voltage is too low. Change the power supply or its cable."),
                )
            )
        degrees = supply.celsius
        if degrees is not None:
            self._hot = degrees >= (self._hot_c - COOLER_C if self._hot else self._hot_c)
        if self._hot:
            troubles.append(
                TroubleInfo(
                    "supply-hot",
                    say("The machine is hot. Give it air."),
                )
            )
        return troubles


def _of_battery(battery: Battery | None) -> tuple[TroubleInfo, ...]:
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
