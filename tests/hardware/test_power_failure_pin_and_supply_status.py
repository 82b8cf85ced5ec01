"""Power signal on a pin, and the firmware's voltage and temperature status."""

from __future__ import annotations

from pathlib import Path

import pytest
from devices.faulty_pins import FaultyFactory
from devices.power import SimulatedFirmware, SimulatedSupply
from messages.bilingual import refused

from hardware.errors import GpioError
from hardware.power_failure_pin_and_supply_status import Firmware, PowerEdge, PowerSignal, Supply, read_supply
from hardware.real_and_simulated_time import ManualTime

GPIO = 5


def test_the_signal_carries_the_time_of_its_edge() -> None:
    time_base = ManualTime(7_000_000_003)
    factory = FaultyFactory(time_base)
    edges: list[PowerEdge] = []
    signal = PowerSignal(GPIO, factory, edges.append)
    supply = SimulatedSupply(factory.pin(GPIO), time_base)
    assert not signal.failing
    supply.fail()
    time_base.advance(250_000_000)
    assert signal.failing
    supply.come_back()
    assert edges == [PowerEdge(True, 7_000_000_003), PowerEdge(False, 7_250_000_003)]
    signal.close()
    supply.fail()
    assert len(edges) == 2


def test_a_signal_that_is_high_when_power_fails() -> None:
    time_base = ManualTime(5)
    factory = FaultyFactory(time_base)
    edges: list[PowerEdge] = []
    signal = PowerSignal(GPIO, factory, edges.append, low_is_failing=False)
    assert not signal.failing
    factory.pin(GPIO).drive(True, 9)
    assert edges == [PowerEdge(True, 9)] and signal.failing


def test_a_line_in_use_is_an_error_in_both_languages() -> None:
    factory = FaultyFactory(ManualTime())
    first = PowerSignal(GPIO, factory, lambda edge: None)
    with refused(GpioError, match=r"power signal on GPIO5.*\[power\].*電源信号"):
        PowerSignal(GPIO, factory, lambda edge: None)
    first.close()


@pytest.mark.parametrize(
    ("bits", "supply"),
    [
        (0x0, Supply(False, False, 48.3)),
        (0x1, Supply(True, True, 48.3)),
        (0x50000, Supply(False, True, 48.3)),
        (0x50005, Supply(True, True, 48.3)),
    ],
)
def test_the_bits_of_the_firmware(bits: int, supply: Supply) -> None:
    """The bits are those that the Raspberry Pi documentation lists for get_throttled."""
    firmware = SimulatedFirmware()
    firmware.throttled = bits
    assert read_supply(firmware) == supply


def test_a_machine_without_the_command_reports_nothing(tmp_path: Path) -> None:
    assert read_supply(Firmware(str(tmp_path / "vcgencmd"))) is None
    firmware = SimulatedFirmware()
    firmware.silent = True
    assert read_supply(firmware) is None


@pytest.mark.parametrize(
    ("script", "supply"),
    [
        ('case $1 in get_throttled) echo throttled=0x1;; *) echo "temp=71.5\'C";; esac', Supply(True, True, 71.5)),
        ("case $1 in get_throttled) echo throttled=0x0;; *) exit 1;; esac", Supply(False, False, None)),
        ("exit 255", None),
        ("echo VCHI initialization failed", None),
    ],
)
def test_the_real_command_is_run_and_read(tmp_path: Path, script: str, supply: Supply | None) -> None:
    command = tmp_path / "vcgencmd"
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    assert read_supply(Firmware(str(command))) == supply
