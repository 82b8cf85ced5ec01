"""Buttons through gpiozero's own lgpio pins, with a stand-in for the lgpio library below them.

Shows that kernel nanoseconds reach the sink, in which state the line is requested, and from which chip on which Pi;
wired Pis are in test_wired_pins.py.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hardware import gpio_library_selection as pin_factory
from hardware.button_edges_and_time_accuracy import LGPIO, ButtonEdge
from hardware.errors import GpioError
from hardware.gpio_buttons import ButtonInput
from hardware.gpio_library_selection import open_factory

pytestmark = pytest.mark.slow

BUSY = 26
PULL_UP, BOTH = 32, 3


class LgpioError(Exception):
    """Error as in lgpio, which is neither an OSError nor gpiozero's."""


class LgpioStandIn(types.ModuleType):
    """The part of lgpio that gpiozero uses: claims with flags, levels, and one callback a line."""

    SET_PULL_NONE, SET_PULL_UP, SET_PULL_DOWN = 128, PULL_UP, 64
    RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, BOTH
    error = LgpioError

    def __init__(self) -> None:
        super().__init__("lgpio")
        self.labels = {0: "pinctrl-bcm2711"}
        self.open: set[int] = set()
        self.flags: dict[int, int] = {}
        self.alerts: dict[int, int] = {}
        self.debounce: dict[int, int] = {}
        self.callbacks: dict[int, Callable[[int, int, int, int], None]] = {}

    def gpiochip_open(self, chip: int) -> int:
        self.open.add(chip)
        return chip

    def gpiochip_close(self, handle: int) -> None:
        self.open.remove(handle)

    def gpio_get_chip_info(self, handle: int) -> list[object]:
        return [0, 58, f"gpiochip{handle}", self.labels[handle]]

    def gpio_claim_input(self, handle: int, gpio: int, flags: int = 0) -> None:
        if gpio == BUSY:
            raise LgpioError("GPIO busy")
        self.flags[gpio] = flags
        self.alerts.pop(gpio, None)

    def gpio_claim_output(self, handle: int, gpio: int) -> None: ...

    def gpio_claim_alert(self, handle: int, gpio: int, edges: int, flags: int) -> None:
        self.flags[gpio] = flags
        self.alerts[gpio] = edges

    def gpio_free(self, handle: int, gpio: int) -> None:
        del self.flags[gpio]

    def gpio_get_mode(self, handle: int, gpio: int) -> int:
        return self.flags[gpio]

    def gpio_read(self, handle: int, gpio: int) -> int:
        return 1

    def gpio_set_debounce_micros(self, handle: int, gpio: int, micros: int) -> None:
        self.debounce[gpio] = micros

    def callback(self, handle: int, gpio: int, edges: int, func: Callable[[int, int, int, int], None]) -> Any:
        assert self.open == {handle}, "one chip, the one that was chosen"
        self.callbacks[gpio] = func
        return types.SimpleNamespace(cancel=lambda: self.callbacks.pop(gpio))


@pytest.fixture
def lgpio(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LgpioStandIn]:
    library = LgpioStandIn()
    monkeypatch.setitem(sys.modules, "lgpio", library)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpiochip0").touch()
    monkeypatch.setattr(pin_factory, "DEVICES", tmp_path)
    monkeypatch.setattr(pin_factory.platform, "release", lambda: "6.6.20")
    local = importlib.import_module("gpiozero.pins.local")
    monkeypatch.setattr(local, "get_pi_revision", lambda: 0xC03111)
    monkeypatch.setattr(local.LocalPiFactory, "pins", {})
    yield library
    sys.modules.pop("gpiozero.pins.lgpio", None)


def test_kernel_nanoseconds_reach_the_sink(lgpio: LgpioStandIn) -> None:
    edges: list[ButtonEdge] = []
    buttons = ButtonInput({"left": 17, "right": 27}, open_factory("lgpio"), edges.append)
    lgpio.callbacks[17](0, 17, 0, 123_456_789_012_345)
    lgpio.callbacks[27](0, 27, 1, 123_456_789_012_346)
    assert edges == [ButtonEdge("left", True, 123_456_789_012_345), ButtonEdge("right", False, 123_456_789_012_346)]
    assert buttons.source == LGPIO
    buttons.close()
    assert not lgpio.callbacks


