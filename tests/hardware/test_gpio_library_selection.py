"""Selection of the GPIO library: the configured one or an error, and never another one."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest
from messages.bilingual import refused

from hardware import gpio_library_selection as pin_factory
from hardware.button_edges_and_time_accuracy import LGPIO, RPI_LGPIO, RPIGPIO
from hardware.errors import PinFactoryError
from hardware.gpio_library_selection import open_factory, require_monotonic_edges, require_writable


class LibraryError(Exception):
    """Error like ``lgpio.error``, which is neither an OSError nor gpiozero's."""


def install(monkeypatch: pytest.MonkeyPatch, module: str, name: str, opener: object) -> None:
    """Install a gpiozero pin module with this factory, as if its library were there."""
    fake = types.ModuleType(module)
    setattr(fake, name, opener)
    monkeypatch.setitem(sys.modules, module, fake)


class Chips(types.ModuleType):
    """The chips of one machine as the library reports them, number to label. A label None cannot be opened."""

    error = LibraryError

    def __init__(self, labels: dict[int, str | None]) -> None:
        super().__init__("lgpio")
        self.labels = labels
        self.open: set[int] = set()

    def gpiochip_open(self, chip: int) -> int:
        if self.labels.get(chip) is None:
            raise LibraryError("can not open gpiochip")
        self.open.add(chip)
        return chip << 16

    def gpiochip_close(self, handle: int) -> None:
        self.open.remove(handle >> 16)

    def gpio_get_chip_info(self, handle: int) -> list[object]:
        return [0, 54, f"gpiochip{handle >> 16}", self.labels[handle >> 16]]


def install_lgpio(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, opener: object, labels: dict[int, str | None] | None = None
) -> Chips:
    library = Chips({0: "pinctrl-bcm2711"} if labels is None else labels)
    devices = tmp_path / "dev"
    devices.mkdir()
    for number in library.labels:
        (devices / f"gpiochip{number}").touch()
    monkeypatch.setattr(pin_factory, "DEVICES", devices)
    monkeypatch.setitem(sys.modules, "lgpio", library)
    install(monkeypatch, "gpiozero.pins.lgpio", "LGPIOFactory", opener)
    monkeypatch.setattr(pin_factory.platform, "release", lambda: "6.6.20+rpt-rpi-v8")
    return library


def open_chip(chip: int) -> types.SimpleNamespace:
    """Return a stand-in for gpiozero's factory."""
    return types.SimpleNamespace(chip=chip)


def no_lines(chip: int) -> None:
    raise LibraryError("can not open gpiochip")


def test_lgpio_reports_kernel_times(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    install_lgpio(monkeypatch, tmp_path, open_chip)
    opened = open_factory("lgpio")
    assert opened.edge_source == LGPIO
    assert LibraryError in opened.pin_errors


def test_rpigpio_reports_that_its_times_are_late(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "gpiozero.pins.rpigpio", "RPiGPIOFactory", types.SimpleNamespace)
    assert open_factory("rpigpio").edge_source == RPIGPIO
    assert RPIGPIO.accuracy_ns > LGPIO.accuracy_ns


@pytest.mark.parametrize(("configured", "installed"), [("rpigpio", "rpi-lgpio"), ("rpi-lgpio", "RPi.GPIO")])
def test_the_other_library_of_the_same_name_is_refused(
    monkeypatch: pytest.MonkeyPatch, configured: str, installed: str
) -> None:
    """Two libraries provide RPi.GPIO; the table starts only with the configured one."""
    install(monkeypatch, "gpiozero.pins.rpigpio", "RPiGPIOFactory", types.SimpleNamespace)
    monkeypatch.setattr(pin_factory.metadata, "packages_distributions", lambda: {"RPi": [installed]})
    with refused(PinFactoryError, match=f"is {installed.lower()}; they cannot share.*両方"):
        open_factory(configured)


def test_rpi_lgpio_is_recognised_by_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "gpiozero.pins.rpigpio", "RPiGPIOFactory", types.SimpleNamespace)
    monkeypatch.setattr(pin_factory.metadata, "packages_distributions", lambda: {"RPi": ["rpi-lgpio"]})
    assert open_factory("rpi-lgpio").edge_source == RPI_LGPIO
    assert RPI_LGPIO.accuracy_ns > LGPIO.accuracy_ns


def test_a_missing_library_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pin_factory.platform, "release", lambda: "6.6.20")
    monkeypatch.setitem(sys.modules, "lgpio", None)
    with refused(PinFactoryError, match=r"lgpio cannot be loaded.*pip install '.\[pi\]'.*読み込めません"):
        open_factory("lgpio")
    assert not list(recwarn)


def test_a_machine_without_gpio_lines_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    install_lgpio(monkeypatch, tmp_path, no_lines)
    with pytest.raises(PinFactoryError, match=r"lgpio cannot open the GPIO lines \(can not open gpiochip\)"):
        open_factory("lgpio")


def test_the_error_on_another_machine_lists_its_chips(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    install_lgpio(monkeypatch, tmp_path, open_chip, {0: "INT34C5:00", 1: None})
    with refused(
        PinFactoryError,
        match=r"40 pins \(gpiochip0: INT34C5:00, gpiochip1: can not open gpiochip\).*GPIO.*gpio グループ",
    ):
        open_factory("lgpio")


def test_the_empty_lgpio_package_is_an_error_naming_the_right_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """For Python 3.13 PyPI offers lgpio 0.0.0.2, an empty module."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pin_factory.platform, "release", lambda: "6.12.25")
    monkeypatch.setitem(sys.modules, "lgpio", types.ModuleType("lgpio"))
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    with pytest.raises(PinFactoryError, match=r"lgpio cannot be loaded.*python3-dev"):
        open_factory("lgpio")


def test_lgpio_is_refused_where_it_cannot_make_its_fifo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """gpiozero by itself would warn and use another library."""
    install_lgpio(monkeypatch, tmp_path, open_chip)
    monkeypatch.setenv("LG_WD", str(tmp_path / "missing"))
    with refused(PinFactoryError, match=r"FIFO.*missing.*WorkingDirectory=.*書き込めません"):
        open_factory("lgpio")


def test_a_directory_without_write_permission_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pin_factory.os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(PinFactoryError, match="FIFO"):
        require_writable(tmp_path)


@pytest.mark.parametrize("release", ["5.7", "5.10.103-v7l+", "6.6.20+rpt-rpi-v8", "6.12.1"])
def test_kernels_with_monotonic_timestamps_are_accepted(release: str) -> None:
    require_monotonic_edges(release)


@pytest.mark.parametrize("release", ["4.19.118-v7l+", "5.6.19", "unknown"])
def test_kernels_with_wall_clock_timestamps_are_refused(release: str) -> None:
    with refused(PinFactoryError, match=r"wall clock.*5\.7.*壁時計"):
        require_monotonic_edges(release)
