"""Voltage and heat become troubles for an arbiter, and go by themselves."""

from __future__ import annotations

from hardware.simulated import SimulatedFirmware
from kiosk.link.messages import TroubleInfo
from kiosk.table.machine.supply import COOLER_C, SupplyWatch

HOT_C = 75


def watched() -> tuple[SimulatedFirmware, SupplyWatch, list[list[str]]]:
    firmware, told = SimulatedFirmware(), []

    def tell(troubles: tuple[TroubleInfo, ...]) -> None:
        told.append([trouble.kind for trouble in troubles])

    return firmware, SupplyWatch(firmware, HOT_C, tell), told


def test_low_voltage_is_told_while_it_lasts_and_once() -> None:
    firmware, watch, told = watched()
    watch.look()
    firmware.throttled = 0x50005
    watch.look()
    watch.look()
    firmware.throttled = 0x50000
    watch.look()
    assert told == [["supply-low-voltage"], []]
    assert watch.supply is not None and watch.supply.low_since_start


def test_heat_is_told_until_it_is_clearly_cooler() -> None:
    firmware, watch, told = watched()
    for celsius in (HOT_C - 1, HOT_C, HOT_C - COOLER_C, HOT_C + 3, HOT_C - COOLER_C - 1):
        firmware.celsius = celsius
        watch.look()
    assert told == [["supply-hot"], []]


def test_a_laptop_has_nothing_to_say_and_is_asked_once() -> None:
    firmware, watch, told = watched()
    firmware.silent = True
    watch.start()
    watch.close()
    assert told == [] and watch.supply is None and not watch._thread.is_alive()
