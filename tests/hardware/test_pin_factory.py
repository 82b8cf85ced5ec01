"""Choosing the GPIO library: the one that was named, or a loud error; never another one."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest
from messages.both import refused

from hardware import factory as pin_factory
from hardware.edges import LGPIO, RPI_LGPIO, RPIGPIO
from hardware.errors import PinFactoryError
from hardware.factory import open_factory, require_monotonic_edges, require_writable
from hardware.simulated import SimulatedFactory
from hardware.timebase import ManualTime


class LibraryError(Exception):
    """Like ``lgpio.error``: neither an OSError nor gpiozero's."""


def install(monkeypatch: pytest.MonkeyPatch, module: str, name: str, opener: object) -> None:
    """Puts a gpiozero pin module with this factory in place, as if its library were installed."""
    fake = types.ModuleType(module)
    setattr(fake, name, opener)
    monkeypatch.setitem(sys.modules, module, fake)


def install_lgpio(monkeypatch: pytest.MonkeyPatch, opener: object) -> None:
    library = types.ModuleType("lgpio")
    library.error = LibraryError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lgpio", library)
    install(monkeypatch, "gpiozero.pins.lgpio", "LGPIOFactory", opener)
    monkeypatch.setattr(pin_factory.platform, "release", lambda: "6.6.20+rpt-rpi-v8")


def no_gpiochip() -> None:
    raise LibraryError("can not open gpiochip")


def test_simulated_pins_need_no_library() -> None:
    assert isinstance(open_factory("simulated", ManualTime()), SimulatedFactory)


def test_lgpio_tells_kernel_times(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    install_lgpio(monkeypatch, types.SimpleNamespace)
    opened = open_factory("lgpio", ManualTime())
    assert opened.edge_source == LGPIO
    assert LibraryError in opened.pin_errors


def test_rpigpio_tells_that_its_times_are_late(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "gpiozero.pins.rpigpio", "RPiGPIOFactory", types.SimpleNamespace)
    assert open_factory("rpigpio", ManualTime()).edge_source == RPIGPIO
    assert RPIGPIO.accuracy_ns > LGPIO.accuracy_ns


@pytest.mark.parametrize(("asked", "there"), [("rpigpio", "rpi-lgpio"), ("rpi-lgpio", "RPi.GPIO")])
def test_the_other_library_of_the_same_name_is_refused(monkeypatch: pytest.MonkeyPatch, asked: str, there: str) -> None:
    """Both bring a module RPi.GPIO: which one takes the time is known, or the table does not start."""
    install(monkeypatch, "gpiozero.pins.rpigpio", "RPiGPIOFactory", types.SimpleNamespace)
    monkeypatch.setattr(pin_factory.metadata, "packages_distributions", lambda: {"RPi": [there]})
    with refused(PinFactoryError, match=f"is {there.lower()}; they cannot share.*両方"):
        open_factory(asked, ManualTime())


def test_rpi_lgpio_is_told_by_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "gpiozero.pins.rpigpio", "RPiGPIOFactory", types.SimpleNamespace)
    monkeypatch.setattr(pin_factory.metadata, "packages_distributions", lambda: {"RPi": ["rpi-lgpio"]})
    assert open_factory("rpi-lgpio", ManualTime()).edge_source == RPI_LGPIO
    assert RPI_LGPIO.accuracy_ns > LGPIO.accuracy_ns


def test_an_unknown_library_is_refused_with_the_names_that_are_known() -> None:
    with refused(PinFactoryError, match=r"'pigpio'.*lgpio, rpigpio, rpi-lgpio, simulated.*設定"):
        open_factory("pigpio", ManualTime())


def test_a_library_that_is_not_installed_is_an_error_not_a_fallback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pin_factory.platform, "release", lambda: "6.6.20")
    monkeypatch.setitem(sys.modules, "lgpio", None)
    with refused(PinFactoryError, match=r"lgpio cannot be loaded.*othello-kiosk\[pi\].*読み込めません"):
        open_factory("lgpio", ManualTime())
    assert not list(recwarn)


def test_a_machine_without_gpio_lines_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    install_lgpio(monkeypatch, no_gpiochip)
    with pytest.raises(PinFactoryError, match=r"lgpio cannot open the GPIO lines \(can not open gpiochip\)"):
        open_factory("lgpio", ManualTime())


def test_lgpio_is_refused_where_it_cannot_make_its_fifo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """gpiozero by itself would warn and go on with another library."""
    install_lgpio(monkeypatch, types.SimpleNamespace)
    monkeypatch.setenv("LG_WD", str(tmp_path / "missing"))
    with refused(PinFactoryError, match=r"FIFO.*missing.*WorkingDirectory=.*書き込めません"):
        open_factory("lgpio", ManualTime())


def test_a_directory_without_write_permission_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pin_factory.os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(PinFactoryError, match="FIFO"):
        require_writable(tmp_path)


@pytest.mark.parametrize("release", ["5.7", "5.10.103-v7l+", "6.6.20+rpt-rpi-v8", "6.12.1"])
def test_kernels_that_stamp_with_the_monotonic_clock(release: str) -> None:
    require_monotonic_edges(release)


@pytest.mark.parametrize("release", ["4.19.118-v7l+", "5.6.19", "unknown"])
def test_kernels_that_stamp_with_the_wall_clock_are_refused(release: str) -> None:
    with refused(PinFactoryError, match=r"wall clock.*5\.7.*壁時計"):
        require_monotonic_edges(release)
