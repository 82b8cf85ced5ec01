"""Lamps and buzzer over real gpiozero devices on simulated pins."""

from __future__ import annotations

from pathlib import Path

from devices.faulty_pins import FaultyFactory
from messages.bilingual import refused
from waiting import until

from hardware.errors import GpioError
from hardware.lamps_buzzer_and_backlight import Buzzer, Lamps, set_backlight
from hardware.real_and_simulated_time import ManualTime, SystemTime

LAMPS = {"left": 23, "right": 24}


def lit(factory: FaultyFactory) -> set[str]:
    return {name for name, gpio in LAMPS.items() if factory.is_high(gpio)}


def test_exactly_the_lamps_that_are_named_are_lit() -> None:
    factory = FaultyFactory(ManualTime())
    lamps = Lamps(LAMPS, factory)
    assert lit(factory) == set()
    for wanted in ({"left"}, {"left"}, {"right"}, {"left", "right"}, set()):
        lamps.show(wanted)
        assert lit(factory) == wanted


def test_a_line_without_a_lamp_is_ignored_and_close_puts_the_lamps_out() -> None:
    factory = FaultyFactory(ManualTime())
    lamps = Lamps(LAMPS, factory)
    lamps.show({"arbiter", "left"})
    assert lit(factory) == {"left"}
    lamps.close()
    assert lit(factory) == set()
    Lamps(LAMPS, factory).close()


def test_a_lamp_on_a_line_in_use_is_reported_and_all_lines_are_released() -> None:
    factory = FaultyFactory(ManualTime())
    with refused(GpioError, match=r"right lamp on GPIO23.*ランプ「right」"):
        Lamps({"left": 23, "right": 23}, factory)
    Lamps(LAMPS, factory).close()


def test_the_buzzer_sounds_and_stops() -> None:
    factory = FaultyFactory(ManualTime())
    buzzer = Buzzer(18, factory, SystemTime())
    buzzer.beep(on_ns=60_000_000_000)
    until(lambda: factory.is_high(18))
    buzzer.close()
    assert not factory.is_high(18)


def test_a_buzzer_on_a_line_in_use_is_reported() -> None:
    factory = FaultyFactory(ManualTime())
    lamps = Lamps({"left": 18}, factory)
    with refused(GpioError, match=r"buzzer on GPIO18.*ブザー"):
        Buzzer(18, factory, SystemTime())
    lamps.close()


def test_every_backlight_is_set_and_failing_ones_are_skipped(tmp_path: Path) -> None:
    """A display without a backlight is darkened by its picture instead."""
    assert set_backlight(50, tmp_path / "none") is False
    for name, brightest in (("10-0045", "255"), ("rpi", "31"), ("broken", "?")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "max_brightness").write_text(brightest)
        (tmp_path / name / "brightness").write_text("7")
    assert set_backlight(40, tmp_path) is True
    assert [(tmp_path / name / "brightness").read_text() for name in ("10-0045", "rpi", "broken")] == ["102", "12", "7"]
    assert set_backlight(0, tmp_path) and (tmp_path / "rpi" / "brightness").read_text() == "1", "never dark"
