"""Tests of the power monitor: low voltage and heat raise alarms for an arbiter, which end by themselves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from devices.power import SimulatedFirmware

from hardware.power_failure_pin_and_supply_status import SystemStatus
from kiosk.link.link_messages import TroubleInfo
from kiosk.table.device.power_monitor import COOLER_C, BatteryWatch, PowerMonitor
from kiosk.table.state import Battery

HOT_C = 75


def watched() -> tuple[SimulatedFirmware, PowerMonitor, list[list[str]]]:
    firmware, told = SimulatedFirmware(), []

    def tell(troubles: tuple[TroubleInfo, ...]) -> None:
        told.append([trouble.kind for trouble in troubles])

    return firmware, PowerMonitor(firmware, HOT_C, tell), told


def test_low_voltage_is_one_alarm_while_it_lasts() -> None:
    firmware, watch, told = watched()
    watch.update()
    firmware.throttled = 0x50005
    watch.update()
    watch.update()
    firmware.throttled = 0x50000
    watch.update()
    assert told == [["supply-low-voltage"], []]
    assert watch.supply is not None and watch.supply.low_since_start


def test_heat_is_an_alarm_until_it_is_clearly_cooler() -> None:
    firmware, watch, told = watched()
    for celsius in (HOT_C - 1, HOT_C, HOT_C - COOLER_C, HOT_C + 3, HOT_C - COOLER_C - 1):
        firmware.celsius = celsius
        watch.update()
    assert told == [["supply-hot"], []]


def test_a_laptop_without_sensors_is_read_once() -> None:
    firmware, watch, told = watched()
    firmware.silent = True
    watch.start()
    watch.close()
    assert told == [] and watch.supply is None and not watch._thread.is_alive()


def on_battery(levels: Iterator[SystemStatus]) -> tuple[PowerMonitor, list[list[str]], list[Battery | None]]:
    firmware, troubles, told = SimulatedFirmware(), [], []
    firmware.silent = True

    def tell(found: tuple[TroubleInfo, ...]) -> None:
        troubles.append([trouble.kind for trouble in found])

    return PowerMonitor(firmware, HOT_C, tell, lambda: next(levels), told.append, lambda: 0.0), troubles, told


def test_a_battery_warns_twice_and_is_quiet_while_it_charges() -> None:
    """It warns by percent, or by minutes if they are known; each once."""
    levels = [SystemStatus(21), SystemStatus(20), SystemStatus(19), SystemStatus(8), SystemStatus(8, plugged=True)]
    watch, troubles, told = on_battery(iter(levels))
    for _ in levels:
        watch.update()
    assert troubles == [["battery-low"], ["battery-empty"], []]
    assert [battery and battery.percent for battery in told] == [21, 20, 19, 8, 8]
    watch, troubles, _ = on_battery(iter([SystemStatus(50, minutes_left=61), SystemStatus(50, minutes_left=19)]))
    watch.update()
    watch.update()
    assert troubles == [["battery-low"], ["battery-empty"]], "61 minutes are shown as 60"


def test_a_machine_without_a_battery_has_no_battery_alarm() -> None:
    watch, troubles, told = on_battery(iter([SystemStatus()]))
    watch.update()
    assert (troubles, told, watch.battery) == ([], [], None)


@pytest.mark.parametrize(("per_point_s", "minutes"), [(360, 540), (60, 90)])
def test_remaining_hours_are_estimated_from_the_falling_level(per_point_s: int, minutes: int) -> None:
    """The estimate begins at the first change of the level, because the time before it is unknown, and needs three
    percent."""
    watch, seen = BatteryWatch(), []
    for point in range(6):
        told = watch.update(SystemStatus(97 - point), 100.0 + point * per_point_s)
        seen.append(None if told is None else told.minutes_left)
    assert seen[:4] == [None] * 4 and seen[4] is not None
    assert seen[-1] == (92 * per_point_s // 60) // 10 * 10 and abs(seen[-1] - minutes) < 30
    assert watch.update(SystemStatus(92, plugged=True), 9000) == Battery(92, None, plugged=True)
    assert watch.update(SystemStatus(91), 9100) == Battery(91), "after the charger was pulled it begins anew"


def test_the_driver_s_own_estimate_has_priority() -> None:
    assert BatteryWatch().update(SystemStatus(50, minutes_left=128), 0) == Battery(50, 120)
