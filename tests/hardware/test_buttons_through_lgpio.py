"""Buttons through gpiozero's own lgpio pins, with a stand-in for the lgpio library below them.

Shows that kernel nanoseconds reach the sink, and in which state the line is requested; wired Pis are in
test_wired_pins.py.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hardware import factory as pin_factory
from hardware.buttons import ButtonEdge, Buttons
from hardware.edges import LGPIO
from hardware.errors import PinError
from hardware.factory import open_factory
from hardware.timebase import SystemTime

pytestmark = pytest.mark.slow

BUSY = 26
PULL_UP, BOTH = 32, 3


class LgpioError(Exception):
    """As in lgpio: no OSError, nothing of gpiozero."""


class StandIn(types.ModuleType):
    """What gpiozero uses of lgpio: claims with flags, levels, and one callback a line."""

    SET_PULL_NONE, SET_PULL_UP, SET_PULL_DOWN = 128, PULL_UP, 64
    RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, BOTH
    error = LgpioError

    def __init__(self) -> None:
        super().__init__("lgpio")
        self.flags: dict[int, int] = {}
        self.alerts: dict[int, int] = {}
        self.debounce: dict[int, int] = {}
        self.callbacks: dict[int, Callable[[int, int, int, int], None]] = {}

    def gpiochip_open(self, chip: int) -> int:
        return chip

    def gpiochip_close(self, handle: int) -> None: ...

    def gpio_get_chip_info(self, handle: int) -> list[object]:
        return [0, 58, f"gpiochip{handle}", "pinctrl-bcm2711"]

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
        self.callbacks[gpio] = func
        return types.SimpleNamespace(cancel=lambda: self.callbacks.pop(gpio))


@pytest.fixture
def lgpio(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[StandIn]:
    library = StandIn()
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


def test_kernel_nanoseconds_reach_the_sink(lgpio: StandIn) -> None:
    edges: list[ButtonEdge] = []
    buttons = Buttons({"left": 17, "right": 27}, open_factory("lgpio", SystemTime()), edges.append)
    lgpio.callbacks[17](0, 17, 0, 123_456_789_012_345)
    lgpio.callbacks[27](0, 27, 1, 123_456_789_012_346)
    assert edges == [
        ButtonEdge("left", True, 123_456_789_012_345),
        ButtonEdge("right", False, 123_456_789_012_346),
    ]
    assert buttons.source == LGPIO
    buttons.close()
    assert not lgpio.callbacks


def test_the_line_is_requested_raw_with_pull_up_and_both_edges(lgpio: StandIn) -> None:
    buttons = Buttons({"left": 17}, open_factory("lgpio", SystemTime()), lambda edge: None)
    assert lgpio.flags[17] & PULL_UP
    assert lgpio.alerts[17] == BOTH
    assert lgpio.debounce.get(17, 0) == 0
    buttons.close()


def test_a_line_that_another_program_holds_is_a_clear_error(lgpio: StandIn) -> None:
    with pytest.raises(PinError, match=rf"left button on GPIO{BUSY} .*GPIO busy"):
        Buttons({"left": BUSY}, open_factory("lgpio", SystemTime()), lambda edge: None)
