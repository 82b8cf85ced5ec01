"""Battery and temperature from the kernel's files, any of which may be missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.power_failure_pin_and_supply_status import SystemStatus, read_system_status


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def test_a_machine_without_files_reports_nothing(tmp_path: Path) -> None:
    assert read_system_status(tmp_path) == SystemStatus()


def test_the_emptiest_battery_and_the_warmest_zone_are_reported(tmp_path: Path) -> None:
    for name, kind, percent, micro_volts in (
        ("AC", "Mains", "100", "5000000"),
        ("BAT0", "Battery", "80", "4100000"),
        ("BAT1", "Battery", "17", "3702999"),
        ("BAT2", "Battery", "unknown", "1"),
    ):
        put(tmp_path / "power_supply" / name / "type", kind)
        put(tmp_path / "power_supply" / name / "capacity", percent)
        put(tmp_path / "power_supply" / name / "voltage_now", micro_volts)
    put(tmp_path / "thermal/thermal_zone0/temp", "48312")
    put(tmp_path / "thermal/thermal_zone1/temp", "-5000")
    assert read_system_status(tmp_path) == SystemStatus(17, 3702, 48.312)


@pytest.mark.parametrize(
    ("files", "minutes"),
    [
        ({}, None),
        ({"time_to_empty_now": "5400"}, 90),
        ({"time_to_empty_now": "0", "energy_now": "30000000", "power_now": "5000000"}, 360),
        ({"charge_now": "5000000", "current_now": "-1000000"}, 300),
        ({"charge_now": "5000000", "current_now": "0"}, None),
    ],
)
def test_remaining_battery_time(tmp_path: Path, files: dict[str, str], minutes: int | None) -> None:
    """The time is the kernel's seconds, or the charge divided by the current, whose sign differs between drivers."""
    for name, text in {"type": "Battery", "capacity": "50", **files}.items():
        put(tmp_path / "power_supply/BAT0" / name, text)
    assert read_system_status(tmp_path).minutes_left == minutes


def test_an_online_charger_overrides_a_gauge(tmp_path: Path) -> None:
    """max17040 always reports Discharging if it is not connected to the charger; gpio-charger reports it correctly."""
    for name, text in {"type": "Battery", "capacity": "50", "status": "Discharging"}.items():
        put(tmp_path / "power_supply/max17040" / name, text)
    assert not read_system_status(tmp_path).plugged
    put(tmp_path / "power_supply/charger/type", "Mains")
    for online in (0, 1):
        put(tmp_path / "power_supply/charger/online", str(online))
        assert read_system_status(tmp_path).plugged is bool(online)
    put(tmp_path / "power_supply/charger/online", "0")
    put(tmp_path / "power_supply/max17040/status", "Charging")
    assert read_system_status(tmp_path).plugged
