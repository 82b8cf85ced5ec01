"""Battery and temperature from the kernel's files, which need not be there."""

from __future__ import annotations

from pathlib import Path

from hardware.sysfs import Machine, read_machine


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def test_a_machine_without_files_knows_nothing(tmp_path: Path) -> None:
    assert read_machine(tmp_path) == Machine()


def test_the_emptiest_battery_and_the_warmest_zone_are_told(tmp_path: Path) -> None:
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
    assert read_machine(tmp_path) == Machine(17, 3702, 48.312)