def test_the_line_is_requested_raw_with_pull_up_and_both_edges(lgpio: LgpioStandIn) -> None:
    buttons = ButtonInput({"left": 17}, open_factory("lgpio"), lambda edge: None)
    assert lgpio.flags[17] & PULL_UP
    assert lgpio.alerts[17] == BOTH
    assert lgpio.debounce.get(17, 0) == 0
    buttons.close()


def test_a_line_held_by_another_program_is_reported(lgpio: LgpioStandIn) -> None:
    with pytest.raises(GpioError, match=rf"left button on GPIO{BUSY} .*GPIO busy"):
        ButtonInput({"left": BUSY}, open_factory("lgpio"), lambda edge: None)


#: What ``gpiodetect`` lists on each kind of chip: raspberrypi/linux#6144, WiringPi#280 (both kernels of a Pi 5, and a
#: Pi 4), Adafruit_Blinka#1119 (a Pi 5's numbers with Linux 6.12.96; not which of them is the header's: first and last).
BROADCOM = ("gpio-brcmstb@107d508500", "gpio-brcmstb@107d508520", "gpio-brcmstb@107d517c00", "gpio-brcmstb@107d517c20")
CHIPS = {
    "BCM2835 to 2837": (
        {0: "pinctrl-bcm2835"},
        {0: "pinctrl-bcm2835", 1: "raspberrypi-exp-gpio"},
        {0: "pinctrl-bcm2835", 1: "brcmvirt-gpio", 2: "raspberrypi-exp-gpio"},
        {0: "brcmvirt-gpio", 1: "raspberrypi-exp-gpio", 2: "pinctrl-bcm2835"},
    ),
    "BCM2711": ({0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}, {0: "raspberrypi-exp-gpio", 1: "pinctrl-bcm2711"}),
    "BCM2712": (
        {**dict(enumerate(BROADCOM)), 4: "pinctrl-rp1"},  # 6.1 to 6.6.44
        {0: "pinctrl-rp1", **dict(enumerate(BROADCOM, 10))},  # from 6.6.47
        {0: "pinctrl-rp1", **dict(enumerate(BROADCOM, 10)), 4: "pinctrl-rp1"},  # with udev's second name, gpiochip4
        {**dict(enumerate(BROADCOM, 11)), 15: "pinctrl-rp1"},  # 6.12.96
        {11: "pinctrl-rp1", **dict(enumerate(BROADCOM, 12))},
    ),
}
#: Everything with 40 pins that was sold in the last six years, compute modules too, by the revision code of its
#: firmware (Raspberry Pi's own list). Put together by that list's rules: CM4S, and a 500+ as a 500 with 16 GB. The
#: last is a type that gpiozero has never seen.
MODELS = {
    "BCM2835 to 2837": {
        "Zero W": 0x9000C1, "Zero 2 W": 0x902120, "3B": 0xA02082, "3A+": 0x9020E1, "3B+": 0xA020D4, "CM3+": 0xA02100,
    },
    "BCM2711": {"4B": 0xC03115, "400": 0xC03130, "CM4": 0xB03140, "CM4S": 0xB03150},
    "BCM2712": {
        "5": 0xD04170, "CM5": 0xC04180, "CM5 Lite": 0xC041A0, "500": 0xD04190, "500+": 0xE04190,
        "one to come": 0xE04FF0,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("revision", "labels"),
    [
        pytest.param(revision, labels, id=f"{model}, chips {' '.join(map(str, labels))}")
        for processor, models in MODELS.items()
        for model, revision in models.items()
        for labels in CHIPS[processor]
    ],
)
def test_every_model_uses_the_chip_of_its_header_whatever_its_number(
    lgpio: LgpioStandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, revision: int, labels: dict[int, str]
) -> None:
    """gpiozero by itself goes by the number: gpiochip4 on a Pi 5 that has one, else gpiochip0."""
    monkeypatch.setattr(importlib.import_module("gpiozero.pins.local"), "get_pi_revision", lambda: revision)
    lgpio.labels = labels
    (tmp_path / "gpiochip0").unlink()
    for number in labels:
        (tmp_path / f"gpiochip{number}").touch()
    edges: list[ButtonEdge] = []
    buttons = ButtonInput({"left": 17, "right": 27}, open_factory("lgpio"), edges.append)
    (chip,) = lgpio.open
    assert labels[chip].startswith("pinctrl-")
    lgpio.callbacks[17](chip, 17, 0, 1)
    assert edges == [ButtonEdge("left", True, 1)]
    buttons.close()
