"""Debouncer rules on a real header: needs a Raspberry Pi with a jumper wire from pin 16 (GPIO23) to pin 11 (GPIO17).

Skipped everywhere else. Without a Pi the same is tested only as far as gpiozero's own code
(test_buttons_through_lgpio.py) and simulated pins go.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import HANGS_S

from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.gpio_buttons import ButtonInput
from hardware.gpio_library_selection import open_factory
from hardware.lamps_buzzer_and_backlight import Lamps

pytestmark = pytest.mark.skipif(
    os.environ.get("OTHELLO_WIRED_PINS") != "1",
    reason="needs a Raspberry Pi with a jumper from pin 16 to pin 11; then set OTHELLO_WIRED_PINS=1 "
    "(docs/setup/wiring-and-hardware.md)",
)


@pytest.fixture
def factory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.chdir(tmp_path)
    factory = open_factory("lgpio")
    yield factory
    factory.close()


def test_edges_are_stamped_by_the_kernel_between_cause_and_callback(factory: Any) -> None:
    inbox: queue.SimpleQueue[ButtonEdge] = queue.SimpleQueue()
    lamps = Lamps({"left": 23}, factory)
    lamps.show({"left"})
    buttons = ButtonInput({"left": 17}, factory, inbox.put)
    for lit in [False, True] * 100:
        before = time.monotonic_ns()
        lamps.show({"left"} if lit else set())
        edge = inbox.get(timeout=HANGS_S)
        assert edge.pressed is not lit
        assert before <= edge.at_ns <= time.monotonic_ns()
        time.sleep(0.001)
    assert inbox.empty()
    buttons.close()
    lamps.close()


def test_a_line_that_is_low_at_start_is_reported(factory: Any) -> None:
    lamps = Lamps({"left": 23}, factory)
    buttons = ButtonInput({"left": 17}, factory, lambda edge: None)
    assert buttons.pressed_at_start == ("left",)
    buttons.close()
    lamps.close()


def test_timestamps_do_not_depend_on_a_busy_program(factory: Any) -> None:
    """Two edges 5 ms apart keep that distance although Python is busy in between."""
    inbox: queue.SimpleQueue[ButtonEdge] = queue.SimpleQueue()
    lamps = Lamps({"left": 23}, factory)
    buttons = ButtonInput({"left": 17}, factory, inbox.put)
    lamps.show({"left"})
    first = time.monotonic_ns()
    while time.monotonic_ns() - first < 5_000_000:
        sum(range(1_000))
    lamps.show(set())
    second = time.monotonic_ns()
    edges = [inbox.get(timeout=HANGS_S) for _ in range(2)]
    assert edges[1].at_ns - edges[0].at_ns >= 5_000_000 - 1_000_000
    assert edges[1].at_ns <= second
    buttons.close()
    lamps.close()
